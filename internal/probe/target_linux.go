package probe

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
	"plinth/internal/unit"
)

// lookAtDevice examines a block device. Without Erase nothing is ever written to it.
func lookAtDevice(path string, info fs.FileInfo, o Options) (Target, error) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Target{}, errors.New("its device number is unknown")
	}
	number := fmt.Sprintf("%d:%d", unix.Major(stat.Rdev), unix.Minor(stat.Rdev))
	link, err := os.Readlink("/sys/dev/block/" + number)
	if err != nil {
		return Target{}, fmt.Errorf("it is not listed in /sys: %w", err)
	}
	t := Target{Path: path, Raw: true, ReadOnly: !o.Erase, Device: filepath.Base(link)}
	sectors, err := strconv.ParseInt(word("/sys/class/block/"+t.Device+"/size"), 10, 64)
	if err != nil || sectors <= 0 {
		return Target{}, errors.New("it has no medium")
	}
	t.Disks = []string{t.Device}
	t.whole = unit.Size(sectors * 512)
	t.Size = min(o.FileSize(), t.whole)
	if t.Size < LeastSize {
		return Target{}, fmt.Errorf("its size is only %s, and a probe needs %s", t.whole, LeastSize)
	}
	return t, readable(path)
}

func readable(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return hint.Errorf("run plinth as root, or probe a directory on it", "no permission to read it")
	}
	if err != nil {
		return errors.Unwrap(err)
	}
	return f.Close()
}

// claim opens a block device exclusively, so that it cannot be mounted while it is being erased.
// The kernel refuses that for a device that is mounted, used for swap, or part of an array,
// partitions included.
func claim(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_EXCL, 0)
	switch {
	case errors.Is(err, unix.EBUSY):
		return nil, hint.Errorf("unmount it, or remove it from the array or volume group that uses it", "cannot erase %s: it is in use", path)
	case err != nil:
		return nil, fmt.Errorf("cannot erase %s: %w", path, errors.Unwrap(err))
	}
	return f, nil
}

// takesDirect reports whether a file or device supports direct I/O, bypassing the page cache.
func takesDirect(path string) bool {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	// Direct I/O needs page-aligned memory.
	memory, err := unix.Mmap(-1, 0, int(page), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Munmap(memory) }()
	_, err = unix.Pread(fd, memory, 0)
	return err == nil
}
