package launch

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"plinth/internal/host"
)

func TestServerUser(t *testing.T) {
	otherUser(t)
	usual, err := serverUser("", "")
	if err != nil || usual.Name != "postgres" && usual.Name != "nobody" {
		t.Fatalf("%+v, %v", usual, err)
	}
	for _, tc := range []struct {
		sudoUID, sudoGID string
		name             string
		uid              int
	}{
		{"", "", usual.Name, usual.UID},
		{"0", "0", usual.Name, usual.UID}, // root's own sudo
		{"65534", "65534", "nobody", 65534},
		{"54321", "54322", "uid 54321", 54321}, // an account that is unknown here
		{"x", "", usual.Name, usual.UID},
	} {
		u, err := serverUser(tc.sudoUID, tc.sudoGID)
		if err != nil {
			t.Fatal(err)
		}
		if u.Name != tc.name || u.UID != tc.uid || u.UID == 0 || u.GID == 0 {
			t.Errorf("SUDO_UID=%q: %+v, want %s", tc.sudoUID, u, tc.name)
		}
	}
}

func TestCanEnter(t *testing.T) {
	user := otherUser(t)
	base, err := os.MkdirTemp("/var/tmp", "plinth-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	inner := filepath.Join(base, "a", "b")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	mode := func(path string, m os.FileMode) {
		if err := os.Chmod(path, m); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		closed   string // the closed directory
		blocking string
	}{{"", ""}, {base, base}, {filepath.Join(base, "a"), filepath.Join(base, "a")}, {inner, inner}} {
		for _, path := range []string{base, filepath.Join(base, "a"), inner} {
			mode(path, 0o711)
		}
		if tc.closed != "" {
			mode(tc.closed, 0o700)
		}
		ok, blocking := user.CanEnter(inner)
		if ok != (tc.blocking == "") || blocking != tc.blocking {
			t.Errorf("%q closed: %v, %q; want %q", tc.closed, ok, blocking, tc.blocking)
		}
		if ok, blocking := (*User)(nil).CanEnter(inner); !ok {
			t.Errorf("root may not enter %s", blocking)
		}
	}
	if os.Geteuid() != 0 {
		t.Error("the trial changed this process")
	}
	if _, err := os.ReadDir(base); err != nil {
		t.Errorf("the trial changed this process: %v", err)
	}
}

func TestClocks(t *testing.T) {
	began, before, cpu := time.Now(), host.ClockOffset(), host.CPUTime()
	for sum := 0; host.CPUTime() == cpu; sum++ { // it grows with work
	}
	// Each offset is read between two readings of a clock, so its error is less than the time
	// between them.
	if step, took := (host.ClockOffset() - before).Abs(), time.Since(began); step > took {
		t.Errorf("the clock was stepped by %v within %v", step, took)
	}
	if first, second := host.BootID(), host.BootID(); first == "" || first != second {
		t.Errorf("boot ids are %q and %q", first, second)
	}
}
