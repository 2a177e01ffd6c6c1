package reach

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/klauspost/compress/gzip"

	"plinth/internal/hint"
	"plinth/internal/unit"
)

// architectures are those of releases: the kernel's name and Go's.
var architectures = map[string]string{"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}

// machineName returns the kernel's name of an architecture of Go.
func machineName(architecture string) string {
	switch architecture {
	case "amd64":
		return "x86_64"
	case "arm64":
		return "aarch64"
	}
	return architecture
}

// binary is plinth for one architecture.
type binary struct {
	open func() (io.ReadCloser, error)
	hash string // SHA-256, hexadecimal
	size int64
}

// findBinary returns plinth for the machine at the other end.
func findBinary(name, machine string, o Options) (binary, error) {
	open := func() (io.ReadCloser, error) { return os.Open(o.Self) }
	if architecture := architectures[machine]; architecture != runtime.GOARCH || runtime.GOOS != "linux" {
		if architecture == "" {
			return binary{}, hint.Errorf("plinth is built for x86_64 and aarch64", "%s is %s, and there is no plinth for it", name, machine)
		}
		if o.Agents == "" {
			return binary{}, hint.Errorf("give the directory with the releases of this version: --agents DIR (make release makes them in dist/)",
				"%s is %s, and this plinth is %s", name, machine, machineName(runtime.GOARCH))
		}
		path, err := findRelease(o.Agents, architecture)
		if err != nil {
			return binary{}, fmt.Errorf("%s is %s, and this plinth is %s: %w", name, machine, machineName(runtime.GOARCH), err)
		}
		open = func() (io.ReadCloser, error) { return openRelease(path) }
	}
	return measure(open)
}

// measure reads a binary once, for its hash.
func measure(open func() (io.ReadCloser, error)) (binary, error) {
	file, err := open()
	if err != nil {
		return binary{}, fmt.Errorf("cannot read plinth's binary: %w", err)
	}
	defer file.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	if err != nil {
		return binary{}, fmt.Errorf("cannot read plinth's binary: %w", err)
	}
	return binary{open, hex.EncodeToString(sum.Sum(nil)), size}, nil
}

// findRelease finds the archive of a release, named as make release names it, or the directory into
// which it was unpacked.
func findRelease(dir, architecture string) (string, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", hint.Errorf("give the directory with the releases of this version: --agents DIR", "there is no directory %s", dir)
	}
	var found []string
	for _, pattern := range []string{"plinth-*-linux-" + architecture + ".tar.gz", "plinth-*-linux-" + architecture + "/plinth"} {
		paths, err := filepath.Glob(filepath.Join(escapeGlob(dir), pattern))
		if err != nil {
			return "", err
		}
		found = append(found, paths...)
	}
	switch {
	case len(found) == 0:
		return "", hint.Errorf("make release makes plinth-VERSION-linux-"+architecture+".tar.gz in dist/", "there is no plinth-*-linux-%s.tar.gz in %s", architecture, dir)
	case len(found) > 1 && !sameRelease(found):
		return "", hint.Errorf("leave only the release of this version there", "there are %d releases for linux-%s in %s", len(found), architecture, dir)
	}
	return found[0], nil
}

// sameRelease reports whether the paths are an archive and the directory into which it was unpacked.
func sameRelease(paths []string) bool {
	return len(paths) == 2 && strings.TrimSuffix(paths[0], ".tar.gz") == filepath.Dir(paths[1])
}

// escapeGlob makes the characters of a path that have a meaning in a pattern ordinary ones.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// releaseLimit is the largest binary that is read from an archive.
const releaseLimit = 1 << 30

// openRelease opens the binary of a release.
func openRelease(path string) (io.ReadCloser, error) {
	file, err := os.Open(path)
	if err != nil || !strings.HasSuffix(path, ".tar.gz") {
		return file, err
	}
	defer file.Close()
	archive, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for files := tar.NewReader(archive); ; {
		header, err := files.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%s has no file plinth", path)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case header.Typeflag != tar.TypeReg || filepath.Base(header.Name) != "plinth":
			continue
		case header.Size > releaseLimit:
			return nil, fmt.Errorf("%s has a file of %s", path, unit.Size(header.Size))
		}
		data, err := io.ReadAll(files)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return io.NopCloser(bytes.NewReader(data)), nil
	}
}

// packed returns the bytes to send: compressed, or as they are.
func (b binary) packed(compress bool) ([]byte, error) {
	file, err := b.open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var data bytes.Buffer
	if !compress {
		_, err = io.Copy(&data, file)
		return data.Bytes(), err
	}
	// The fastest level: it halves the time of a copy over a gigabit, and takes a second itself.
	packer, err := gzip.NewWriterLevel(&data, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(packer, file); err != nil {
		return nil, err
	}
	err = packer.Close()
	return data.Bytes(), err
}
