package stand

import (
	"os"
	"testing"

	"plinth/internal/awake"
	"plinth/internal/host"
	"plinth/internal/host/hosttest"
	"plinth/internal/neighbour"
)

// TestMain lets this test binary be a guard, or a neighbour's load.
func TestMain(m *testing.M) {
	host.GuardMain()
	neighbour.Main()
	awake.Main()
	hosttest.TempInMemory()
	os.Exit(m.Run())
}
