package neighbour

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"plinth/internal/unit"
)

// workers is how many blocks of a kind may be under way at once: at 2 ms each they
// come to 500 MiB/s.
const workers = 16

// reportEvery is how often the load says how far it has come.
const reportEvery = 100 * time.Millisecond

// work reads and writes until something fails.
func (f *file) work(o Options, reports io.Writer) error {
	begin := time.Now()
	failed := make(chan error, 2*workers)
	written := f.drive(o.Write, begin, f.writeBlock, failed)
	read := f.drive(o.Read, begin, f.readBlock, failed)
	out := json.NewEncoder(reports)
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	for {
		r := report{time.Since(begin), written.Load(), read.Load(), f.size}
		if err := out.Encode(r); err != nil {
			return err // plinth is gone
		}
		select {
		case err := <-failed:
			return err
		case <-tick.C:
		}
	}
}

// drive has blocks of one kind done at a rate, and counts their bytes.
func (f *file) drive(rate unit.Rate, begin time.Time, do func([]byte, int64) error, failed chan<- error) *atomic.Int64 {
	var done atomic.Int64
	if rate == 0 {
		return &done
	}
	p := newPace(rate, begin)
	for range workers {
		go func() { failed <- f.worker(p, do, &done) }()
	}
	return &done
}

// worker does one block after the other, each when it is due.
func (f *file) worker(p *pace, do func([]byte, int64) error, done *atomic.Int64) error {
	block, err := newBlock()
	if err != nil {
		return err
	}
	timer := time.NewTimer(0)
	<-timer.C
	for {
		if wait := time.Until(p.take(time.Now())); wait > 0 {
			timer.Reset(wait)
			<-timer.C
		}
		at := rand.Int64N(f.size/int64(blockSize)) * int64(blockSize)
		if err := do(block, at); err != nil {
			return err
		}
		done.Add(int64(blockSize))
	}
}
