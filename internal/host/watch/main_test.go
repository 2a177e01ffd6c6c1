//go:build linux

package watch

import (
	"os"
	"testing"

	"plinth/internal/host/launch"
)

// TestMain lets this test binary be a guard, or a program that uses the machine
// (busy_test.go).
func TestMain(m *testing.M) {
	launch.GuardMain()
	if helper := os.Getenv("PLINTH_TEST_HELPER"); helper != "" {
		helpers[helper]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}
