package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"plinth/internal/page"
	"plinth/internal/record"
)

const (
	heartbeat  = 15 * time.Second // detects broken connections
	writeLimit = 10 * time.Second // for one event; slower pages are disconnected
	mostPoints = 3 * 60 * 60      // sent to a page when it opens: three hours
)

// stream is the connection to one page, and the state last sent to it.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	watch   *watch
	run     int // the run whose points were sent
	points  int // number of points sent
	changes int
	told    bool // whether anything was sent
}

// live responds with the events of a record until the page disconnects.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if _, err := versionOf(s.library.store, name); err != nil {
		refuse(w, r, statusOf(err), err)
		return
	}
	watch, news, leave, err := s.hub.join(name)
	if err != nil {
		w.Header().Set("Retry-After", "10")
		refuse(w, r, http.StatusServiceUnavailable, err)
		return
	}
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return
	}
	stream := &stream{w: w, control: http.NewResponseController(w), watch: watch}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	err = stream.write("retry: 2000\n\n") // ms until the browser reconnects
	for err == nil {
		select {
		case <-news:
			err = stream.next()
		case <-beat.C:
			err = stream.write(": heartbeat\n\n")
		case <-r.Context().Done():
			return
		}
	}
}

// errEnd ends a stream that has no further events.
var errEnd = errors.New("end of stream")

// next sends the news to the page.
func (s *stream) next() error {
	moment, changes, gone, over := s.news()
	if gone {
		_ = s.event("gone", struct{}{}) // the stream ends in any case
		return errEnd
	}
	if s.told && changes != s.changes {
		if err := s.event("changed", map[string]any{"runs": moment.Runs, "state": moment.State}); err != nil {
			return err
		}
	}
	s.changes, s.told = changes, true
	if err := s.event("live", moment); err != nil || !over {
		return err
	}
	return errEnd
}

// news returns the current state for this page, with the points that were not yet sent to it.
func (s *stream) news() (moment page.Live, changes int, gone, over bool) {
	w := s.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	moment = w.moment
	if s.run != w.run || !s.told {
		s.run, s.points = w.run, max(0, len(w.all)-mostPoints)
	}
	moment.From, moment.Points = s.points, slices.Clone(w.all[s.points:])
	if moment.Points == nil {
		moment.Points = []record.Point{}
	}
	s.points = len(w.all)
	moment.Left = 0 // unknown
	if now := moment.Now; now != nil && now.Left > 0 {
		moment.Left = max(1, now.Left-time.Since(now.At).Seconds()) // overdue, but not finished
	}
	return moment, w.changes, w.gone, w.over
}

func (s *stream) event(name string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return s.write(fmt.Sprintf("event: %s\ndata: %s\n\n", name, text))
}

func (s *stream) write(text string) error {
	if err := s.control.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return err
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}
