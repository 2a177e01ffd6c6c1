package emulator

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"plinth/internal/host/hosttest"
)

// TestDetach: what another process unmounted in the meantime needs no detaching; a real failure is one.
func TestDetach(t *testing.T) {
	hosttest.NeedRoot(t)
	dir := t.TempDir()
	if err := unix.Mount("plinth-test", dir, "tmpfs", 0, "size=4k"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := detach(dir); err != nil {
			t.Errorf("detach: %v", err)
		}
	}
	if m, err := mountedOn(dir); err != nil || m.Type != "" {
		t.Errorf("mounted: %v, %v", m, err)
	}
	if err := detach(dir + "/missing"); !errors.Is(err, unix.ENOENT) {
		t.Errorf("a missing directory: %v", err)
	}
}
