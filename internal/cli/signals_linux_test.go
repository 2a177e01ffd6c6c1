package cli

import (
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"plinth/internal/record"
)

func itoa(n int) string { return strconv.Itoa(n) }

func atoi(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// Ctrl-C and SIGTERM, once or twice, at several moments: nothing is left behind, and the record
// can be completed.
func TestInterrupted(t *testing.T) {
	for _, test := range []struct {
		name, after string
		signals     []syscall.Signal
	}{
		{"at the start", "starting one", []syscall.Signal{syscall.SIGINT}},
		{"twice while loading", "loading one", []syscall.Signal{syscall.SIGINT, syscall.SIGINT}},
		{"in the first run", "one: PostgreSQL", []syscall.Signal{syscall.SIGTERM}},
		{"between runs, twice", "run 1 of 2", []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newFaultWorld(t)
			w.start(test.after, "run", "alone.yaml")
			for _, s := range test.signals {
				_ = w.cmd.Process.Signal(s) // it may have ended after the first
			}
			w.exits(130)
			w.await("next:   plinth run --resume results/alone-")
			if rec := w.record(); rec.Summary.State != record.Interrupted {
				t.Errorf("the record is %s", rec.Summary.State)
			}
			w.plinth("show", "latest")
		})
	}
}

func TestTwoAtATime(t *testing.T) {
	w := newFaultWorld(t)
	w.start("run 1 of 2", "run", "alone.yaml", "--set", "duration=10s") // the others start meanwhile
	other := &faultWorld{killWorld: w.killWorld}
	first, said, end := w.cmd, w.said, w.end

	// A record that is being written cannot be resumed, and its journal is not undone.
	other.start("", "run", "--resume", "latest")
	<-other.end
	if code := other.cmd.ProcessState.ExitCode(); code != 2 || !strings.Contains(other.said.String(), "hint: wait") {
		t.Errorf("exit code %d:\n%s", code, other.said)
	}
	// The machine is taken. The second experiment disturbs nothing.
	other.start("", "run", "alone.yaml", "--store", "others")
	<-other.end
	if code := other.cmd.ProcessState.ExitCode(); code != 2 || !strings.Contains(other.said.String(), "this machine is in use by the experiment results/alone-") {
		t.Errorf("exit code %d:\n%s", code, other.said)
	}
	w.cmd, w.said, w.end = first, said, end
	w.exits(0)
	if rec := w.record(); rec.Summary.State != record.Complete {
		t.Errorf("the first record is %s", rec.Summary.State)
	}
	if found, _ := filepath.Glob(filepath.Join(w.dir, "others", "*")); len(found) > 0 {
		t.Errorf("the second experiment left %v", found)
	}
}
