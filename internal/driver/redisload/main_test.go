//go:build linux

package redisload

import (
	"flag"
	"os"
	"testing"
	"time"

	"plinth/internal/host/launch"
)

// patience only ends a test that hangs: what is waited for takes seconds on a busy machine.
const patience = 2 * time.Minute

// TestMain makes this test binary a guard, or a load generator, where that is requested.
func TestMain(m *testing.M) {
	launch.GuardMain()
	Main()
	flag.Parse()
	_ = flag.Set("test.parallel", "8") // they mostly wait for a load to end
	os.Exit(m.Run())
}
