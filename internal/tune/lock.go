package tune

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"plinth/internal/hint"
)

// Lock is held by the one plinth process that may change this machine. The kernel drops it
// when that process exits for any reason: there are no stale locks.
type Lock struct{ file *os.File }

// holder describes the process that holds a lock, as written in its file.
type holder struct {
	PID     int       `json:"pid"`
	Since   time.Time `json:"since"`
	Command string    `json:"command"`
}

// LockedError reports that another plinth changes this machine.
type LockedError struct {
	PID     int // 0 if not known
	Since   time.Time
	Command string
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return "another plinth is changing this machine"
	}
	return fmt.Sprintf("another plinth is changing this machine: process %d, since %s: %s",
		e.PID, e.Since.Local().Format(time.DateTime), e.Command)
}

// TakeLock takes the lock on changing the machine until Release. what describes the purpose; it
// appears in the *LockedError that other plinth processes get meanwhile.
func TakeLock(stateDir, what string) (*Lock, error) {
	path := filepath.Join(Dir(stateDir), "lock")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, lockError(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, lockError(err)
	}
	if err := flockNow(f); err != nil {
		err = refused(f, err)
		_ = f.Close()
		return nil, err
	}
	text, err := json.Marshal(holder{os.Getpid(), time.Now().UTC(), what})
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt(append(text, '\n'), 0)
	}
	if err != nil {
		_ = f.Close()
		return nil, lockError(err)
	}
	return &Lock{f}, nil
}

// Release lets other plinth processes change the machine. It does not remove the file: if it
// did, two processes could hold a lock, one on the old file and one on the new.
func (l *Lock) Release() error { return errors.Join(l.file.Truncate(0), l.file.Close()) }

func flockNow(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// refused returns an error that says who holds the lock.
func refused(f *os.File, err error) error {
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return lockError(err)
	}
	var h holder
	if text, err := io.ReadAll(io.LimitReader(f, 1<<16)); err == nil {
		_ = json.Unmarshal(text, &h) // the holder may not have written it yet
	}
	return hint.Wrap(&LockedError{h.PID, h.Since, h.Command}, "wait until it is done, or stop it: it then restores what it changed")
}

func lockError(err error) error {
	return hint.Errorf("make that directory writable, or set PLINTH_STATE to one that is", "cannot take the tuning lock: %w", err)
}
