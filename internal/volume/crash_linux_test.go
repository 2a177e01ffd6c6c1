package volume

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"plinth/internal/host"
	"plinth/internal/host/hosttest"
	"plinth/internal/journal"
)

// TestCrashWhileMaking checks that a directory is recognised as ours after a crash at any step of
// its creation.
func TestCrashWhileMaking(t *testing.T) {
	id := "ABCDEFGHIJ"
	for name, prepare := range map[string]func(dir string) error{
		"nothing was made": func(string) error { return nil },
		"no marker yet":    func(dir string) error { return os.Mkdir(dir, 0o755) },
		"a torn marker": func(dir string) error {
			if err := os.Mkdir(dir, 0o755); err != nil {
				return err
			}
			return os.WriteFile(dir+"/"+markerName, []byte(id[:4]), 0o644)
		},
	} {
		dir := filepath.Join(hosttest.OpenDir(t), "x")
		if err := prepare(dir); err != nil {
			t.Fatal(err)
		}
		noted := directory{Path: dir, ID: id}
		for range 2 {
			if err := noted.undo(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := os.Lstat(dir); !os.IsNotExist(err) {
			t.Errorf("%s: it is left: %v", name, err)
		}
	}
}

// TestKilledWhileMaking kills a plinth that creates volumes, in a directory closed to other users
// if it is root, and undoes what its journal names.
func TestKilledWhileMaking(t *testing.T) {
	state, parent := t.TempDir(), hosttest.OpenDir(t)
	if os.Geteuid() == 0 {
		if err := os.Chmod(parent, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	before := mountsAndRunDir(t)
	for round := range 8 {
		command := exec.Command(os.Args[0])
		command.Env = append(os.Environ(),
			"PLINTH_TEST_STATE="+state, "PLINTH_TEST_PARENT="+parent, "PLINTH_TEST_RUN_DIR="+runDir)
		out, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range round + 1 {
			if !lines.Scan() || lines.Text() != "made" {
				t.Fatalf("the helper says %q", lines.Text())
			}
		}
		_ = command.Process.Kill()
		_ = command.Wait()
		leftovers, err := journal.Leftovers(state)
		if err != nil || len(leftovers) != 1 {
			t.Fatalf("leftovers: %v, %v", leftovers, err)
		}
		if err := leftovers[0].PutBack(t.Context(), Undoers()); err != nil {
			t.Fatal(err)
		}
		_ = leftovers[0].Close()
		if left, _ := os.ReadDir(parent); len(left) != 0 {
			t.Fatalf("left behind: %v", left)
		}
		if after := mountsAndRunDir(t); after != before {
			t.Fatalf("mounts or %s: before\n%s\nafter\n%s", runDir, before, after)
		}
	}
}

func mountsAndRunDir(t *testing.T) string {
	t.Helper()
	mounts, err := host.MountsBelow(runDir)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(runDir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return fmt.Sprint(mounts, entries)
}
