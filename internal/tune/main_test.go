package tune

import (
	"os"
	"testing"

	"plinth/internal/host"
)

func TestMain(m *testing.M) {
	host.GuardMain()
	os.Exit(m.Run())
}
