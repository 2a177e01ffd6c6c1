package neighbour

import (
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"plinth/internal/hint"
	"plinth/internal/unit"
)

// Main turns this process into a neighbour's load, and then never returns, when it
// was started as one. It must be called first in main and in TestMain of a program
// that starts one, after launch.GuardMain.
func Main() {
	if len(os.Args) == 3 && os.Args[1] == processName {
		err := serve(os.Args[2], os.Stdout)
		_ = json.NewEncoder(os.Stderr).Encode(complaint{err.Error(), hint.Of(err)})
		os.Exit(1)
	}
}

func serve(config string, reports io.Writer) error {
	var o Options
	if err := json.Unmarshal([]byte(config), &o); err != nil {
		return errors.New("this process was not started by plinth")
	}
	w := &work{reports: json.NewEncoder(reports)}
	var err error
	if o.disk() {
		if w.file, err = makeFile(o.Directory); err != nil {
			return err
		}
	}
	if o.Memory > 0 {
		if w.memory, err = w.fill(int64(o.Memory)); err != nil {
			return err
		}
	}
	return w.work(o)
}

// workers is how many blocks of a kind may be under way at once: at 2 ms each they
// come to 500 MiB/s.
const workers = 16

// reportEvery is how often the load says how far it has come.
const reportEvery = 100 * time.Millisecond

// work is all that a load does: nil for what it was not asked for.
type work struct {
	file    *file
	memory  *memory
	busy    busy
	reports *json.Encoder
}

// work goes on until something fails.
func (w *work) work(o Options) error {
	w.busy.begin(o.CPU)
	go w.memory.keepWarm()
	begin := time.Now()
	failed := make(chan error, 2*workers)
	written := w.file.drive(o.Write, begin, (*file).writeBlock, failed)
	read := w.file.drive(o.Read, begin, (*file).readBlock, failed)
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	for {
		r := report{At: time.Since(begin), Written: written.Load(), Read: read.Load()}
		if w.file != nil {
			r.Size = w.file.size
		}
		w.memory.enter(&r)
		w.busy.enter(&r)
		if err := w.reports.Encode(r); err != nil {
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
func (f *file) drive(rate unit.Rate, begin time.Time, do func(*file, []byte, int64) error, failed chan<- error) *atomic.Int64 {
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
func (f *file) worker(p *pace, do func(*file, []byte, int64) error, done *atomic.Int64) error {
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
		if err := do(f, block, at); err != nil {
			return err
		}
		done.Add(int64(blockSize))
	}
}

// slack is how much that was missed, because the disk or the CPU was busy, is made
// up for. Without any a rate would never be reached, since waits end late; with
// any amount a stall would be followed by a burst that no neighbour was asked for.
const slack = 500 * time.Millisecond

// pace is a token bucket: it says when the next block is due. Workers share one.
type pace struct {
	mu       sync.Mutex
	interval time.Duration // between blocks
	next     time.Time
}

func newPace(rate unit.Rate, begin time.Time) *pace {
	return &pace{interval: time.Duration(float64(blockSize) / float64(rate) * float64(time.Second)), next: begin}
}

// take is when the block that is taken may be begun: in the past for what is made
// up for.
func (p *pace) take(now time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if earliest := now.Add(-slack); p.next.Before(earliest) {
		p.next = earliest
	}
	due := p.next
	p.next = due.Add(p.interval)
	return due
}
