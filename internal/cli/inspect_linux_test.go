package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestWatchingIsInterrupted checks that the facts are shown, that the exit code says that they
// are incomplete, and that runs are not mentioned.
func TestWatchingIsInterrupted(t *testing.T) {
	w := newFaultWorld(t)
	w.start("watching", "inspect", "--for", "60s", ".")
	_ = w.cmd.Process.Signal(os.Interrupt)
	w.exits(130)
	said := w.said.String()
	if !strings.Contains(said, "\nstopping: the results so far follow\n") || !strings.Contains(said, "This machine\n") || strings.Contains(said, "run in progress") {
		t.Errorf("it says\n%s", said)
	}
	if made, _ := filepath.Glob(filepath.Join(w.dir, "results")); len(made) > 0 || w.cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
		t.Errorf("it made %v, and ended with %v", made, w.cmd.ProcessState)
	}
}
