package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// flock locks a journal. With LOCK_NB it does not wait, and returns errTaken if another process
// holds the lock.
func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		switch {
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errTaken
		case !errors.Is(err, syscall.EINTR):
			return err
		}
	}
}

var errTaken = errors.New("its process is still running")

// file is an open, locked journal.
type file struct {
	*os.File
	broken error // the file ends with a partial line that could not be removed
}

// add appends one line and returns when it is on disk. A partially written line is removed,
// because nothing may follow a torn line.
func (f *file) add(value any) error {
	if f.broken != nil {
		return f.broken
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		f.broken = errors.Join(f.Truncate(info.Size()), f.Sync())
	}
	return err
}

// isAt reports whether the open file still has its name: a previous holder of the lock may have
// removed it.
func (f *file) isAt() bool {
	ours, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(ours, named)
}

// remove removes the journal while its lock is held, so that no other process takes it for a
// dead process's journal.
func (f *file) remove() error {
	if err := os.Remove(f.Name()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cannot remove the journal: %w", err)
	}
	return syncDir(filepath.Dir(f.Name()))
}

// syncDir makes the creation or removal of a file in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
