package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plinth/internal/hint"
)

// TestLock checks that the second plinth learns who holds the lock, and that nothing is left of it.
func TestLock(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	path := ExperimentLock(dir)
	first, err := TakeLock(path, "the experiment results/wal-device", "alice@laptop")
	if err != nil {
		t.Fatal(err)
	}
	_, err = TakeLock(path, "plinth tune apply", "bob@laptop")
	var locked *LockedError
	if !errors.As(err, &locked) || locked.Holder.PID != os.Getpid() || time.Since(locked.Holder.Since) > time.Minute {
		t.Fatalf("%v", err)
	}
	if !strings.HasPrefix(err.Error(), "this machine is in use by the experiment results/wal-device (PID ") ||
		!strings.Contains(err.Error(), ", started by alice@laptop) since 2") || hint.Of(err) == "" {
		t.Error(err, hint.Of(err))
	}
	if _, err := Leftovers(dir); err != nil {
		t.Error(err)
	}
	if _, err := TakeLock(path, "", ""); !errors.As(err, &locked) {
		t.Errorf("the search for leftovers removed a lock that is held: %v", err)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestLockOfTheDead checks that the lock of a dead process counts for nothing, and is removed.
func TestLockOfTheDead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dead := func() {
		if err := os.WriteFile(ExperimentLock(dir), []byte(`{"pid":1,"for":"x"}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dead()
	l, err := TakeLock(ExperimentLock(dir), "y", Starter())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
	dead()
	if _, err := Leftovers(dir); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

func TestLockFails(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := TakeLock(ExperimentLock(file), "x", "y"); err == nil || !strings.Contains(hint.Of(err), "PLINTH_STATE") {
		t.Error(err)
	}
}
