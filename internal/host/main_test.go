//go:build linux

package host

import (
	"os"
	"testing"

	"plinth/internal/host/launch"
)

// TestMain lets this test binary be a guard, a program under test, or a plinth
// that is going to be killed (helper_test.go).
func TestMain(m *testing.M) {
	launch.GuardMain()
	if helper := os.Getenv("PLINTH_TEST_HELPER"); helper != "" {
		busyHelpers[helper]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}
