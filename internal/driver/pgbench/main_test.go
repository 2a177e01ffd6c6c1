//go:build linux

package pgbench

import (
	"os"
	"testing"

	"plinth/internal/host"
)

func TestMain(m *testing.M) {
	host.GuardMain()
	code := m.Run()
	shared.stop()
	os.Exit(code)
}
