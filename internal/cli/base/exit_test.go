package base

import (
	"errors"
	"strings"
	"testing"

	"plinth/internal/runner"
)

// TestNotPutBackThere: that something could not be put back is neither hidden nor outweighed by what the command there said.
func TestNotPutBackThere(t *testing.T) {
	err := errors.Join(&ThereError{1}, &runner.PutBackError{Err: errors.New("cannot delete the pod probe-1")})
	if code := ExitCode(err); code != ExitPutBack {
		t.Errorf("exit code %d, want %d", code, ExitPutBack)
	}
	var out strings.Builder
	if Complain(&out, err); !strings.Contains(out.String(), "probe-1") {
		t.Errorf("it says %q", out.String())
	}
	out.Reset()
	if Complain(&out, &ThereError{1}); out.Len() > 0 {
		t.Errorf("what was said there is said again: %q", out.String())
	}
}
