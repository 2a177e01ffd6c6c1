package tune

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"plinth/internal/host"
)

// Machine gives access to the interfaces that tune a kernel: the files of /proc and /sys, and
// mounts. Kernel is the real machine; tests have others.
type Machine interface {
	// Read returns the content of a file without the trailing newline.
	Read(path string) (string, error)
	// Write writes a value in a single write(2), as the kernel requires.
	Write(path, value string) error
	// Writable returns why a file cannot be written; nil if it can. It writes nothing.
	Writable(path string) error
	// Hold writes a value and keeps the file open: some values are in force only while it is.
	Hold(path string, value []byte) (io.Closer, error)
	// Match returns the paths that match a pattern of filepath.Match, in order.
	Match(pattern string) ([]string, error)
	// Boot returns the id of the current boot.
	Boot() string
	// ID returns the machine id; "" if it has none.
	ID() string
	// Mounts returns all mounts, in mount order.
	Mounts() ([]host.Filesystem, error)
	// Remount changes the options of a mount. mount is the complete list of per-mount options
	// ("rw,noatime"); filesystem holds only the changed options of the filesystem.
	Remount(mountPoint string, mount, filesystem []string) error
}

// Kernel is the machine that plinth runs on.
type Kernel struct {
	Root string // where its / is; "" for / itself. With a Root there are no mounts.
}

// at returns a path below Root. It does not clean the path: ".." after a symbolic link in /sys
// leads elsewhere.
func (k Kernel) at(path string) string { return strings.TrimSuffix(k.Root, "/") + path }

// Read returns the content of a file without the trailing newline.
func (k Kernel) Read(path string) (string, error) {
	text, err := os.ReadFile(k.at(path))
	return strings.TrimSuffix(string(text), "\n"), err
}

// Write writes a value in a single write(2), as the kernel requires. It does not create files.
func (k Kernel) Write(path, value string) error {
	f, err := os.OpenFile(k.at(path), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// Writable opens a file for writing. Checking its permissions was rejected: they do not stop
// root, not even for files that cannot be written.
func (k Kernel) Writable(path string) error {
	f, err := os.OpenFile(k.at(path), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// Hold writes a value and keeps the file open.
func (k Kernel) Hold(path string, value []byte) (io.Closer, error) {
	f, err := os.OpenFile(k.at(path), os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(value); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// Match returns the paths that match a pattern, in order.
func (k Kernel) Match(pattern string) ([]string, error) {
	paths, err := filepath.Glob(k.at(pattern))
	if err != nil {
		return nil, fmt.Errorf("cannot look for %s: %w", pattern, err)
	}
	for i, path := range paths {
		paths[i] = strings.TrimPrefix(path, strings.TrimSuffix(k.Root, "/"))
	}
	return paths, nil
}

// Boot returns the id of the current boot.
func (k Kernel) Boot() string {
	if k.Root == "" {
		return host.BootID()
	}
	id, _ := k.Read("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(id)
}

// ID returns the machine id, as in a journal's header.
func (k Kernel) ID() string {
	facts, err := host.ReadFacts()
	if err != nil {
		return ""
	}
	return facts.MachineID
}

// Mounts returns all mounts, in mount order; none below a Root.
func (k Kernel) Mounts() ([]host.Filesystem, error) {
	if k.Root != "" {
		return nil, nil
	}
	return host.Mounts()
}
