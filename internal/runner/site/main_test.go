package site

import (
	"os"
	"testing"

	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
)

// TestMain lets this test binary act as a guard process.
func TestMain(m *testing.M) {
	launch.GuardMain()
	hosttest.TempInMemory()
	os.Exit(m.Run())
}
