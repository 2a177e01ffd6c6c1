package pgbench

import (
	"fmt"
	"os"

	"plinth/internal/driver/latency"
)

// attic holds the latencies of seconds that can't be closed yet because one
// thread of pgbench is far behind: its log is buffered, 4 kB at a time, so a
// thread that waits an hour for one transaction keeps an hour of seconds open.
// They go into an unlinked temporary file, so that memory has a bound; a few
// kilobytes a second, only while a thread lags.
type attic struct {
	dir  string
	file *os.File
	size int64
	buf  []byte
}

// stashed says where in the attic a histogram lies.
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
		return stashed{}, fmt.Errorf("cannot put latencies aside: %w", err)
	}
	a.size += int64(len(a.buf))
	return s, nil
}

// get adds what was stored at s to c.
func (a *attic) get(s stashed, c *latency.Counts) error {
	b := make([]byte, s.length)
	if _, err := a.file.ReadAt(b, s.offset); err != nil {
		return fmt.Errorf("cannot read latencies put aside: %w", err)
	}
	if _, err := c.Decode(b); err != nil {
		return fmt.Errorf("cannot read latencies put aside: %w", err)
	}
	return nil
}

func (a *attic) open() error {
	if a.file != nil {
		return nil
	}
	f, err := os.CreateTemp(a.dir, ".latencies-")
	if err != nil {
		return fmt.Errorf("cannot put latencies aside: %w", err)
	}
	a.file = f
	return os.Remove(f.Name()) // gone with the process, whatever happens
}

func (a *attic) close() {
	if a.file != nil {
		a.file.Close()
	}
}
