package journal

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"syscall"
	"time"

	"plinth/internal/hint"
	"plinth/internal/host"
)

// Lock is held by one plinth process at a time. The kernel drops it when that process exits for any
// reason: the file of a dead holder locks nothing.
type Lock struct{ file file }

// Holder describes the process that holds a lock, as written in its file.
type Holder struct {
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
	For   string    `json:"for"` // "plinth tune apply oltp"
	By    string    `json:"by"`  // as Starter returns it
}

// LockedError reports that another plinth uses this machine.
type LockedError struct{ Holder Holder } // empty if not known

func (e *LockedError) Error() string {
	h := e.Holder
	if h.PID == 0 {
		return "this machine is in use by another plinth"
	}
	return fmt.Sprintf("this machine is in use by %s (PID %d, started by %s) since %s", h.For, h.PID, h.By, h.Since.Local().Format(time.DateTime))
}

// Starter returns who starts plinth and where: "alice@laptop".
func Starter() string {
	name := os.Getenv("SUDO_USER")
	if me, err := user.Current(); name == "" && err == nil {
		name = me.Username
	}
	machine, err := os.Hostname()
	if err != nil {
		machine = "an unknown machine"
	}
	return cmp.Or(name, fmt.Sprintf("user %d", os.Getuid())) + "@" + machine
}

// lockSuffix ends the name of every lock.
const lockSuffix = ".lock"

// ExperimentLock returns the path of the lock that an experiment holds on this machine. Machines that
// share a state directory, on NFS for example, have a lock each.
func ExperimentLock(stateDir string) string {
	return filepath.Join(stateDir, cmp.Or(host.BootID(), "experiment")+lockSuffix)
}

// TakeLock takes a lock until Release. If another process holds it, the error is a *LockedError, which
// says who. For and by describe the new holder.
func TakeLock(path, purpose, by string) (*Lock, error) {
	l, err := takeLock(path, Holder{os.Getpid(), time.Now().UTC(), purpose, by})
	if err == nil || errors.As(err, new(*LockedError)) {
		return l, err
	}
	return nil, hint.Errorf("make that directory writable, or set PLINTH_STATE to one that is", "cannot take a lock: %w", err)
}

func takeLock(path string, h Holder) (*Lock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	for {
		l, err := openLock(path, os.O_CREATE)
		if err != nil {
			return nil, err
		}
		if !l.file.isAt() { // its last holder has just removed it
			_ = l.file.Close()
			continue
		}
		if err = l.file.Truncate(0); err == nil {
			_, err = l.file.WriteAt(append(text, '\n'), 0)
		}
		if err != nil {
			return nil, errors.Join(err, l.Release())
		}
		return l, nil
	}
}

// openLock opens and locks a file, or returns a *LockedError.
func openLock(path string, flags int) (*Lock, error) {
	f, err := os.OpenFile(path, flags|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	err = flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return &Lock{file{File: f}}, nil
	}
	defer func() { _ = f.Close() }()
	if !errors.Is(err, errTaken) {
		return nil, err
	}
	locked := &LockedError{}
	if text, err := io.ReadAll(io.LimitReader(f, 1<<16)); err == nil {
		_ = json.Unmarshal(text, &locked.Holder) // the holder may not have written it yet
	}
	return nil, hint.Wrap(locked, "wait until it is done, or stop it: it then restores what it changed")
}

// Release lets another process take the lock. It removes the file while the lock is held; a process
// that has opened the file before notices that it is gone.
func (l *Lock) Release() error { return errors.Join(l.file.remove(), l.file.Close()) }

// dropLock removes the lock of a dead process.
func dropLock(path string) error {
	l, err := openLock(path, 0)
	switch {
	case errors.As(err, new(*LockedError)), errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("cannot remove a lock that a crash left behind: %w", err)
	case !l.file.isAt():
		return l.file.Close()
	}
	return l.Release()
}
