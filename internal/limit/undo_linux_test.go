package limit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// writeGroup writes the files of a control group in a directory of the test.
func writeGroup(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUserOf: a group uses a controller if it has a limit or a weight of it, or enables it for its own children.
func TestUserOf(t *testing.T) {
	t.Parallel()
	usual := map[string]string{
		"cgroup.subtree_control": "", "cpu.max": "max 100000", "cpu.weight": "100", "cpu.idle": "0",
		"memory.max": "max", "memory.high": "max", "memory.low": "0", "memory.min": "0", "memory.swap.max": "max",
	}
	for name, c := range map[string]struct {
		file, value, controller string
		uses                    bool
	}{
		"nothing":   {"cpu.weight", "100", cpuController, false},
		"a weight":  {"cpu.weight", "512", cpuController, true},
		"idle":      {"cpu.idle", "1", cpuController, true},
		"high":      {"memory.high", "1073741824", memoryController, true},
		"low":       {"memory.low", "1073741824", memoryController, true},
		"children":  {"cgroup.subtree_control", "cpu memory", memoryController, true},
		"of others": {"cpu.weight", "512", memoryController, false},
	} {
		dir := t.TempDir()
		below := filepath.Join(dir, "container")
		writeGroup(t, below, usual)
		writeGroup(t, below, map[string]string{c.file: c.value})
		if user := userOf(dir, c.controller); (user == below) != c.uses {
			t.Errorf("%s: used by %q", name, user)
		}
	}
}

// TestControllersOfAnotherBoot: control groups do not survive a boot, so that what is enabled now was enabled by others.
func TestControllersOfAnotherBoot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeGroup(t, dir, map[string]string{"cgroup.subtree_control": "cpu"})
	args, err := json.Marshal(enabling{dir, []string{cpuController}, "another"})
	if err != nil {
		t.Fatal(err)
	}
	if err := undoControllers(t.Context(), args); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control")); err != nil || string(text) != "cpu\n" {
		t.Errorf("it is %q, %v", text, err)
	}
}
