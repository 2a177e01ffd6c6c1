package stand

import (
	"os"
	"testing"

	"plinth/internal/awake"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/neighbour"
)

// TestMain lets this test binary act as a guard process or as a neighbour's load.
func TestMain(m *testing.M) {
	launch.GuardMain()
	neighbour.Main()
	awake.Main()
	hosttest.TempInMemory()
	os.Exit(m.Run())
}
