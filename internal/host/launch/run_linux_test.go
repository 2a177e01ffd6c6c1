package launch

import (
	"bytes"
	"context"
	"errors"
	"syscall"
	"testing"
)

func TestRun(t *testing.T) {
	for script, want := range map[string]ExitStatus{
		"echo yes": {}, "echo yes; exit 3": {Code: 3}, "echo yes; kill -TERM $$": {Code: -1, Signal: syscall.SIGTERM},
	} {
		var out bytes.Buffer
		status, err := Run(t.Context(), NewLocal(), Command{Path: "/bin/sh", Args: []string{"-c", script}, Stdout: &out})
		if status != want || err != nil || out.String() != "yes\n" {
			t.Errorf("%q ended with %+v, %v, and said %q", script, status, err, out.String())
		}
	}
	if _, err := Run(t.Context(), NewLocal(), Command{Path: "/no/such/program"}); err == nil {
		t.Error("a program that is not there was run")
	}
}

// begun cancels at a program's first output: then it runs.
type begun struct{ cancel context.CancelCauseFunc }

var errEnough = errors.New("enough")

func (b begun) Write(p []byte) (int, error) {
	b.cancel(errEnough)
	return len(p), nil
}

// TestRunIsStopped: the program ends with its context, and does not start after it.
func TestRunIsStopped(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	endless := Command{Path: "/bin/sh", Args: []string{"-c", "echo here; exec sleep 1000"}, Stdout: begun{cancel}}
	for _, when := range []string{"in the midst", "before"} {
		if _, err := Run(ctx, NewLocal(), endless); !errors.Is(err, errEnough) {
			t.Errorf("given up %s: %v", when, err)
		}
	}
}
