package serve

import (
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"plinth/internal/page"
	"plinth/internal/record"
)

// TestCrowd: many pages look at a record while it is written, fetch its tables when
// they are told to, and all of them see its end, each point once and in order.
func TestCrowd(t *testing.T) {
	const pages, repeats, seconds = 5, 4, 5
	store := t.TempDir()
	w := writer(t, store, "busy")
	name := filepath.Base(w.Path())
	s := started(t, Options{Store: store, poll: fast})
	var crowd sync.WaitGroup
	for range pages {
		e := listen(t, s, name)
		crowd.Go(func() { watchToTheEnd(e, s, name) })
	}
	number := 0
	for repeat := range repeats {
		for _, environment := range []string{"disk", "memory"} {
			pending := begin(t, w, environment, repeat+1)
			for second := range seconds {
				if err := pending.Live(record.Point{Second: float64(second), TPS: float64(repeat)}); err != nil {
					t.Fatal(err)
				}
				<-time.After(fast / 2) // points come one by one
			}
			number++
			commit(t, pending, runID(environment, repeat+1), number)
		}
	}
	end(t, w)
	crowd.Wait()
}

// watchToTheEnd is one page: what it has must at each moment be the beginning of a
// run's points.
func watchToTheEnd(e *events, s *Server, name string) {
	var points []float64
	told := 0
	_, last := e.until("the end", func(event string, live page.Live) bool {
		if event == "changed" {
			told++
			if got := ask(e.T, s, "/record/"+name+"?part=report"); got.StatusCode != http.StatusOK {
				e.Errorf("the part: %s", got.Status)
			}
			return false
		}
		if live.From > len(points) {
			e.Errorf("points from %d on after %d", live.From, len(points))
		}
		points = points[:min(live.From, len(points))]
		for _, p := range live.Points {
			points = append(points, p.Second)
		}
		if !slices.IsSorted(points) || len(points) > 0 && points[0] != 0 {
			e.Errorf("points %v", points)
		}
		return live.State == record.Complete
	})
	if last.Runs != 8 || told == 0 {
		e.Errorf("at the end %+v, told %d times", last, told)
	}
}
