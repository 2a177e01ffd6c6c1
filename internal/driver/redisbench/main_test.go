//go:build linux

package redisbench

import (
	"os"
	"testing"
	"time"

	"plinth/internal/host/launch"
)

// patience only ends a test that hangs: what is waited for takes seconds on a busy machine.
const patience = 2 * time.Minute

func TestMain(m *testing.M) {
	launch.GuardMain()
	os.Exit(m.Run())
}
