package neighbour

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/unit"
)

// mostSize is the maximum size of the file, which also never exceeds an eighth of the free
// space. Tests, which do not measure the disk, reduce it.
var mostSize = 256 * unit.MiB

// leastSize is the minimum size of the file: a smaller one would cover only one spot of the
// disk.
const leastSize = 1 * unit.MiB

// file is the file that a load reads and writes.
type file struct {
	*os.File
	direct bool
	size   int64
}

// makeFile creates a file of a size that fits, filled with incompressible data. It is
// unlinked immediately, so that it disappears however this process ends.
func makeFile(dir string) (*file, error) {
	free, err := host.FreeSpace(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot determine the free space in %s: %w", dir, err)
	}
	size := min(int64(mostSize), free/8)
	size -= size % int64(blockSize)
	if size < int64(leastSize) {
		return nil, hint.Errorf("free some space, or give the load another volume",
			"no space for its file: %v is free in %s", unit.Size(free), dir)
	}
	path := filepath.Join(dir, processName+"-"+rand.Text())
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	f.size = size
	if err := f.fill(); err != nil {
		return nil, fmt.Errorf("cannot write its file in %s: %w", dir, err)
	}
	return f, nil
}

// openFile opens the file with direct I/O if the filesystem supports it: some refuse at
// open, others at the first write.
func openFile(path string) (*file, error) {
	f, err := tryFile(path, true)
	if errors.Is(err, unix.EINVAL) {
		f, err = tryFile(path, false)
	}
	if errors.Is(err, fs.ErrPermission) {
		err = hint.Wrap(err, "start plinth as root, or as the owner of the directory")
	}
	return f, err
}

func tryFile(path string, direct bool) (*file, error) {
	flags := os.O_RDWR | os.O_CREATE | os.O_EXCL
	if direct {
		flags |= unix.O_DIRECT
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if errors.Is(err, unix.EINVAL) {
		_ = os.Remove(path) // it was created, but could not be opened
	}
	if err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	block, err := newBlock()
	if err == nil {
		_, err = f.WriteAt(block, 0)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &file{File: f, direct: direct}, nil
}

// newBlock returns a block of noise, aligned to a page as direct I/O requires.
func newBlock() ([]byte, error) {
	block, err := unix.Mmap(-1, 0, int(blockSize), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	_, err = rand.Read(block)
	return block, err
}

// fill writes the whole file once.
func (f *file) fill() error {
	block, err := newBlock()
	if err != nil {
		return err
	}
	for at := int64(0); at < f.size; at += int64(len(block)) {
		if _, err := f.WriteAt(block, at); err != nil {
			return err
		}
	}
	return f.Sync()
}

// writeBlock writes a block through to the disk.
func (f *file) writeBlock(block []byte, at int64) error {
	if _, err := f.WriteAt(block, at); err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	if f.direct {
		return nil
	}
	if err := unix.Fdatasync(int(f.Fd())); err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	return nil
}

// readBlock reads a block from the disk.
func (f *file) readBlock(block []byte, at int64) error {
	if !f.direct {
		_ = unix.Fadvise(int(f.Fd()), at, int64(len(block)), unix.FADV_DONTNEED) // it is advice
	}
	if _, err := f.ReadAt(block, at); err != nil {
		return fmt.Errorf("cannot read: %w", err)
	}
	return nil
}
