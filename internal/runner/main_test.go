package runner

import (
	"os"
	"testing"

	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
)

// TestMain lets this test binary be a guard.
func TestMain(m *testing.M) {
	launch.GuardMain()
	hosttest.TempInMemory()
	os.Exit(m.Run())
}
