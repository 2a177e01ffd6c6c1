//go:build linux

package launch

import (
	"os"
	"testing"
)

// TestMain lets this test binary be a guard, a program under test, or a plinth that will be
// killed (helper_test.go).
func TestMain(m *testing.M) {
	GuardMain()
	if helper := os.Getenv("PLINTH_TEST_HELPER"); helper != "" {
		helpers[helper]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}
