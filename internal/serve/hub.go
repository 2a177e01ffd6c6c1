package serve

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"plinth/internal/hint"
)

// mostStreams is how many pages can be live at a time, over all records.
const mostStreams = 64

// errTooMany is said to one page too many.
var errTooMany = hint.Errorf("close some of them", "%d pages are live already", mostStreams)

// errStopping is said to a page that comes while the server stops.
var errStopping = errors.New("plinth serve is stopping")

// hub has a watch for each record that is shown live.
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

// join is the watch of a record and a channel that signals news. Leave it when the
// page is gone.
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
		news <- struct{}{} // what is known is news to this page
	}
	return w, news, func() { h.leave(w, news) }, nil
}

// begin starts to watch a record.
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

// finish lets all streams end, each with what is known by then.
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

// wait returns when nothing is watched any more.
func (h *hub) wait() { h.group.Wait() }
