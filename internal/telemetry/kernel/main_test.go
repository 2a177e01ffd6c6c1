//go:build linux

package kernel

import (
	"os"
	"testing"

	"plinth/internal/host/launch"
)

// TestMain lets this test binary be a guard, or a program that is watched
// (helper_test.go).
func TestMain(m *testing.M) {
	launch.GuardMain()
	if helper := os.Getenv("PLINTH_TEST_HELPER"); helper != "" {
		helpers[helper]()
		os.Exit(0)
	}
	// Captured machines are thousands of small files: in memory, a busy disk does not
	// delay them.
	if _, err := os.Stat("/dev/shm"); err == nil {
		_ = os.Setenv("TMPDIR", "/dev/shm")
	}
	code := m.Run()
	if dirs, err := captured(); err == nil {
		_ = os.RemoveAll(dirs[""])
	}
	os.Exit(code)
}
