package generator

import (
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/driver/redisload/resp"
)

// drive drives the clients until the window is over, or no request is left. It returns the
// error that prevents that.
func (t *thread) drive(origin time.Time) error {
	t.base, t.begun, t.now, t.visited = origin, true, 0, 0
	t.live = len(t.clients)
	t.first()
	if err := t.start(); err != nil {
		return err
	}
	for !t.over && !t.load.stopped.Load() {
		if err := t.turn(t.pause()); err != nil {
			return err
		}
	}
	return nil
}

// start makes clients begin, or queues them for arrivals.
func (t *thread) start() error {
	for i := range t.clients {
		if t.load.config.Rate > 0 {
			t.free.push(int32(i))
			continue
		}
		t.now = t.clock()
		if err := t.next(&t.clients[i]); err != nil {
			return err
		}
	}
	return nil
}

// grant returns how many of n requests may be sent, and whether they are measured. A limit
// on requests applies from the end of the warm-up on, over all threads.
func (t *thread) grant(n int) (granted int, counts bool) {
	limit := t.load.config.Requests
	if limit == 0 {
		return n, true
	}
	if t.now < int64(t.load.config.Warmup) {
		return n, false
	}
	before := t.load.granted.Add(int64(n)) - int64(n)
	return int(max(0, min(int64(n), limit-before))), true
}

// retire removes a client that has no more requests.
func (t *thread) retire() {
	if t.live--; t.live == 0 {
		t.second.End = t.now
		t.hand()
		t.over = true
	}
}

// count counts one reply.
func (t *thread) count(f *flight, p *resp.Parser) error {
	refused := p.Kind() == resp.Error
	if refused {
		if err := t.load.refused(p.Text()); err != nil {
			return err
		}
	}
	if !f.counts {
		return nil
	}
	part := &t.second.Parts[f.script]
	if refused {
		part.Failures++
		return nil
	}
	since := f.sent
	if t.load.fromDue {
		since = f.due
	}
	took, late := t.now-since, f.sent-f.due
	part.Done++
	part.Latency += took
	part.Longest = max(part.Longest, took)
	part.Lag += late
	part.WorstLag = max(part.WorstLag, late)
	part.Latencies.Add(took)
	if t.templates[f.script].reads {
		part.Reads++
		if p.Kind() == resp.Value {
			part.Hits++
		}
	}
	return nil
}

// first opens the first second.
func (t *thread) first() {
	t.secondEnd = 0
	t.begin(secondOf(-int64(t.load.config.Warmup)))
	t.cpu = t.cpuTime()
}

// begin opens a second, in memory of a reported one if possible.
func (t *thread) begin(number int64) {
	select {
	case t.second = <-t.empty:
		t.second.reset()
	default:
		t.second = NewSecond(len(t.templates))
	}
	t.second.Number, t.second.Begin = number, t.secondEnd
	t.secondEnd = int64(t.load.config.Warmup) + (number+1)*oneSecond
	if t.load.config.timed() {
		t.secondEnd = min(t.secondEnd, t.load.config.end())
	}
}

// cut closes the seconds that are over, and the window.
func (t *thread) cut() {
	for t.now >= t.secondEnd {
		number := t.second.Number
		t.second.End = t.secondEnd
		t.hand()
		if t.load.config.timed() && t.secondEnd == t.load.config.end() {
			t.over, t.end = true, t.unfinished()
			return
		}
		t.begin(number + 1)
	}
}

// hand passes the second on to be reported.
func (t *thread) hand() {
	cpu := t.cpuTime()
	t.second.CPU = append(t.second.CPU, cpu-t.cpu)
	t.cpu = cpu
	t.full <- t.second
}

// cpuTime returns the CPU time of this thread, in nanoseconds.
func (t *thread) cpuTime() int64 {
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t.spec) // every kernel has this clock
	return t.spec.Nano()
}

// unfinished returns what was in progress, or due, at the end of the window.
func (t *thread) unfinished() End {
	var e End
	end := t.load.config.end()
	note := func(since int64) {
		e.Cut++
		e.Unfinished = max(e.Unfinished, min(end-since, int64(t.load.config.Duration)))
	}
	for i := range t.clients {
		c := &t.clients[i]
		for j := c.answered; j < len(c.flights); j++ {
			f := &c.flights[j]
			if t.load.fromDue || j >= c.stamped {
				note(f.due)
			} else {
				note(f.sent)
			}
		}
	}
	if t.load.config.Rate > 0 && t.arrivals.due < end {
		note(t.arrivals.due)
	}
	return e
}
