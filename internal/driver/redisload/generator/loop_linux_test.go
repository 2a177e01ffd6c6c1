package generator

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/sys/unix"
)

// echo is a socket whose server answers each write at once, and which reads the clock
// itself.
type echo struct {
	base        time.Time
	reply       []byte
	wrote, read int64
	last        int64 // start of the write whose reply was read
}

func (e *echo) unsent() bool { return false }

func (e *echo) write(pieces []unix.Iovec) (n int, err error) {
	e.last, e.wrote = e.wrote, int64(time.Since(e.base))
	for _, p := range pieces {
		n += int(p.Len)
	}
	return n, nil
}

func (e *echo) readBytes(b []byte) (int, bool, error) {
	n := copy(b, e.reply)
	return n, false, nil
}

// echoThread returns a thread with one client, and its server.
func echoThread(tb testing.TB, c Config, reply string) (*thread, *echo) {
	tb.Helper()
	c.Clients, c.Threads, c.Pipeline, c.Duration = 1, 1, max(c.Pipeline, 1), time.Hour
	l := &load{config: c, dialer: &dialer{}, fromDue: c.Rate > 0}
	templates, err := l.templates()
	if err != nil {
		tb.Fatal(err)
	}
	t, err := l.newThread(0, templates)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(t.close)
	e := &echo{base: time.Now(), reply: []byte(reply)}
	t.base, t.begun, t.live = e.base, true, 1
	t.first()
	t.clients[0].sock = clocked{e}
	t.clients[0].asked = unix.EPOLLIN // nothing is registered with epoll
	if c.Rate > 0 {
		t.free.push(0)
		time.Sleep(time.Duration(t.arrivals.due))
		if err := t.arrive(); err != nil {
			tb.Fatal(err)
		}
	} else if err := t.next(&t.clients[0]); err != nil {
		tb.Fatal(err)
	}
	return t, e
}

// clocked records when a read ended, as its last action.
type clocked struct{ *echo }

func (c clocked) read(b []byte) (int, bool, error) {
	n, more, err := c.readBytes(b)
	c.echo.read = int64(time.Since(c.base))
	return n, more, err
}

func (t *thread) drain() {
	for {
		select {
		case s := <-t.full:
			t.giveBack(s)
		default:
			return
		}
	}
}

// slow is an echo in virtual time: writes and reads take a while.
type slow struct {
	*echo
	wait func() // during a read, before its reply arrives
}

func (s slow) write(pieces []unix.Iovec) (int, error) {
	n, err := s.echo.write(pieces)
	time.Sleep(3 * time.Microsecond)
	return n, err
}

func (s slow) read(b []byte) (int, bool, error) {
	s.wait()
	n, more, err := s.readBytes(b)
	s.echo.read = int64(time.Since(s.base))
	return n, more, err
}

// TestClock checks that latency is the time between the start of the write and the end of
// the read.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th, e := echoThread(t, Config{Scripts: []Script{{"get", 1}}, Keyspace: 1000}, "$3\r\nabc\r\n")
		wait := 10 * time.Microsecond
		th.clients[0].sock = slow{e, func() { time.Sleep(wait) }}
		for i := range 2000 {
			part := &th.second.Parts[0]
			before := part.Latency
			if err := th.receive(&th.clients[0]); err != nil {
				t.Fatal(err)
			}
			if got := part.Latency - before; part == &th.second.Parts[0] && got != e.read-e.last {
				t.Fatalf("request %d: %s are counted of %s", i, time.Duration(got), time.Duration(e.read-e.last))
			}
			wait += 7 * time.Microsecond
			th.drain()
		}
	})
}

