package journal

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// On a full disk a line is written partially. It is removed, and the journal can be used again
// once there is space.
func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("needs root")
		}
		t.Skip("needs root")
	}
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	j, err := Open(dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 40<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	noted := 0
	for ; err == nil; noted++ {
		_, err = j.Note("set", strings.Repeat("x", 3000))
	}
	if noted--; noted == 0 {
		t.Fatalf("nothing could be noted: %v", err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Note("set", "after"); err != nil {
		t.Fatal(err)
	}
	_ = j.file.Close() // the crash
	leftovers, err := Leftovers(dir)
	if err != nil || len(leftovers) != 1 || leftovers[0].Damage() != nil {
		t.Fatalf("leftovers %v, %v", leftovers, err)
	}
	if got := len(leftovers[0].Entries()); got != noted+1 {
		t.Errorf("%d changes are left, want %d", got, noted+1)
	}
	_ = leftovers[0].Close()
}
