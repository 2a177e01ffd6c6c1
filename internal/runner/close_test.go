package runner

import (
	"errors"
	"fmt"
	"testing"

	"plinth/internal/runner/agent"
)

// TestOnlyLost checks which failures of undoing are nothing but lost connections.
func TestOnlyLost(t *testing.T) {
	lost, other := &agent.LostError{Err: errors.New("silent")}, errors.New("cannot unmount")
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{lost, true},
		{other, false},
		{fmt.Errorf("environment one: %w", lost), true},
		{errors.Join(lost, lost), true},
		{errors.Join(lost, other), false},
		{errors.Join(errors.Join(lost, other), lost), false},
	} {
		if got := onlyLost(c.err); got != c.want {
			t.Errorf("%v: %v", c.err, got)
		}
	}
}
