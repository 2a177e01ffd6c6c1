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

// Main runs a neighbour's load, and does not return, if this process was started as one.
// Programs that start loads must call it first in main and TestMain, after launch.GuardMain.
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

// workers is the number of blocks of a kind in flight: at 2 ms each they allow 500 MiB/s.
const workers = 16

// reportEvery is the interval between reports of the load.
const reportEvery = 100 * time.Millisecond

// work holds the parts of a load; those that are not configured are nil.
type work struct {
	file    *file
	memory  *memory
	busy    busy
	reports *json.Encoder
}

// work runs until something fails.
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
			return err // plinth has ended
		}
		select {
		case err := <-failed:
			return err
		case <-tick.C:
		}
	}
}

// drive processes blocks of one kind at a rate and counts their bytes.
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

// worker processes one block after the other, each when it is due.
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

// slack is how much delay, due to a busy disk or CPU, is caught up. Without slack a rate
// would never be reached, since waits end late; with unlimited slack a burst would follow
// each stall.
const slack = 500 * time.Millisecond

// pace is a token bucket that schedules the blocks. Workers share one.
type pace struct {
	mu       sync.Mutex
	interval time.Duration // between blocks
	next     time.Time
}

func newPace(rate unit.Rate, begin time.Time) *pace {
	return &pace{interval: time.Duration(float64(blockSize) / float64(rate) * float64(time.Second)), next: begin}
}

// take takes a block and returns when it is due: in the past if a delay is caught up.
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
