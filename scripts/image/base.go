package main

import (
	"archive/tar"
	"bytes"
	"context"
	"debug/elf"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// unprivileged is the number of the user and the group of the image.
const unprivileged = 65534

// triplets are the names of architectures in Debian's directories of libraries.
var triplets = map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}

// file is a file of a package.
type file struct {
	entry
	from string // the package
}

// packaged are the files of all packages, by their paths, and the control file of each package.
type packaged struct {
	files    map[string]file
	controls map[string][]byte
	triplet  string
}

// base has what the image takes from packages: the programs with the libraries that they need, the
// certificates, and the licences of all that.
type base struct {
	packaged
	tree tree
	used map[string]bool // packages
}

// baseOf returns the files of the layer below plinth.
func baseOf(ctx context.Context, debs []string, arch string) (tree, error) {
	b := base{packaged{map[string]file{}, map[string][]byte{}, triplets[arch]}, frame(), map[string]bool{}}
	for _, deb := range debs {
		if err := b.read(ctx, deb); err != nil {
			return nil, fmt.Errorf("cannot read the package %s: %w", deb, err)
		}
	}
	if err := b.take(); err != nil {
		return nil, err
	}
	return b.tree, nil
}

// frame returns what every image has.
func frame() tree {
	t := tree{
		"tmp":                  {mode: 0o1777, dir: true},
		"home/plinth":          {mode: 0o700, dir: true, owner: unprivileged},
		"etc/passwd":           {mode: 0o644, data: []byte("root:x:0:0:root:/root:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/home/plinth:/usr/sbin/nologin\n")},
		"etc/group":            {mode: 0o644, data: []byte("root:x:0:\nnogroup:x:65534:\n")},
		"etc/nsswitch.conf":    {mode: 0o644, data: []byte("passwd: files\ngroup: files\nhosts: files dns\n")},
		"usr/lib/ssl/cert.pem": {link: "/" + certificates},
		"root":                 {mode: 0o700, dir: true},
		"proc":                 {mode: 0o755, dir: true},
		"sys":                  {mode: 0o755, dir: true},
		"dev":                  {mode: 0o755, dir: true},
		"run":                  {mode: 0o755, dir: true},
		"var/tmp":              {mode: 0o1777, dir: true},
		"usr/lib64":            {mode: 0o755, dir: true},
		"usr/sbin":             {mode: 0o755, dir: true},
	}
	for _, dir := range merged {
		t[dir] = entry{link: "usr/" + dir}
	}
	return t
}

// merged are the directories that Debian 12 has in /usr; packages still name them without it.
var merged = []string{"bin", "sbin", "lib", "lib64"}

const (
	certificates = "etc/ssl/certs/ca-certificates.crt"
	authorities  = "usr/share/ca-certificates/mozilla/"
	documents    = "usr/share/doc/"
	licences     = "usr/share/common-licenses/"
)

// inUsr returns a path of a package as it is in the image.
func inUsr(name string) string {
	name = strings.TrimPrefix(path.Clean("/"+name), "/")
	if first, _, _ := strings.Cut(name, "/"); slices.Contains(merged, first) {
		return "usr/" + name
	}
	return name
}

// wanted reports whether the image could take a file.
func (p packaged) wanted(name string) bool {
	dir, last := path.Split(name)
	switch dir {
	case "usr/lib/" + p.triplet + "/":
		return strings.Contains(last, ".so")
	case "usr/lib/" + p.triplet + "/ceph/": // libraries of fio
		return strings.Contains(last, ".so")
	case "usr/lib/", "usr/lib64/":
		return strings.HasPrefix(last, "ld-linux") || last == "os-release"
	case "etc/", "usr/bin/", authorities, documents, licences:
		return true
	}
	return last == "copyright" || strings.HasPrefix(dir, "usr/lib/postgresql/") && last == "pgbench"
}

// read reads the files of a package that the image could take.
func (p packaged) read(ctx context.Context, deb string) error {
	control, err := exec.CommandContext(ctx, "dpkg-deb", "--field", deb).Output()
	if err != nil {
		return err
	}
	_, name, _ := strings.Cut("\n"+string(control), "\nPackage: ")
	name, _, _ = strings.Cut(name, "\n")
	p.controls[name] = control
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", deb)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = p.readTar(out, name)
	_, rest := io.Copy(io.Discard, out) // after the archive's end there is padding
	return errors.Join(err, rest, cmd.Wait())
}

func (p packaged) readTar(in io.Reader, from string) error {
	for archive := tar.NewReader(in); ; {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		name := inUsr(header.Name)
		if !p.wanted(name) {
			continue
		}
		f := file{entry{mode: header.Mode & 0o777}, from}
		switch header.Typeflag {
		case tar.TypeReg:
			if f.data, err = io.ReadAll(archive); err != nil {
				return err
			}
		case tar.TypeSymlink:
			f.link = header.Linkname
		case tar.TypeLink:
			target, has := p.files[inUsr(header.Linkname)]
			if !has {
				return fmt.Errorf("%s is a hard link to %s, which was not read", name, header.Linkname)
			}
			f.entry = target.entry
		default:
			continue
		}
		p.files[name] = f
	}
}

