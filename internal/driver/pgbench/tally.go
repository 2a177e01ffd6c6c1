package pgbench

import (
	"fmt"
	"os"

	"plinth/internal/driver/latency"
)

// fewLatencies is how many latencies a second keeps as a plain list, 64 kB, before it
// changes to a histogram of 135 kB. Most seconds of most runs remain lists, so that many
// can be open at once.
const fewLatencies = 16 << 10

// tally collects the latencies of one script in one second.
type tally struct {
	few  []uint32        // microseconds
	many *latency.Counts // nil until few is full
}

func (t *tally) add(micros uint32, spare *spares) {
	if t.many != nil {
		t.many.Add(int64(micros) * 1000)
		return
	}
	if t.few == nil {
		t.few = spare.list()
	}
	t.few = append(t.few, micros)
	if len(t.few) == fewLatencies {
		t.many = spare.counts()
		t.pour(t.many)
		spare.keepList(t.few)
		t.few = nil
	}
}

// pour adds t's list to c.
func (t *tally) pour(c *latency.Counts) {
	for _, micros := range t.few {
		c.Add(int64(micros) * 1000)
	}
}

// release returns t's memory and leaves it empty.
func (t *tally) release(spare *spares) {
	if t.few != nil {
		spare.keepList(t.few)
	}
	if t.many != nil {
		spare.keepCounts(t.many)
	}
	*t = tally{}
}

// spares keeps lists and histograms of closed seconds for later ones, so that decoding
// allocates nothing in steady state.
type spares struct {
	lists [][]uint32
	full  []*latency.Counts
}

func (s *spares) list() []uint32 {
	if n := len(s.lists); n > 0 {
		l := s.lists[n-1]
		s.lists = s.lists[:n-1]
		return l[:0]
	}
	return make([]uint32, 0, 64)
}

func (s *spares) counts() *latency.Counts {
	if n := len(s.full); n > 0 {
		c := s.full[n-1]
		s.full = s.full[:n-1]
		return c
	}
	return latency.New()
}

// maxSpares limits what is kept: a burst of late seconds is not kept forever.
const maxSpares = 16

func (s *spares) keepList(l []uint32) {
	if len(s.lists) < maxSpares {
		s.lists = append(s.lists, l)
	}
}

func (s *spares) keepCounts(c *latency.Counts) {
	if len(s.full) < maxSpares {
		c.Reset()
		s.full = append(s.full, c)
	}
}

// attic holds the latencies of seconds that cannot be closed yet because one thread of
// pgbench is far behind: its log is buffered, 4 kB at a time, so a thread that waits an
// hour for one transaction keeps an hour of seconds open. They move to an unlinked
// temporary file, which bounds memory: a few kilobytes a second, only while a thread lags.
type attic struct {
	dir  string
	file *os.File
	size int64
	buf  []byte
}

// stashed is the position of a histogram in the attic.
type stashed struct {
	offset int64
	length int
}

// put stores c.
func (a *attic) put(c *latency.Counts) (stashed, error) {
	a.buf = c.Append(a.buf[:0])
	if err := a.open(); err != nil {
		return stashed{}, err
	}
	s := stashed{a.size, len(a.buf)}
	if _, err := a.file.WriteAt(a.buf, a.size); err != nil {
		return stashed{}, fmt.Errorf("cannot store latencies: %w", err)
	}
	a.size += int64(len(a.buf))
	return s, nil
}

// get adds what was stored at s to c.
func (a *attic) get(s stashed, c *latency.Counts) error {
	b := make([]byte, s.length)
	if _, err := a.file.ReadAt(b, s.offset); err != nil {
		return fmt.Errorf("cannot read stored latencies: %w", err)
	}
	if _, err := c.Decode(b); err != nil {
		return fmt.Errorf("cannot read stored latencies: %w", err)
	}
	return nil
}

func (a *attic) open() error {
	if a.file != nil {
		return nil
	}
	f, err := os.CreateTemp(a.dir, ".latencies-")
	if err != nil {
		return fmt.Errorf("cannot store latencies: %w", err)
	}
	a.file = f
	return os.Remove(f.Name()) // deleted with the process in any case
}

func (a *attic) close() {
	if a.file != nil {
		a.file.Close()
	}
}
