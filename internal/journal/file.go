package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// flock takes the lock of a journal; with LOCK_NB it does not wait, and fails
// with errTaken when another plinth has it.
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

var errTaken = errors.New("its owner lives")

// file is a journal that is open and locked.
type file struct {
	*os.File
	broken error // the file ends in a part of a line, which could not be taken back
}

// add appends one line and returns when it is on disk. A line that could not be
// written whole is taken back, because nothing may follow a torn line.
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

// isAt says whether the file is still the one with its name: whoever held the
// lock before may have removed it.
func (f *file) isAt() bool {
	ours, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(ours, named)
}

// remove removes the journal. Its lock is held, so that nobody takes it for that
// of a dead plinth in between.
func (f *file) remove() error {
	if err := os.Remove(f.Name()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cannot remove the journal: %w", err)
	}
	return syncDir(filepath.Dir(f.Name()))
}

// syncDir makes a file's coming or going in dir last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
