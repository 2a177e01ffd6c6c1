package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plinth/internal/page"
	"plinth/internal/record"
)

// event is one event of a stream.
type event struct{ name, data string }

// events is a stream as a browser reads it.
type events struct {
	*testing.T
	lines *bufio.Scanner
}

// listen opens the stream of a record.
func listen(t *testing.T, s *Server, name string) *events {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL(""), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.URL.Path = "/api/record/" + name + "/live"
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || kind != "text/event-stream" {
		t.Fatalf("%s, %s", response.Status, kind)
	}
	return &events{t, bufio.NewScanner(response.Body)}
}

// next is the next event; io.EOF when the stream has ended.
func (e *events) next() (event, error) {
	var got event
	for e.lines.Scan() {
		line := e.lines.Text()
		switch {
		case line == "" && got.name != "":
			return got, nil
		case strings.HasPrefix(line, "event: "):
			got.name = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			got.data = line[len("data: "):]
		}
	}
	if err := e.lines.Err(); err != nil {
		return got, err
	}
	return got, io.EOF
}

// until reads events until one fits, and is all those that came.
func (e *events) until(what string, fits func(name string, live page.Live) bool) (names []string, last page.Live) {
	e.Helper()
	for {
		got, err := e.next()
		if err != nil {
			e.Fatalf("waiting for %s: %v after %v, last %+v", what, err, names, last)
		}
		names = append(names, got.name)
		if got.name == "live" {
			last = page.Live{}
			if err := json.Unmarshal([]byte(got.data), &last); err != nil {
				e.Fatal(err)
			}
		}
		if fits(got.name, last) {
			return names, last
		}
	}
}

func (e *events) untilRuns(n int) ([]string, page.Live) {
	e.Helper()
	return e.until("runs", func(name string, live page.Live) bool { return name == "live" && live.Runs == n })
}

const fast = 5 * time.Millisecond

// TestLive: a page sees an experiment as it goes, from the first point to its end.
func TestLive(t *testing.T) {
	store := t.TempDir()
	w := writer(t, store, "going")
	name := filepath.Base(w.Path())
	s := started(t, Options{Store: store, poll: fast})
	e := listen(t, s, name)

	_, live := e.untilRuns(0)
	if live.Schema != page.LiveSchema || live.Record != name || live.State != record.Running || live.Now != nil || live.Points == nil ||
		live.Look != "8 more repeats until the next look, at 8 blocks" {
		t.Errorf("at first: %+v", live)
	}

	pending := begin(t, w, "disk", 1)
	cell := runID("disk", 1).Cell
	now := record.Now{At: time.Now(), Step: "driving", Environment: "disk", Cell: &cell, Path: "disk/tpcb-like/c2-j1/r01", Run: 1, Runs: 40, Left: 80}
	if err := w.Tell(now); err != nil {
		t.Fatal(err)
	}
	_, live = e.until("now", func(_ string, live page.Live) bool { return live.Now != nil })
	if live.Now.Run != 1 || live.Now.Path != now.Path || live.Left < 1 || live.Left > 80 {
		t.Errorf("now %+v, left %g", live.Now, live.Left)
	}
	var points []record.Point
	for second := range 3 {
		if err := pending.Live(record.Point{Second: float64(second), TPS: float64(100 + second)}); err != nil {
			t.Fatal(err)
		}
		e.until("a point", func(name string, live page.Live) bool {
			if name == "live" && live.From == len(points) {
				points = append(points, live.Points...)
			}
			return len(points) == second+1
		})
	}
	if points[2].TPS != 102 {
		t.Errorf("points %+v", points)
	}

	// A page that comes later gets all of them.
	if _, live := listen(t, s, name).until("all points", func(name string, _ page.Live) bool { return name == "live" }); live.From != 0 || len(live.Points) != 3 {
		t.Errorf("a second page: %+v", live)
	}

	commit(t, pending, runID("disk", 1), 1)
	names, live := e.untilRuns(1)
	if names[len(names)-2] != "changed" || live.Counts.Valid != 1 || live.From != 0 || len(live.Points) != 0 {
		t.Errorf("after a commit: %v, %+v", names, live)
	}
	pending = begin(t, w, "memory", 1)
	if err := pending.Live(record.Point{Second: 0, TPS: 7}); err != nil {
		t.Fatal(err)
	}
	_, live = e.until("the next run's point", func(_ string, live page.Live) bool { return len(live.Points) > 0 })
	if live.From != 0 || live.Points[0].TPS != 7 {
		t.Errorf("the next run: %+v", live)
	}
	commit(t, pending, runID("memory", 1), 2)
	if _, live = e.untilRuns(2); live.Look != "7 more repeats until the next look, at 8 blocks" {
		t.Errorf("after a repeat: %q", live.Look)
	}

	end(t, w)
	names, live = e.until("the end", func(_ string, live page.Live) bool { return live.State == record.Complete })
	if names[len(names)-2] != "changed" || live.Now != nil || live.Look != "ended before its first look, at 8 blocks" {
		t.Errorf("at the end: %v, %+v", names, live)
	}
}

