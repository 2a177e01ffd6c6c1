package site

import (
	"errors"
	"fmt"
	"testing"
)

// TestInEnvironment: an error names one environment, the one that the innermost caller knew.
func TestInEnvironment(t *testing.T) {
	cause := errors.New("no room")
	inner := fmt.Errorf("kubernetes: %w", InEnvironment("two", cause))
	for _, c := range []struct {
		err  error
		want string
	}{
		{cause, "environment one: no room"},
		{inner, "kubernetes: environment two: no room"},
	} {
		if err := InEnvironment("one", c.err); err.Error() != c.want || !errors.Is(err, cause) {
			t.Errorf("it is %q, want %q", err, c.want)
		}
	}
	if err := InEnvironment("one", nil); err != nil {
		t.Errorf("without an error, it is %v", err)
	}
}
