//go:build linux

package pgbench

import (
	"flag"
	"os"
	"testing"
	"time"

	"plinth/internal/host/launch"
)

// patience only ends a test that hangs: what is waited for takes seconds on a busy machine.
const patience = 2 * time.Minute

func TestMain(m *testing.M) {
	launch.GuardMain()
	flag.Parse()
	_ = flag.Set("test.parallel", "8") // they mostly wait for a run to end
	code := m.Run()
	shared.stop()
	os.Exit(code)
}
