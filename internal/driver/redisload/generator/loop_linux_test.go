package generator

import (
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// echo is a socket whose server answers each write at once, and which looks at the
// clock itself.
type echo struct {
	base        time.Time
	reply       []byte
	wrote, read int64
	last        int64 // when the write began whose reply was read
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

// echoThread is a thread with one client whose server is e.
func echoThread(tb testing.TB, c Config, reply string) (*thread, *echo) {
	tb.Helper()
	c.Clients, c.Threads, c.Pipeline, c.Duration = 1, 1, max(c.Pipeline, 1), time.Hour
	l := &load{config: c, dialer: &dialer{}}
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
	t.clients[0].asked = unix.EPOLLIN // nothing is asked of epoll
	if err := t.next(&t.clients[0]); err != nil {
		tb.Fatal(err)
	}
	return t, e
}

// clocked notes when a read has ended: the last that it does.
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

// TestClock: what is counted as latency is the time between the beginning of the write
// and the end of the read, to less than 5 µs. The median, because anything may take the
// CPU away in between.
func TestClock(t *testing.T) {
	th, e := echoThread(t, Config{Scripts: []Script{{"get", 1}}, Keyspace: 1000}, "$3\r\nabc\r\n")
	var errors []time.Duration
	for range 20_000 {
		part := &th.second.Parts[0]
		before := part.Latency
		if err := th.receive(&th.clients[0]); err != nil {
			t.Fatal(err)
		}
		if part == &th.second.Parts[0] {
			errors = append(errors, time.Duration(part.Latency-before-(e.read-e.last)))
		}
		th.drain()
	}
	slices.Sort(errors)
	at := func(q float64) time.Duration { return errors[int(q*float64(len(errors)-1))] }
	t.Logf("latencies are too long by %v (median), %v (p99), %v (p99.9)", at(0.5), at(0.99), at(0.999))
	if at(0.5) < 0 || at(0.5) > 5*time.Microsecond {
		t.Errorf("the median error of the clock is %v", at(0.5))
	}
}

// TestLoopAllocatesNothing: once a load is under way.
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

// BenchmarkLoop is all that a request costs but for system calls.
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

// BenchmarkSecond is what telling a second costs, once a second: 1 % would be 10 ms.
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
