package stand

import (
	"context"
	"errors"
	"slices"
	"testing"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/runner/hosttuning"
)

// forgetful is a server that loses its dataset when it goes down, and that says what it was asked to do.
type forgetful struct {
	engine.Server
	done  []string
	lost  bool
	fails bool // to warm
}

func (f *forgetful) say(what string) error { f.done = append(f.done, what); return nil }

func (f *forgetful) Start(context.Context) error { return f.say("start") }
func (f *forgetful) Load(context.Context, func(engine.Progress)) error {
	f.lost = false
	return f.say("load")
}
func (f *forgetful) Checkpoint(context.Context) error   { return f.say("checkpoint") }
func (f *forgetful) Lost(context.Context) (bool, error) { return f.lost, nil }
func (f *forgetful) Warm(context.Context) error {
	_ = f.say("warm")
	if f.fails {
		return errors.New("it lacks pg_prewarm")
	}
	return nil
}

// TestRevive checks that a server that went down is started again, that its dataset is loaded again if it lost it, and that the
// next run begins with warm caches, as all others do.
func TestRevive(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		lost bool
		want []string
	}{
		{"kept", false, []string{"start", "warm", "start", "warm"}},
		{"lost", true, []string{"start", "warm", "start", "load", "checkpoint", "warm"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			server := &forgetful{}
			s := &Stand{Server: server, loaded: true}
			st := &Stage{Stands: []*Stand{s}, Host: hosttuning.New(nil, nil), Caches: experiment.CachesPrewarm}
			enter := func() {
				t.Helper()
				if _, err := st.Enter(t.Context(), s); err != nil {
					t.Fatal(err)
				}
			}
			enter()
			enter()
			server.lost = tc.lost
			reloaded, err := st.Revive(t.Context(), s)
			if err != nil || reloaded != tc.lost {
				t.Errorf("reloaded %v, %v", reloaded, err)
			}
			enter()
			enter()
			if !slices.Equal(server.done, tc.want) {
				t.Errorf("%q, want %q", server.done, tc.want)
			}
		})
	}
}

// TestWarmAgain checks that caches which could not be warmed are warmed before the next run.
func TestWarmAgain(t *testing.T) {
	t.Parallel()
	server := &forgetful{fails: true}
	s := &Stand{Server: server, loaded: true}
	st := &Stage{Stands: []*Stand{s}, Host: hosttuning.New(nil, nil), Caches: experiment.CachesPrewarm}
	if _, err := st.Enter(t.Context(), s); err == nil {
		t.Error("it was warmed")
	}
	server.fails = false
	for range 2 {
		if _, err := st.Enter(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"start", "warm", "warm"}; !slices.Equal(server.done, want) {
		t.Errorf("%q, want %q", server.done, want)
	}
}

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
