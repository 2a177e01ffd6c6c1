package serve

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"plinth/internal/record"
)

// storeOf makes a store of n records, by copies of what one of them says.
func storeOf(b *testing.B, n int) string {
	b.Helper()
	store := b.TempDir()
	from := finished(b, store, "one")
	text, err := os.ReadFile(filepath.Join(store, from, "record.json"))
	if err != nil {
		b.Fatal(err)
	}
	for i := range n - 1 {
		write(b, filepath.Join(store, fmt.Sprintf("copy-%04d", i), "record.json"), string(text))
	}
	return store
}

// BenchmarkList5000 is the answer to a search in a store of 5,000 records: cold, when
// the server has just been started, and warm.
func BenchmarkList5000(b *testing.B) {
	store := storeOf(b, 5000)
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			s := started(b, Options{Store: store})
			b.StartTimer()
			if got := ask(b, s, "/api/records?q=disk"); got.StatusCode != http.StatusOK {
				b.Fatal(got.Status)
			}
		}
	})
	b.Run("warm", func(b *testing.B) {
		s := started(b, Options{Store: store})
		for b.Loop() {
			if got := ask(b, s, "/api/records?q=disk"); got.StatusCode != http.StatusOK {
				b.Fatal(got.Status)
			}
		}
	})
}

// BenchmarkWatch is what an open page costs while a run goes on in a record of 500
// runs: a look, a new point, and what is sent of it. One op is one second of an
// experiment, so 10,000 cpu-µs would be one per cent of a core.
func BenchmarkWatch(b *testing.B) {
	store := b.TempDir()
	w := writer(b, store, "large")
	for n := range 500 {
		id := runID([]string{"disk", "memory"}[n%2], 1+n/2)
		commit(b, begin(b, w, id.Environment, id.Repeat), id, n+1)
	}
	pending := begin(b, w, "disk", 251)
	name := filepath.Base(w.Path())
	l := newLibrary(store, plainPages{})
	watch := newWatch(l, name, w.Path())
	watch.look(time.Now())
	stream := &stream{w: nobody{}, control: http.NewResponseController(nobody{}), watch: watch}
	before := cpuTime()
	second := 0
	for b.Loop() {
		if err := pending.Live(record.Point{Second: float64(second), TPS: 1234.5, LatencyMS: 1.5}); err != nil {
			b.Fatal(err)
		}
		if err := w.Tell(record.Now{At: time.Now(), Step: "driving", Run: 501, Runs: 600, Left: 100}); err != nil {
			b.Fatal(err)
		}
		if !watch.look(time.Now()) {
			b.Fatal("no news")
		}
		if err := stream.next(); err != nil {
			b.Fatal(err)
		}
		second++
	}
	b.ReportMetric(float64((cpuTime()-before).Microseconds())/float64(b.N), "cpu-µs/second")
}

// BenchmarkWatchIdle is the same while nothing is new.
func BenchmarkWatchIdle(b *testing.B) {
	store := b.TempDir()
	name := finished(b, store, "still")
	watch := newWatch(newLibrary(store, plainPages{}), name, filepath.Join(store, name))
	watch.look(time.Now())
	for b.Loop() {
		if watch.look(time.Now()) {
			b.Fatal("there is news")
		}
	}
}

// nobody takes what a page is sent.
type nobody struct{}

func (nobody) Header() http.Header              { return http.Header{} }
func (nobody) WriteHeader(int)                  {}
func (nobody) Write(p []byte) (int, error)      { return len(p), nil }
func (nobody) FlushError() error                { return nil }
func (nobody) SetWriteDeadline(time.Time) error { return nil }

// BenchmarkPage500 is the page of a record of 500 runs, first made and then from
// memory, compressed as browsers ask for it.
func BenchmarkPage500(b *testing.B) {
	store := b.TempDir()
	w := writer(b, store, "large")
	for n := range 500 {
		id := runID([]string{"disk", "memory"}[n%2], 1+n/2)
		commit(b, begin(b, w, id.Environment, id.Repeat), id, n+1)
	}
	end(b, w)
	get := func(s *Server) {
		got := ask(b, s, "/record/"+filepath.Base(w.Path()), header("Accept-Encoding", "gzip"))
		if got.StatusCode != http.StatusOK || got.Header.Get("Content-Encoding") != "gzip" {
			b.Fatal(got.Status, got.Header)
		}
	}
	b.Run("made", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			s := started(b, Options{Store: store, pages: recordPages{}})
			b.StartTimer()
			get(s)
		}
	})
	b.Run("kept", func(b *testing.B) {
		s := started(b, Options{Store: store, pages: recordPages{}})
		for b.Loop() {
			get(s)
		}
	})
}
