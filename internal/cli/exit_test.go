package cli

import (
	"errors"
	"strings"
	"testing"

	"plinth/internal/runner"
)

// TestNotPutBackThere: that something could not be put back is neither hidden nor outweighed by what the command there said.
func TestNotPutBackThere(t *testing.T) {
	err := errors.Join(&thereError{1}, &runner.PutBackError{Err: errors.New("cannot delete the pod probe-1")})
	if code := exitCode(err); code != exitPutBack {
		t.Errorf("exit code %d, want %d", code, exitPutBack)
	}
	var out strings.Builder
	if complain(&out, err); !strings.Contains(out.String(), "probe-1") {
		t.Errorf("it says %q", out.String())
	}
	out.Reset()
	if complain(&out, &thereError{1}); out.Len() > 0 {
		t.Errorf("what was said there is said again: %q", out.String())
	}
}