// TestKilledWriter: a record whose writer went away is interrupted.
func TestKilledWriter(t *testing.T) {
	store := t.TempDir()
	w := writer(t, store, "killed")
	s := started(t, Options{Store: store, poll: fast})
	e := listen(t, s, filepath.Base(w.Path()))
	e.untilRuns(0)
	if err := w.Close(); err != nil { // without saving: as a kill leaves it
		t.Fatal(err)
	}
	names, live := e.until("interrupted", func(_ string, live page.Live) bool { return live.State == record.Interrupted })
	if names[len(names)-2] != "changed" || live.Reason == "" {
		t.Errorf("%v, %+v", names, live)
	}
	again, err := record.Reopen(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close() })
	e.until("running again", func(_ string, live page.Live) bool { return live.State == record.Running })
}

// TestDeleted: a record that is removed while it is shown.
func TestDeleted(t *testing.T) {
	store := t.TempDir()
	name := finished(t, store, "short-lived")
	s := started(t, Options{Store: store, poll: fast})
	e := listen(t, s, name)
	e.untilRuns(1)
	if got := ask(t, s, "/record/"+name); got.StatusCode != http.StatusOK {
		t.Fatal(got.Status)
	}
	if err := os.RemoveAll(filepath.Join(store, name)); err != nil {
		t.Fatal(err)
	}
	e.until("gone", func(name string, _ page.Live) bool { return name == "gone" })
	if _, err := e.next(); !errors.Is(err, io.EOF) {
		t.Errorf("after gone: %v", err)
	}
	for _, path := range []string{"/record/" + name, "/record/" + name + "?part=report", "/api/record/" + name + "/live", "/api/record/" + name + "/run?path=x"} {
		if got := ask(t, s, path); got.StatusCode != http.StatusNotFound || !strings.Contains(got.body, "here is no such record in the store") {
			t.Errorf("%s: %s %s", path, got.Status, got.body)
		}
	}
}

// TestStop ends streams with a last look, and a server that comes after it serves the same
// page again.
func TestStop(t *testing.T) {
	store := t.TempDir()
	name := finished(t, store, "kept")
	s := started(t, Options{Store: store, grace: patience})
	e := listen(t, s, name)
	e.untilRuns(1)
	address := s.listener.Addr().String()
	s.Stop()
	if got, err := e.next(); err != nil || got.name != "live" {
		t.Errorf("the last event is %v, %v", got, err)
	}
	// A stream that did not end by itself would be torn, once patience was over.
	for err := error(nil); !errors.Is(err, io.EOF); {
		var got event
		if got, err = e.next(); err != nil && !errors.Is(err, io.EOF) || err == nil && got.name != "live" {
			t.Fatalf("after the last event: %v, %v", got, err)
		}
	}
	again := started(t, Options{Store: store, Listen: address})
	if _, live := listen(t, again, name).untilRuns(1); live.Record != name {
		t.Errorf("after a restart: %+v", live)
	}
}

// TestStreamsAreBounded, and each record is watched once, while a page is open.
func TestStreamsAreBounded(t *testing.T) {
	store := t.TempDir()
	name := finished(t, store, "popular")
	s := started(t, Options{Store: store, poll: fast})
	var leaves []func()
	for range mostStreams {
		_, _, leave, err := s.hub.join(name)
		if err != nil {
			t.Fatal(err)
		}
		leaves = append(leaves, leave)
	}
	if len(s.hub.watches) != 1 {
		t.Errorf("%d watches", len(s.hub.watches))
	}
	if got := ask(t, s, "/api/record/"+name+"/live"); got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
		t.Errorf("one too many: %s", got.Status)
	}
	for _, leave := range leaves {
		leave()
	}
	s.hub.wait() // for the watch to end
	if len(s.hub.watches) != 0 || len(s.hub.ends) != 0 || s.hub.streams != 0 {
		t.Errorf("after the last page: %d watches, %d streams", len(s.hub.watches), s.hub.streams)
	}
	listen(t, s, name).untilRuns(1)
}

// TestTellRests: while runs go on, pages are not made to fetch more than a
// hundredth of the time takes; the end is told at once.
func TestTellRests(t *testing.T) {
	store := t.TempDir()
	name := finished(t, store, "slow")
	l := newLibrary(store, plainPages{})
	if _, err := l.page(name, "", l.pages.report); err != nil {
		t.Fatal(err)
	}
	l.book(name).cost.Store(int64(200 * time.Millisecond))
	w := newWatch(l, name, filepath.Join(store, name))
	w.moment.State = record.Running
	at := created
	for _, c := range []struct {
		after time.Duration
		state record.State
		want  bool
	}{
		{0, record.Running, true}, {time.Second, record.Running, false}, {19 * time.Second, record.Running, false},
		{20 * time.Second, record.Running, true}, {21 * time.Second, record.Complete, true},
	} {
		w.changed, w.moment.State = true, c.state
		if got := w.tell(at.Add(c.after)); got != c.want {
			t.Errorf("after %s, %s: %v", c.after, c.state, got)
		}
	}
}
