package runner

import (
	"os"
	"testing"

	"plinth/internal/host"
	"plinth/internal/host/hosttest"
)

// TestMain lets this test binary be a guard.
func TestMain(m *testing.M) {
	host.GuardMain()
	hosttest.TempInMemory()
	os.Exit(m.Run())
}
