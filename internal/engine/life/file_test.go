//go:build linux

package life

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// trap replaces a file with something else.
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
			path := filepath.Join(t.TempDir(), "postgresql.conf")
			victim := filepath.Join(t.TempDir(), "victim")
			must(t, os.WriteFile(victim, []byte("precious"), 0o600))
			trap.set(t, path, victim)
			if err := WriteFile(path, os.O_APPEND, "x", nil, false); err == nil {
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
