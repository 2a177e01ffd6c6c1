//go:build linux

package fio

import (
	"os"
	"testing"

	"plinth/internal/host/launch"
)

func TestMain(m *testing.M) {
	launch.GuardMain()
	os.Exit(m.Run())
}
