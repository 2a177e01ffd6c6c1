package probe

import (
	"flag"
	"os"
	"testing"

	"plinth/internal/emulator"
	"plinth/internal/host/launch"
)

func TestMain(m *testing.M) {
	launch.GuardMain()
	emulator.Main()
	// What is probed here is a file or a device in memory, and plinth: no busy disk.
	if _, err := os.Stat("/dev/shm"); err == nil {
		_ = os.Setenv("TMPDIR", "/dev/shm")
	}
	flag.Parse()
	_ = flag.Set("test.parallel", "4") // probes mostly wait
	os.Exit(m.Run())
}
