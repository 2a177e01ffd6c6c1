package stand

import (
	"context"
	"errors"
	"testing"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/runner/hosttuning"
)

// stuck is a server that cannot be stopped.
type stuck struct{ engine.Server }

func (stuck) Start(context.Context) error { return nil }
func (stuck) Stop(context.Context) error  { return errors.New("it hangs") }

// TestServerThatCannotBeStopped checks that the error of a switch names the server, and that the switch is not made.
func TestServerThatCannotBeStopped(t *testing.T) {
	t.Parallel()
	one, two := &Stand{Server: stuck{}}, &Stand{Server: stuck{}}
	one.Environment, two.Environment = experiment.Environment{Name: "one"}, experiment.Environment{Name: "two"}
	st := &Stage{Stands: []*Stand{one, two}, Host: hosttuning.New(nil, nil)}
	if _, err := st.Enter(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second attempt must not start a server beside the one that runs
		_, err := st.Enter(t.Context(), two)
		if want := "cannot stop the server of one: it hangs"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
