//go:build linux

package kernel

import (
	"os"
	"testing"

	"plinth/internal/host"
)

// TestMain lets this test binary be a guard, or a program that is watched
// (helper_test.go).
func TestMain(m *testing.M) {
	host.GuardMain()
	if helper := os.Getenv("PLINTH_TEST_HELPER"); helper != "" {
		helpers[helper]()
		os.Exit(0)
	}
	code := m.Run()
	if dirs, err := captured(); err == nil {
		_ = os.RemoveAll(dirs[""])
	}
	os.Exit(code)
}
