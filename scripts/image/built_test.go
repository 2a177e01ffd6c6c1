package main

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// built returns the image of an architecture that make image has made.
func built(t *testing.T, arch string) v1.Image {
	t.Helper()
	found, err := filepath.Glob("../../dist/image/plinth-*-" + arch + ".tar")
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Skip("make image has made none for " + arch)
	}
	image, err := tarball.ImageFromPath(found[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	checkConfig(t, image, arch)
	return image
}

// each calls f with every file of an image.
func each(t *testing.T, image v1.Image, f func(*tar.Header, io.Reader)) {
	t.Helper()
	files := mutate.Extract(image)
	defer func() { _ = files.Close() }()
	for archive := tar.NewReader(files); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		f(header, archive)
	}
}

func TestFilesOfTheImage(t *testing.T) {
	unwanted := regexp.MustCompile(`^usr/share/(man|locale|info)/|^usr/share/doc/.*/changelog|/bin/(postgres|initdb|sh|bash|dpkg|apt)$`)
	for arch := range triplets {
		t.Run(arch, func(t *testing.T) {
			modes := map[string]string{}
			each(t, built(t, arch), func(h *tar.Header, _ io.Reader) {
				name := strings.TrimSuffix(h.Name, "/")
				modes[name] = h.FileInfo().Mode().String()
				switch mode := h.FileInfo().Mode(); {
				case unwanted.MatchString(name):
					t.Errorf("%s is there", name)
				case mode&(os.ModeSetuid|os.ModeSetgid) != 0:
					t.Errorf("%s has mode %s", name, mode)
				case mode.IsRegular() && mode&0o022 != 0:
					t.Errorf("%s can be changed by others: %s", name, mode)
				case h.ModTime.Unix() != 0 || h.Uname != "" || h.Gname != "":
					t.Errorf("%s depends on the machine: %s, %s, %s", name, h.ModTime, h.Uname, h.Gname)
				}
			})
			for name, mode := range map[string]string{
				"usr/bin/plinth": "-rwxr-xr-x", "usr/lib/postgresql/15/bin/pgbench": "-rwxr-xr-x", "usr/bin/pgbench": "Lrwxrwxrwx",
				"usr/bin/redis-benchmark": "-rwxr-xr-x", "usr/bin/fio": "-rwxr-xr-x", certificates: "-rw-r--r--", "tmp": "dtrwxrwxrwx", "home/plinth": "drwx------",
				"usr/share/doc/libpq5/copyright": "-rw-r--r--", "var/lib/dpkg/status.d/libssl3": "-rw-r--r--",
			} {
				if modes[name] != mode {
					t.Errorf("%s: mode %q, want %s", name, modes[name], mode)
				}
			}
		})
	}
}

// The programs of the image run, without anything else of this machine, as the user of the image.
func TestProgramsOfTheImage(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, for chroot")
	}
	image, root := built(t, runtime.GOARCH), t.TempDir()
	if err := os.Chmod(filepath.Dir(root), 0o755); err != nil { // the user of the image passes it
		t.Fatal(err)
	}
	unpack(t, image, root)
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"/usr/bin/plinth --version":          config.Config.Labels["org.opencontainers.image.version"],
		"/usr/bin/pgbench --version":         "pgbench (PostgreSQL) 15.",
		"/usr/bin/redis-benchmark --version": "redis-benchmark 7.",
		"/usr/bin/fio --version":             "fio-3.",
	} {
		words := strings.Fields(command)
		out, err := (&exec.Cmd{
			Path: words[0], Args: words, Dir: config.Config.WorkingDir, Env: config.Config.Env,
			SysProcAttr: &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}},
		}).CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %q, %v; want %s", command, out, err, want)
		}
	}
}

func unpack(t *testing.T, image v1.Image, into string) {
	t.Helper()
	root, err := os.OpenRoot(into)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	each(t, image, func(h *tar.Header, in io.Reader) {
		switch h.Typeflag {
		case tar.TypeDir:
			err = errors.Join(root.MkdirAll(strings.TrimSuffix(h.Name, "/"), 0o755), root.Chown(h.Name, h.Uid, h.Gid), root.Chmod(h.Name, h.FileInfo().Mode()))
		case tar.TypeSymlink:
			err = root.Symlink(h.Linkname, h.Name)
		case tar.TypeReg:
			err = write(root, h, in)
		}
		if err != nil {
			t.Fatalf("%s: %v", h.Name, err)
		}
	})
}

func write(root *os.Root, h *tar.Header, in io.Reader) error {
	file, err := root.OpenFile(h.Name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, h.FileInfo().Mode())
	if err != nil {
		return err
	}
	_, err = io.Copy(file, in)
	return errors.Join(err, file.Close())
}
