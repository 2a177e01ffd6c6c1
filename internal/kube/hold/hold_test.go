package hold

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"plinth/internal/host/hosttest"
)

// patience ends a test that hangs.
const patience = time.Minute

// holding is a wait whose clock the test turns.
type holding struct {
	*testing.T
	ticks chan time.Time
	done  chan struct{} // closed after the wait has ended with outcome and err

	outcome Outcome
	err     error
}

func begin(ctx context.Context, t *testing.T, o Options) *holding {
	t.Setenv("TMPDIR", hosttest.OpenDir(t))
	h := &holding{T: t, ticks: make(chan time.Time), done: make(chan struct{})}
	go func() {
		defer close(h.done)
		h.outcome, h.err = wait(ctx, o, h.ticks)
	}()
	return h
}

// tick lets n parts of the silence pass.
func (h *holding) tick(n int) {
	h.Helper()
	for range n {
		select {
		case h.ticks <- time.Time{}:
		case <-h.done:
			h.Fatalf("it has ended: %+v, %v", h.outcome, h.err)
		}
	}
}

func (h *holding) ends(want Outcome) {
	h.Helper()
	select {
	case <-h.done:
	case <-time.After(patience):
		h.Fatal("it does not end")
	}
	if h.outcome != want || h.err != nil {
		h.Errorf("%+v, %v; want %+v", h.outcome, h.err, want)
	}
}

func (h *holding) join() *Guest {
	h.Helper()
	g, err := join(h.Context(), patience)
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = g.Close() })
	return g
}

// does fails the test if a step of a guest has failed.
func (h *holding) does(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func TestSilence(t *testing.T) {
	h := begin(t.Context(), t, Options{Silence: time.Minute, Then: 7})
	h.tick(parts)
	h.ends(Outcome{7, "plinth has been silent for 1m0s"})
}

// Heartbeats over a stream, each acknowledged: the wait goes on for as long as they come.
func TestHeartbeats(t *testing.T) {
	h := begin(t.Context(), t, Options{Silence: time.Minute, Then: 7})
	in, send := io.Pipe()
	receive, out := io.Pipe()
	beats := make(chan error, 1)
	go func() { beats <- Beats(t.Context(), in, out) }()
	acknowledged := func() {
		t.Helper()
		if _, err := io.ReadFull(receive, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	acknowledged()
	for range 3 {
		h.tick(parts - 1)
		if _, err := io.WriteString(send, "x"); err != nil {
			t.Fatal(err)
		}
		acknowledged()
	}
	_ = send.Close()
	if err := <-beats; err != nil {
		t.Fatal(err)
	}
	h.tick(parts)
	h.ends(Outcome{7, "plinth has been silent for 1m0s"})
}

// A process whose result is waited for notices by itself when plinth is silent.
func TestAGuestNeedsNoHeartbeats(t *testing.T) {
	h := begin(t.Context(), t, Options{Silence: time.Minute})
	g := h.join()
	h.does(g.End(Outcome{1, "it was killed"}))
	h.tick(3 * parts)
	h.does(g.Close())
	h.ends(Outcome{1, "it was killed"})
}

func TestEnd(t *testing.T) {
	h := begin(t.Context(), t, Options{})
	g := h.join()
	h.does(g.Beat())
	h.does(g.End(Outcome{3, "the work\nhas failed"}))
	h.does(g.Close())
	h.ends(Outcome{3, "the work has failed"})
}

// A guest says early what is true if it is killed.
func TestTheLastEndCounts(t *testing.T) {
	h := begin(t.Context(), t, Options{})
	g := h.join()
	h.does(g.End(Outcome{1, "it was killed"}))
	h.does(g.End(Outcome{0, "it has ended"}))
	h.does(g.Close())
	h.ends(Outcome{0, "it has ended"})
}

func TestAKilledGuest(t *testing.T) {
	h := begin(t.Context(), t, Options{})
	g := h.join()
	h.does(g.End(Outcome{1, "it was killed"}))
	h.does(g.Close())
	h.ends(Outcome{1, "it was killed"})
}

// What is not understood ends nothing.
func TestStrangers(t *testing.T) {
	h := begin(t.Context(), t, Options{Silence: time.Minute})
	for _, text := range []string{"", "\n", "end x\n", "end \n", strings.Repeat("x", 1<<20)} {
		g := h.join()
		_, _ = io.WriteString(g.conn, text) // a long line is not read to its end
		h.does(g.Close())
	}
	g := h.join()
	h.does(g.End(Outcome{}))
	h.does(g.Close())
	h.ends(Outcome{})
}

func TestTheContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := begin(ctx, t, Options{})
	g := h.join()
	cancel()
	<-h.done
	if !errors.Is(h.err, context.Canceled) {
		t.Errorf("%+v, %v", h.outcome, h.err)
	}
	if n, err := g.conn.Read(make([]byte, 1)); err == nil {
		t.Errorf("the guest read %d bytes", n)
	}
	if _, err := os.Stat(path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
}

func TestNobodyHolds(t *testing.T) {
	t.Setenv("TMPDIR", hosttest.OpenDir(t))
	_, err := join(t.Context(), 1)
	if err == nil || !strings.Contains(err.Error(), "cannot reach plinth hold: ") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Beats(ctx, &bytes.Buffer{}, io.Discard); err == nil {
		t.Error("no error")
	}
}

func TestOneHolds(t *testing.T) {
	h := begin(t.Context(), t, Options{})
	g := h.join()
	if _, err := wait(t.Context(), Options{}, nil); err == nil || !strings.Contains(err.Error(), "cannot wait for the end of the pod: ") {
		t.Error(err)
	}
	h.does(g.End(Outcome{}))
	h.does(g.Close())
	h.ends(Outcome{})
}
