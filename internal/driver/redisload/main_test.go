//go:build linux

package redisload

import (
	"os"
	"testing"

	"plinth/internal/host"
)

// TestMain lets this test binary be a guard, or a load generator.
func TestMain(m *testing.M) {
	host.GuardMain()
	Main()
	os.Exit(m.Run())
}
