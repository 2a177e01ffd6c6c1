package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"plinth/internal/hint"
	"plinth/internal/host"
)

// StateDir returns the directory of journals: $PLINTH_STATE, else /var/lib/plinth for root,
// else plinth in $XDG_STATE_HOME (~/.local/state unless set). It is never a temporary
// directory: a journal must survive a reboot.
func StateDir() (string, error) {
	if dir := os.Getenv("PLINTH_STATE"); dir != "" {
		return filepath.Abs(dir)
	}
	if os.Geteuid() == 0 {
		return "/var/lib/plinth", nil
	}
	// The XDG Base Directory Specification says to ignore a relative path.
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "plinth"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", hint.Errorf("set PLINTH_STATE to a directory", "cannot determine where to keep plinth's state: %w", err)
	}
	return filepath.Join(home, ".local", "state", "plinth"), nil
}

// Open creates the journal of this process in stateDir. The label states its purpose, such as a
// record's path.
func Open(stateDir, label string) (*Journal, error) {
	f, err := create(stateDir, label)
	if err != nil {
		return nil, hint.Errorf("make that directory writable, or set PLINTH_STATE to one that is",
			"cannot create a journal in %s: %w", stateDir, err)
	}
	return &Journal{file: f}, nil
}

func create(stateDir, label string) (*file, error) {
	if err := makeDir(stateDir); err != nil {
		return nil, err
	}
	facts, err := host.ReadFacts()
	if err != nil {
		return nil, err
	}
	h := header{Schema: Schema, PID: os.Getpid(), Boot: host.BootID(),
		Machine: facts.MachineID, Started: time.Now().UTC(), Label: label}
	for {
		f, err := createLocked(filepath.Join(stateDir, fileName(label, h.Started)))
		if err != nil {
			return nil, err
		}
		if !f.isAt() {
			// Between creation and locking, another process took the empty file for a dead
			// process's journal and removed it.
			_ = f.Close()
			continue
		}
		if err := f.add(h); err != nil {
			_ = f.remove()
			_ = f.Close()
			return nil, err
		}
		if err := syncDir(stateDir); err != nil {
			_ = f.Close()
			return nil, err
		}
		return f, nil
	}
}

// makeDir makes a directory, with those above it. After a power cut, a journal in it would be gone with an entry that was not
// durable.
func makeDir(dir string) error {
	var missing []string
	for at := filepath.Clean(dir); at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil {
			break
		}
		missing = append(missing, at)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, at := range missing {
		if err := syncDir(filepath.Dir(at)); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

func createLocked(path string) (*file, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(f, syscall.LOCK_EX); err != nil {
		_ = f.Close()
		return nil, err
	}
	return &file{File: f}, nil
}

// suffix ends the name of every journal.
const suffix = ".journal"

// fileName combines the last part of the label, for the reader, with a time and a process ID:
// process IDs alone are reused, in containers always.
func fileName(label string, started time.Time) string {
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, filepath.Base(label))
	name = name[:min(len(name), 100)] // a file name is at most 255 bytes
	return fmt.Sprintf("%s-%s-%d%s", name, started.Format("20060102T150405.000000000Z"), os.Getpid(), suffix)
}
