//go:build linux

package kernel

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"testing/fstest"

	"plinth/internal/host/hosttest"
)

// captured returns the captured machines as directories that hold the files the kernel's
// sources read. They are created once, and only read.
var captured = sync.OnceValues(func() (dirs map[string]string, err error) {
	dir, err := os.MkdirTemp("", "plinth-kernel-")
	return map[string]string{"": dir}, err
})

// everyRoot runs a test for each captured machine, at both moments, and for a copy of this
// one, so that all parsers see the same bytes.
func everyRoot(t *testing.T, test func(t *testing.T, root string)) {
	dirs, err := captured()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range hosttest.Names(t) {
		for _, moment := range []string{"/first", "/later"} {
			root := filepath.Join(dirs[""], name+moment)
			if dirs[name] == "" {
				first, later := hosttest.Machine(t, name)
				unpack(t, first, filepath.Join(dirs[""], name, "first"))
				unpack(t, later, filepath.Join(dirs[""], name, "later"))
				dirs[name] = root
			}
			t.Run(name+moment, func(t *testing.T) { test(t, root) })
		}
	}
	if dirs["live"] == "" {
		dirs["live"] = filepath.Join(dirs[""], "live")
		copyMachine(t, dirs["live"])
	}
	t.Run("live", func(t *testing.T) { test(t, dirs["live"]) })
}

// unpack writes the files that sources read to a directory: a whole machine is thousands of
// files.
func unpack(t testing.TB, machine fstest.MapFS, dir string) {
	t.Helper()
	for name, file := range machine {
		if !readByUs.MatchString(name) {
			continue
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		switch file.Mode.Type() {
		case fs.ModeDir:
			err = os.MkdirAll(to, 0o755)
		case fs.ModeSymlink:
			err = os.Symlink(string(file.Data), to)
		default:
			put(t, dir, name, string(file.Data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

var readByUs = regexp.MustCompile(`^(proc|run)/|^sys/(fs/cgroup|devices/system/(node|cpu/cpu[0-9]+/cpufreq)|block|dev/block)/|/block/.*/(slaves|loop)/`)

// copied are the files of this machine that are copied, where they exist.
var copied = []string{
	"proc/stat", "proc/schedstat", "proc/meminfo", "proc/vmstat", "proc/diskstats", "proc/net/dev", "proc/pressure/*",
	"proc/self/cgroup", "proc/self/stat", "proc/self/io", "proc/self/statm", "proc/self/schedstat",
	"sys/devices/system/node/node*/numastat", "sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq",
}

func copyMachine(t testing.TB, to string) {
	t.Helper()
	for _, pattern := range copied {
		names, err := filepath.Glob("/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			put(t, to, name, string(text))
		}
	}
	if err := os.Symlink("self", filepath.Join(to, "proc", strconv.Itoa(os.Getpid()))); err != nil {
		t.Fatal(err)
	}
}

// put writes a file below a root in place: an open descriptor reads the new text.
func put(t testing.TB, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
