package hosttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// LoopDevice attaches a file to a loop device until the test ends, and returns its name:
// "loop3". The kernel keeps the queue's settings for the next file that any process attaches,
// so they are restored.
func LoopDevice(t testing.TB, file string) string {
	t.Helper()
	out, err := exec.Command("losetup", "--find", "--show", file).CombinedOutput()
	if err != nil {
		t.Fatalf("losetup: %v: %s", err, out)
	}
	device := strings.TrimSpace(string(out))
	before := queue(device)
	t.Cleanup(func() {
		// Twice: changing one may change another.
		for range 2 {
			putBack(before)
		}
		if out, err := exec.Command("losetup", "--detach", device).CombinedOutput(); err != nil {
			t.Errorf("losetup: %v: %s", err, out)
		}
	})
	return filepath.Base(device)
}

// KernelLog returns the last twenty lines of the kernel's log that contain the device's name,
// including lines of "loop12" for "loop1".
func KernelLog(device string) string {
	log := make([]byte, 1<<20)
	n, err := unix.Klogctl(unix.SYSLOG_ACTION_READ_ALL, log)
	if err != nil {
		return "cannot be read: " + err.Error()
	}
	var lines []string
	for line := range strings.Lines(string(log[:n])) {
		if strings.Contains(line, filepath.Base(device)) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-20):], "")
}

// setting is a file of a queue and its value.
type setting struct{ path, value string }

// queue returns the writable files of a disk's queue. The scheduler comes first, because
// changing it changes others.
func queue(device string) []setting {
	files, _ := filepath.Glob(filepath.Join("/sys/block", filepath.Base(device), "queue", "*"))
	slices.SortStableFunc(files, func(a, b string) int {
		first := func(path string) int {
			if filepath.Base(path) == "scheduler" {
				return 0
			}
			return 1
		}
		return first(a) - first(b)
	})
	var all []setting
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm()&0o200 == 0 {
			continue
		}
		if text, err := os.ReadFile(path); err == nil {
			all = append(all, setting{path, chosen(strings.TrimSpace(string(text)))})
		}
	}
	return all
}

// chosen returns the value in brackets if a file lists all that are possible.
func chosen(text string) string {
	if _, rest, found := strings.Cut(text, "["); found {
		text, _, _ = strings.Cut(rest, "]")
	}
	return text
}

func putBack(settings []setting) {
	for _, s := range settings {
		if text, err := os.ReadFile(s.path); err == nil && chosen(strings.TrimSpace(string(text))) != s.value {
			_ = os.WriteFile(s.path, []byte(s.value), 0) // some reject their previous value
		}
	}
}