// TestStall has a server that does not answer from the first second to the third of six, at
// a set rate: latencies start when requests are due, so what was due meanwhile shows.
func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const from, to, end = time.Second, 3 * time.Second, 6 * time.Second
		th, e := echoThread(t, Config{Scripts: []Script{{"get", 1}}, Keyspace: 1000, Rate: 500}, "$3\r\nabc\r\n")
		th.clients[0].sock = slow{e, func() {
			time.Sleep(20 * time.Microsecond)
			if at := time.Since(e.base); at >= from && at < to {
				time.Sleep(to - at)
			}
		}}
		h := hdrhistogram.New(1, int64(time.Minute), 3)
		done := int64(0)
		add := func(s *Second) {
			s.Parts[0].Latencies.AddTo(h)
			done += s.Parts[0].Done
		}
		for th.clock() < int64(end) {
			if err := th.receive(&th.clients[0]); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(max(0, th.arrivals.due-th.clock())))
			if err := th.arrive(); err != nil {
				t.Fatal(err)
			}
			for len(th.full) > 0 {
				s := <-th.full
				add(s)
				th.giveBack(s)
			}
		}
		add(th.second)
		if h.TotalCount() != done || done < 2700 || done > 3300 { // 3000 are due, plus or minus 55
			t.Errorf("%d latencies of %d requests", h.TotalCount(), done)
		}
		// A third of all was due during the stall: p99 lies 3 % below its length.
		if p99 := time.Duration(h.ValueAtPercentile(99)); p99 < 1800*time.Millisecond || p99 > 2*time.Second {
			t.Errorf("p99 is %s", p99)
		}
		if p50 := time.Duration(h.ValueAtPercentile(50)); p50 > time.Millisecond {
			t.Errorf("the median is %s", p50)
		}
	})
}

// TestLoopAllocatesNothing checks that a load allocates nothing in steady state.
func TestLoopAllocatesNothing(t *testing.T) {
	for name, c := range map[string]Config{
		"get":      {Scripts: []Script{{"get", 1}}, Keyspace: 1000},
		"zipfian":  {Scripts: []Script{{"get", 1}}, Keyspace: 1000, Distribution: "zipfian"},
		"mix":      {Scripts: []Script{{"ping", 1}, {"set", 5}}, Payload: 100, Keyspace: 10},
		"large":    {Scripts: []Script{{"mset", 1}}, Payload: 180_000, Keyspace: 10},
		"pipeline": {Scripts: []Script{{"set", 1}}, Payload: 100, Keyspace: 10, Pipeline: 16},
	} {
		th, _ := echoThread(t, c, "+OK\r\n")
		for range 100 {
			_ = th.receive(&th.clients[0])
		}
		if n := testing.AllocsPerRun(1000, func() {
			_ = th.receive(&th.clients[0])
		}); n != 0 {
			t.Errorf("%s: %g allocations a request", name, n)
		}
	}
}

// BenchmarkLoop measures the cost of a request without system calls.
func BenchmarkLoop(b *testing.B) {
	for name, c := range map[string]Config{
		"get":     {Scripts: []Script{{"get", 1}}, Keyspace: 1000},
		"zipfian": {Scripts: []Script{{"get", 1}}, Keyspace: 1_000_000_000, Distribution: "zipfian"},
		"mix":     {Scripts: []Script{{"ping", 1}, {"set", 5}}, Payload: 100, Keyspace: 10},
	} {
		b.Run(name, func(b *testing.B) {
			th, _ := echoThread(b, c, "$3\r\nabc\r\n")
			b.ReportAllocs()
			for b.Loop() {
				if err := th.receive(&th.clients[0]); err != nil {
					b.Fatal(err)
				}
				th.drain()
			}
		})
	}
}

// BenchmarkSecond measures the cost of reporting a second: 1 % would be 10 ms.
func BenchmarkSecond(b *testing.B) {
	th, _ := echoThread(b, Config{Scripts: []Script{{"get", 1}}, Keyspace: 1000}, "$3\r\nabc\r\n")
	for i := range 100_000 {
		th.second.Parts[0].Latencies.Add(int64(i) * 30)
	}
	full := th.second
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		th.second = full
		th.hand()
		s := <-th.full
		out = frame(out[:0], frameSecond, func(b []byte) []byte { return appendSecond(b, s) })
	}
	b.ReportMetric(float64(len(out)), "bytes")
}
