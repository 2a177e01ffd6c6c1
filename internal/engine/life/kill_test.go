//go:build linux

package life

import (
	"os"
	"testing"
)

func TestState(t *testing.T) {
	if state := State(os.Getpid()); state != "R" && state != "S" {
		t.Errorf("this process is in state %q", state)
	}
	if state := State(1 << 30); state != "" {
		t.Errorf("no process is in state %q", state)
	}
}
