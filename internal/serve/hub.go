package serve

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"plinth/internal/hint"
)

// mostStreams is the maximum number of live pages at a time, over all records.
const mostStreams = 64

// errTooMany refuses a page beyond mostStreams.
var errTooMany = hint.Errorf("close some of them", "%d live pages are open already", mostStreams)

// errStopping refuses a page that connects while the server stops.
var errStopping = errors.New("plinth serve is stopping")

// hub holds a watch for each record that is shown live.
type hub struct {
	library *library
	every   time.Duration

	mu      sync.Mutex
	watches map[string]*watch
	ends    map[*watch]context.CancelFunc
	streams int
	over    bool
	group   sync.WaitGroup
}

func newHub(l *library, every time.Duration) *hub {
	if every == 0 {
		every = time.Second
	}
	return &hub{library: l, every: every, watches: map[string]*watch{}, ends: map[*watch]context.CancelFunc{}}
}

// join returns the watch of a record, starting it if necessary, and a channel that signals news.
// The caller must call leave when the page has disconnected.
func (h *hub) join(name string) (w *watch, news chan struct{}, leave func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return nil, nil, nil, errStopping
	}
	if h.streams >= mostStreams {
		return nil, nil, nil, errTooMany
	}
	w = h.watches[name]
	if w == nil {
		w = h.begin(name)
	}
	h.streams++
	w.pages++
	news = make(chan struct{}, 1)
	w.mu.Lock()
	w.signals[news] = true
	ready := w.moment.Schema != ""
	w.mu.Unlock()
	if ready {
		news <- struct{}{} // the current state is new to this page
	}
	return w, news, func() { h.leave(w, news) }, nil
}

// begin starts watching a record.
func (h *hub) begin(name string) *watch {
	w := newWatch(h.library, name, filepath.Join(h.library.store, name))
	ctx, end := context.WithCancel(context.Background())
	h.watches[name], h.ends[w] = w, end
	h.group.Go(func() { w.follow(ctx, h.every) })
	return w
}

func (h *hub) leave(w *watch, news chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w.mu.Lock()
	delete(w.signals, news)
	w.mu.Unlock()
	h.streams--
	if w.pages--; w.pages == 0 {
		h.ends[w]()
		delete(h.ends, w)
		delete(h.watches, w.name)
	}
}

// finish ends all streams, each after a last event with the current state.
func (h *hub) finish() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return
	}
	h.over = true
	for _, w := range h.watches {
		close(w.finish)
	}
}

// wait returns when all watches have ended.
func (h *hub) wait() { h.group.Wait() }
