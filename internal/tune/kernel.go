package tune

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"plinth/internal/host"
)

// Machine is the door to what a kernel is tuned by: the files of /proc and /sys, and
// its mounts. Kernel is the real one; tests have others.
type Machine interface {
	// Read is the content of a file without the newline at its end.
	Read(path string) (string, error)
	// Write writes a value by one write(2), as the kernel wants it.
	Write(path, value string) error
	// Writable is why a file could not be written; nothing is written.
	Writable(path string) error
	// Hold writes a value and keeps the file open: some values are in force only so long.
	Hold(path string, value []byte) (io.Closer, error)
	// Match are the paths that a pattern of filepath.Match stands for, in order.
	Match(pattern string) ([]string, error)
	// Boot is the id of this boot.
	Boot() string
	// ID is that of the machine, "" where it has none.
	ID() string
	// Mounts are all mounts, in the order in which they were made.
	Mounts() ([]host.Filesystem, error)
	// Remount changes the options of a mount: those of the mount itself are all that it
	// is to have ("rw,noatime"), those of its filesystem only what is to change.
	Remount(mountPoint string, mount, filesystem []string) error
}

// Kernel is the machine that plinth runs on.
type Kernel struct {
	Root string // where its / is; "" for / itself. Mounts are those of this machine only.
}

// at is a path below Root. It is not cleaned: ".." after a link of /sys is another
// directory than it looks.
func (k Kernel) at(path string) string { return strings.TrimSuffix(k.Root, "/") + path }

// Read is the content of a file without the newline at its end.
func (k Kernel) Read(path string) (string, error) {
	text, err := os.ReadFile(k.at(path))
	return strings.TrimSuffix(string(text), "\n"), err
}

// Write writes a value by one write(2), as the kernel wants it. A file that is not
// there is not made.
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

// Writable opens a file as a write would. Asking for its permissions was rejected:
// root has all of them, also on files that nobody can write.
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

// Match are the paths that a pattern stands for, in order.
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

// Boot is the id of this boot.
func (k Kernel) Boot() string {
	if k.Root == "" {
		return host.BootID()
	}
	id, _ := k.Read("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(id)
}

// ID is that of the machine, as a journal's header has it.
func (k Kernel) ID() string {
	facts, err := host.ReadFacts()
	if err != nil {
		return ""
	}
	return facts.MachineID
}

// Mounts are all mounts, in the order in which they were made; none below a Root.
func (k Kernel) Mounts() ([]host.Filesystem, error) {
	if k.Root != "" {
		return nil, nil
	}
	return host.Mounts()
}