// list has the names of the programs that plinth starts in a pod, one a line.
//
//go:embed programs
var list string

// programs returns the paths of the programs in the image, without plinth itself.
func programs() []string {
	var all []string
	for name := range strings.FieldsSeq(list) {
		all = append(all, "usr/bin/"+name)
	}
	return all
}

// take takes what the image has of the packages.
func (b base) take() error {
	for _, name := range sorted(b.files) {
		pgbench := path.Base(name) == "pgbench" && strings.HasPrefix(name, "usr/lib/")
		if pgbench || slices.Contains(programs(), name) && path.Base(name) != "pgbench" || strings.HasSuffix(name, "/os-release") || name == "etc/debian_version" || strings.HasPrefix(name, licences) {
			if err := b.add(name); err != nil {
				return err
			}
		}
		if pgbench {
			b.tree["usr/bin/pgbench"] = entry{link: "/" + name}
		}
	}
	for _, name := range append(programs(), "etc/os-release") {
		if _, has := b.tree[name]; !has {
			return fmt.Errorf("no package has %s", path.Base(name))
		}
	}
	if err := b.certify(); err != nil {
		return err
	}
	return b.license()
}

// certify writes the certificates of the authorities into one file, as update-ca-certificates does.
func (b base) certify() error {
	var all bytes.Buffer
	for _, name := range sorted(b.files) {
		if strings.HasPrefix(name, authorities) {
			all.Write(bytes.TrimSpace(b.files[name].data))
			all.WriteByte('\n')
			b.used[b.files[name].from] = true
		}
	}
	if all.Len() == 0 {
		return errors.New("no package has certificates")
	}
	b.tree[certificates] = entry{mode: 0o644, data: all.Bytes()}
	return nil
}

// license adds the copyright and the description of each package of which the image has something.
// Scanners for vulnerabilities read the latter.
func (b base) license() error {
	for _, name := range sorted(b.used) {
		of := documents + name
		if _, linked := b.files[of]; !linked { // to the directory of another package
			of += "/copyright"
		}
		if err := b.add(of); err != nil {
			return err
		}
	}
	for name := range b.used {
		b.tree["var/lib/dpkg/status.d/"+name] = entry{mode: 0o644, data: b.controls[name]}
	}
	return nil
}

// add adds a file with all that it needs: what it links to, and the libraries of a program.
func (b base) add(name string) error {
	if _, has := b.tree[name]; has {
		return nil
	}
	f, has := b.files[name]
	if !has {
		return fmt.Errorf("no package has %s", name)
	}
	b.tree[name], b.used[f.from] = f.entry, true
	if f.link != "" {
		return b.follow(name, f.link)
	}
	libraries, dirs, err := librariesOf(f.data)
	if err != nil {
		return fmt.Errorf("cannot read the program %s: %w", name, err)
	}
	for _, library := range libraries {
		if err := b.add(b.find(library, dirs)); err != nil {
			return fmt.Errorf("%s needs a library: %w", name, err)
		}
	}
	return nil
}

// find returns the path of a library: it is in one of some directories, or where Debian has libraries.
func (b base) find(library string, dirs []string) string {
	if strings.Contains(library, "/") {
		return inUsr(library)
	}
	for _, dir := range dirs {
		if name := inUsr(path.Join(dir, library)); b.files[name].from != "" {
			return name
		}
	}
	return "usr/lib/" + b.triplet + "/" + library
}

// follow adds what a link leads to.
func (b base) follow(name, target string) error {
	if !path.IsAbs(target) {
		target = path.Join(path.Dir(name), target)
	}
	target = inUsr(target)
	if _, is := b.files[target]; !is && strings.HasPrefix(target, documents) {
		target += "/copyright" // the link is a directory's
	}
	return b.add(target)
}

// librariesOf returns the libraries that a program or library needs, and its loader, which is a path, and the
// directories in which they are looked for first. A file of another kind needs none.
func librariesOf(data []byte) (libraries, dirs []string, err error) {
	if !bytes.HasPrefix(data, []byte(elf.ELFMAG)) {
		return nil, nil, nil
	}
	program, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, nil, err
	}
	if libraries, err = program.ImportedLibraries(); err != nil {
		return nil, nil, err
	}
	for _, tag := range []elf.DynTag{elf.DT_RUNPATH, elf.DT_RPATH} {
		paths, _ := program.DynString(tag) // none in most
		for _, all := range paths {
			dirs = append(dirs, strings.Split(all, ":")...)
		}
	}
	for _, part := range program.Progs {
		if part.Type == elf.PT_INTERP {
			loader, err := io.ReadAll(part.Open())
			if err != nil {
				return nil, nil, err
			}
			libraries = append(libraries, string(bytes.TrimRight(loader, "\x00")))
		}
	}
	return libraries, dirs, nil
}
