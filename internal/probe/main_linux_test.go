package probe

import (
	"os"
	"testing"

	"plinth/internal/emulator"
	"plinth/internal/host"
)

func TestMain(m *testing.M) {
	host.GuardMain()
	emulator.Main()
	os.Exit(m.Run())
}
