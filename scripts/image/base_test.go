package main

import (
	"archive/tar"
	"bytes"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// shell returns a dynamic program of this machine, and the path of its loader.
func shell(t *testing.T) (program []byte, loader string) {
	t.Helper()
	program, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	libraries, _, err := librariesOf(program)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(libraries, path.IsAbs)
	if at < 0 || !slices.Contains(libraries, "libc.so.6") {
		t.Fatalf("/bin/sh needs %q", libraries)
	}
	return program, libraries[at]
}

// archives are the files of packages as Debian has them; a text that begins with "->" is a link.
func archives(t *testing.T) map[string]map[string]string {
	program, loader := shell(t)
	lib := "./lib/" + triplets[runtime.GOARCH] + "/"
	return map[string]map[string]string{
		"postgresql-15": {
			"./usr/lib/postgresql/15/bin/pgbench": string(program), "./usr/lib/postgresql/15/bin/postgres": string(program),
			"./usr/share/doc/postgresql-15/copyright": "P", "./usr/share/man/man1/pgbench.1.gz": "",
		},
		"redis-tools": {"./usr/bin/redis-benchmark": "not dynamic", "./usr/bin/redis-cli": "", "./usr/share/doc/redis-tools/copyright": "-> ../common/copyright"},
		"fio":         {"./usr/bin/fio": "not dynamic", "./usr/share/doc/fio/copyright": "F"},
		"common":      {"./usr/share/doc/common/copyright": "R"},
		"libc6": {
			lib + "libc.so.6": "libc", "." + loader: "-> " + lib[1:] + "ld.so", lib + "ld.so": "loader",
			lib + "libother.so.1": "", "./usr/share/doc/libc6": "-> libc-all", "./etc/ld.so.conf": "",
		},
		"libc-all":        {"./usr/share/doc/libc-all/copyright": "C"},
		"base-files":      {"./etc/os-release": "-> ../usr/lib/os-release", "./usr/lib/os-release": "Debian", "./usr/share/common-licenses/GPL": "-> GPL-3", "./usr/share/common-licenses/GPL-3": "G", "./usr/share/doc/base-files/copyright": "B"},
		"ca-certificates": {"./usr/share/ca-certificates/mozilla/b.crt": "second", "./usr/share/ca-certificates/mozilla/a.crt": "first\n", "./usr/share/doc/ca-certificates/copyright": "M"},
	}
}

// packagesOf reads archives as those of packages.
func packagesOf(t *testing.T, all map[string]map[string]string) base {
	t.Helper()
	b := base{packaged{map[string]file{}, map[string][]byte{}, triplets[runtime.GOARCH]}, frame(), map[string]bool{}}
	for name, files := range all {
		var data bytes.Buffer
		archive := tar.NewWriter(&data)
		for file, text := range files {
			header := &tar.Header{Name: file, Mode: 0o644, Typeflag: tar.TypeReg, Size: int64(len(text))}
			if target, link := strings.CutPrefix(text, "-> "); link {
				header.Typeflag, header.Linkname, header.Size, text = tar.TypeSymlink, target, 0, ""
			}
			if err := archive.WriteHeader(header); err != nil {
				t.Fatal(err)
			}
			if _, err := archive.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		if err := archive.Close(); err != nil {
			t.Fatal(err)
		}
		b.controls[name] = []byte("Package: " + name + "\n")
		if err := b.readTar(&data, name); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func TestBaseHasWhatProgramsNeed(t *testing.T) {
	b := packagesOf(t, archives(t))
	if err := b.take(); err != nil {
		t.Fatal(err)
	}
	_, loader := shell(t)
	lib := "usr/lib/" + b.triplet + "/"
	want := slices.Concat(slices.Collect(maps.Keys(frame())), []string{
		"usr/bin/pgbench", "usr/lib/postgresql/15/bin/pgbench", "usr/bin/redis-benchmark", "usr/bin/fio", inUsr(loader), lib + "ld.so", lib + "libc.so.6",
		"etc/os-release", "usr/lib/os-release", licences + "GPL", licences + "GPL-3", certificates,
		documents + "postgresql-15/copyright", documents + "redis-tools/copyright", documents + "fio/copyright", documents + "common/copyright", documents + "libc6",
		documents + "libc-all/copyright", documents + "base-files/copyright", documents + "ca-certificates/copyright",
	})
	for _, name := range []string{"postgresql-15", "redis-tools", "fio", "libc6", "libc-all", "base-files", "ca-certificates", "common"} {
		if b.used[name] {
			want = append(want, "var/lib/dpkg/status.d/"+name)
		}
	}
	slices.Sort(want)
	if got := sorted(b.tree); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if text := string(b.tree[certificates].data); text != "first\nsecond\n" {
		t.Errorf("certificates: %q", text)
	}
}

func TestIncompletePackages(t *testing.T) {
	lib := "./lib/" + triplets[runtime.GOARCH] + "/"
	for missing, want := range map[[2]string]string{
		{"postgresql-15", "./usr/lib/postgresql/15/bin/pgbench"}:     "no package has pgbench",
		{"redis-tools", "./usr/bin/redis-benchmark"}:                 "no package has redis-benchmark",
		{"libc6", lib + "libc.so.6"}:                                 "usr/lib/postgresql/15/bin/pgbench needs a library: no package has usr/lib/" + triplets[runtime.GOARCH] + "/libc.so.6",
		{"postgresql-15", "./usr/share/doc/postgresql-15/copyright"}: "no package has usr/share/doc/postgresql-15/copyright",
		{"base-files", "./etc/os-release"}:                           "no package has os-release",
	} {
		all := archives(t)
		delete(all[missing[0]], missing[1])
		if err := packagesOf(t, all).take(); err == nil || err.Error() != want {
			t.Errorf("without %s: %v", missing[1], err)
		}
	}
	all := archives(t)
	delete(all, "ca-certificates")
	if err := packagesOf(t, all).take(); err == nil || err.Error() != "no package has certificates" {
		t.Error(err)
	}
}

func TestAptHasAConfigurationOfItsOwn(t *testing.T) {
	d := debian{t.TempDir(), "arm64", "http://mirror.example"}
	if err := d.configure(); err != nil {
		t.Fatal(err)
	}
	sources, err := os.ReadFile(filepath.Join(d.dir, "sources.list"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(sources)) {
		if !strings.HasPrefix(line, "deb [signed-by="+keyring+"] http://mirror.example/debian") {
			t.Error(line)
		}
	}
}
