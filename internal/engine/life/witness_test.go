package life

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// address leads to servers of which one is up: each connection is to the server that is up when it is
// opened.
type address struct {
	mu      sync.Mutex
	up      *stub // nil: nothing answers
	opened  int
	written []int64 // acknowledged, by any server and client
}

type stub struct{ down atomic.Bool }

type stubConn struct {
	of *address
	to *stub
}

func (a *address) open(context.Context, int) (Connection, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.up == nil {
		return nil, errors.New("connection refused")
	}
	a.opened++
	return stubConn{a, a.up}, nil
}

// Write takes a while, so that a test does not fill the memory.
func (c stubConn) Write(ctx context.Context, number int64) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Millisecond):
	}
	if c.to.down.Load() {
		return errors.New("the server is gone")
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.of.written = append(c.of.written, number)
	return nil
}

func (stubConn) Close() {}

func (a *address) lead(to *stub) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.up = to
}

func (a *address) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.written)
}

// writes waits until more writes have been acknowledged.
func (a *address) writes(t *testing.T, more int) {
	t.Helper()
	before := a.count()
	if err := Poll(t.Context(), time.Minute, func() bool { return a.count() >= before+more }); err != nil {
		t.Fatal(err)
	}
}

// TestLasting checks that a Witness goes on after a failure with the number that was not acknowledged,
// and how long it finds that there was no write.
func TestLasting(t *testing.T) {
	first, second := &stub{}, &stub{}
	a := &address{up: first}
	w, err := NewLasting(3, a.open)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop(t.Context())
	a.writes(t, 30)
	a.lead(nil)
	fault := time.Now()
	first.down.Store(true)
	resumed := make(chan error, 1)
	go func() { resumed <- w.Resumed(t.Context(), fault) }()
	for i := range w.Clients {
		if err := Poll(t.Context(), time.Minute, func() bool { return w.Clients[i].failed() > 0 }); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case err := <-resumed:
		t.Fatalf("nothing answers, but it goes on; %v", err)
	default:
	}
	restored := time.Now()
	a.lead(second)
	if err := <-resumed; err != nil {
		t.Fatal(err)
	}
	a.writes(t, 30)
	w.Stop(t.Context())
	var all []int64
	for i := range w.Clients {
		for n := range w.Clients[i].At {
			all = append(all, int64(n+1))
		}
	}
	slices.Sort(all)
	slices.Sort(a.written)
	if !slices.Equal(all, a.written) {
		t.Errorf("%d numbers were acknowledged, and it says %d", len(a.written), len(all))
	}
	latest := time.Duration(0)
	for i := range w.Clients {
		latest = max(latest, w.Clients[i].failed())
	}
	from, to := w.Outage()
	if w.Since(to) < restored.Sub(fault) || from > latest || w.Last() != from {
		t.Errorf("no write from %s to %s, the last at %s; the server was back %s after the fault", w.Since(from), w.Since(to), w.Since(w.Last()), restored.Sub(fault))
	}
	if a.opened != 6 {
		t.Errorf("%d connections", a.opened)
	}
}

// failed returns when a client's connection failed last.
func (c *Client) failed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broke
}

// TestNotResumed checks what is said of a fault that changes nothing, and of a server that stays away.
func TestNotResumed(t *testing.T) {
	server := &stub{}
	a := &address{up: server}
	w, err := NewLasting(2, a.open)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop(t.Context())
	a.writes(t, 10)
	fault := time.Now()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	mustSay := func(want string) {
		t.Helper()
		if err := w.Resumed(gone, fault); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	mustSay("the fault had no effect on the connections")
	a.lead(nil)
	server.down.Store(true)
	if err := Poll(t.Context(), time.Minute, func() bool { return w.Clients[0].failed() > 0 }); err != nil {
		t.Fatal(err)
	}
	mustSay("no write was acknowledged again: ")
}
