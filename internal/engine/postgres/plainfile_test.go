//go:build linux

package postgres

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// trap puts something else in the place of a file.
type trap struct {
	name string
	set  func(t *testing.T, path, victim string)
}

var traps = []trap{
	{"hard link", func(t *testing.T, path, victim string) { must(t, os.Link(victim, path)) }},
	{"symbolic link", func(t *testing.T, path, victim string) { must(t, os.Symlink(victim, path)) }},
	{"FIFO", func(t *testing.T, path, _ string) { must(t, syscall.Mkfifo(path, 0o666)) }},
}

func TestOnlyItsOwnFileIsWritten(t *testing.T) {
	for _, trap := range traps {
		t.Run(trap.name, func(t *testing.T) {
			config := ownConfig(t, Programs{})
			own := newServer(t, config)
			victim := filepath.Join(filepath.Dir(config.DataDir), "victim")
			must(t, os.WriteFile(victim, []byte("precious"), 0o600))
			trap.set(t, filepath.Join(config.DataDir, "postgresql.conf"), victim)
			if err := own.write("postgresql.conf", os.O_APPEND, "x"); err == nil {
				t.Error("it is written to")
			}
			text, err := os.ReadFile(victim)
			must(t, err)
			info, err := os.Stat(victim)
			must(t, err)
			if stat := info.Sys().(*syscall.Stat_t); string(text) != "precious" || int(stat.Uid) != os.Geteuid() {
				t.Errorf("the other file has an owner %d and %q", stat.Uid, text)
			}
		})
	}
}

// TestLockFileOfAStranger: the data directory belongs to a user who may put
// anything there. Nothing hangs, and nothing elsewhere is removed.
func TestLockFileOfAStranger(t *testing.T) {
	for _, trap := range traps[1:] {
		t.Run(trap.name, func(t *testing.T) {
			dir := testDir(t)
			victim := filepath.Join(filepath.Dir(dir), "victim")
			must(t, os.WriteFile(victim, []byte("1\n"), 0o600))
			trap.set(t, filepath.Join(dir, lockFileName), victim)
			done := make(chan error, 1)
			go func() { done <- clearLeftovers(t.Context(), dir, "") }()
			select {
			case err := <-done:
				if err == nil {
					t.Error("it is taken for a lock file")
				}
			case <-time.After(patience):
				t.Fatal("it hangs")
			}
		})
	}

	control := filepath.Join(sharedDir, "PostgreSQL.4294967295") // a number that PostgreSQL gives none
	must(t, syscall.Mkfifo(control, 0o600))
	defer func() { _ = os.Remove(control) }()
	if paths := dynamicSegments(4294967295); paths != nil {
		t.Errorf("a FIFO leads to %v", paths)
	}

	dir, others, own := testDir(t), testDir(t), testDir(t)
	for _, sockets := range []string{others, own} {
		must(t, os.WriteFile(filepath.Join(sockets, ".s.PGSQL.5432"), nil, 0o600))
		must(t, os.WriteFile(filepath.Join(sockets, ".s.PGSQL.5432.lock"), []byte("4194999\n"), 0o600))
	}
	for _, sockets := range []string{others, own} {
		lock := "4194999\n" + dir + "\n1\n5432\n" + sockets + "\n\n"
		must(t, os.WriteFile(filepath.Join(dir, lockFileName), []byte(lock), 0o600))
		must(t, clearLeftovers(t.Context(), dir, own))
	}
	for sockets, want := range map[string]int{others: 2, own: 0} {
		if left, err := os.ReadDir(sockets); err != nil || len(left) != want {
			t.Errorf("%d files are left of 2, want %d: %v", len(left), want, err)
		}
	}
}
