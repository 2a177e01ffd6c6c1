package closed

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plinth/internal/device"
)

// journal is the metadata of a sync on ext4.
var journal = []device.Request{{Kind: device.Write, Size: 8 << 10}, {Kind: device.Flush}, {Kind: device.Write, Size: 4 << 10}, {Kind: device.Flush}}

// looped returns a server with one thread: 10 µs of CPU time for a request on each side.
func looped(clients int, write time.Duration) System {
	return System{Clients: clients, CPUs: 4, Threads: 1, Data: disk(write), Loop: &Loop{Metadata: journal},
		Demand: Demand{Client: 10 * time.Microsecond, Server: 10 * time.Microsecond}}
}

// TestLoopOneClient: one client waits for all parts, one after the other: twice 10 µs, three times 5 µs until a
// thread wakes up (that of the server, that of the load generator, once each; the sync's is another).
func TestLoopOneClient(t *testing.T) {
	s := looped(1, 0)
	s.Loop.Wake = 5 * time.Microsecond
	r := Run(s, 1, Length{WarmUp: time.Second, Time: 2 * time.Second})
	near(t, "latency", r.Mean().Seconds(), 30e-6, 0.01)

	// A turn of the server's thread and one of the load generator's, of 20 µs each.
	s.Loop.Turn = 20 * time.Microsecond
	r = Run(s, 1, Length{WarmUp: time.Second, Time: 2 * time.Second})
	near(t, "latency with the CPU time of turns", r.Mean().Seconds(), 70e-6, 0.01)
	near(t, "turns", float64(r.Turns), float64(r.Transactions), 0.01)
	near(t, "times that the load generator woke up", float64(r.Wakes), float64(r.Transactions), 0.01)

	// A sync: 3 writes of 2 ms, each of which a thread waits for, and 40 µs of CPU time.
	s = looped(1, 2*time.Millisecond)
	s.Loop.Wake, s.Sync, s.WALBytes, s.Commits = 5*time.Microsecond, 40*time.Microsecond, 100, 1
	r = Run(s, 1, Length{WarmUp: time.Second, Time: 100 * time.Second})
	near(t, "latency with a sync", r.Mean().Seconds(), 6e-3+85e-6, 0.002)
	near(t, "syncs", float64(r.Flushes), float64(r.Transactions), 0.01)
	near(t, "share of the sync", r.InFlight[Append], 6.015/6.085, 0.01)
	near(t, "operations of a sync", r.Data.Operations/float64(r.Flushes), 3, 0.01)
	// The page of the data is written again; now and then the data goes into the next one, too.
	near(t, "bytes of a sync", r.Data.Bytes/float64(r.Flushes), 16<<10+100, 0.02)

	// A disk with a cache that must be flushed twice.
	s.Data.WriteCache, s.Data.Flush.Median = true, 1000*1000
	r = Run(s, 1, Length{WarmUp: time.Second, Time: 100 * time.Second})
	near(t, "latency with flushes", r.Mean().Seconds(), 8e-3+95e-6, 0.002)
}

// TestLoopBusy: many clients keep the thread busy, which does 1/s; a load generator that needs longer is what
// binds; with one CPU for both, they share it.
func TestLoopBusy(t *testing.T) {
	s := looped(64, 0)
	s.Client = 5 * time.Microsecond
	near(t, "throughput", Run(s, 1, Length{WarmUp: 100 * time.Millisecond, Time: time.Second}).TPS(), 100e3, 0.01)
	s.Client = 20 * time.Microsecond
	near(t, "throughput of the generator", Run(s, 1, Length{WarmUp: 100 * time.Millisecond, Time: time.Second}).TPS(), 50e3, 0.01)
	busy := s
	busy.Client, busy.Loop = time.Microsecond, &Loop{Turn: 100 * time.Microsecond}
	r := Run(busy, 1, Length{WarmUp: 100 * time.Millisecond, Time: time.Second})
	near(t, "CPU time of the turns and their requests", 100e-6*float64(r.Turns)+10e-6*float64(r.Transactions), r.Length.Seconds(), 0.01)
	follows := s
	follows.Client, follows.Loop = time.Microsecond, &Loop{Follow: 4 * time.Microsecond}
	r = Run(follows, 1, Length{WarmUp: 100 * time.Millisecond, Time: time.Second})
	near(t, "throughput with a replica on a CPU of its own", r.TPS(), 100e3, 0.01)
	near(t, "CPUs with a replica", r.Busy, 1.5, 0.01)
	follows.CPUs = 1
	near(t, "throughput of one CPU with a replica", Run(follows, 1, Length{WarmUp: 100 * time.Millisecond, Time: time.Second}).TPS(), 1e6/15, 0.02)
	s.CPUs = 1
	near(t, "throughput of one CPU", Run(s, 1, Length{WarmUp: 100 * time.Millisecond, Time: time.Second}).TPS(), 1e6/30, 0.01)
	s.Threads, s.CPUs = 4, 8
	near(t, "throughput with more threads", Run(s, 1, Length{WarmUp: 100 * time.Millisecond, Time: time.Second}).TPS(), 100e3, 0.01)
}

// TestLoopTurns: while one turn is synced, the next one gathers, so that N clients do N/2 in each sync if their
// requests come too late for the one that follows at once, and nearly N if the load generator is quick.
func TestLoopTurns(t *testing.T) {
	s := looped(16, 4*time.Millisecond)
	s.WALBytes, s.Commits = 100, 1
	s.Loop.Wake = 200 * time.Microsecond // the generator is late
	length := Length{WarmUp: time.Second, Time: 200 * time.Second}
	r := Run(s, 1, length)
	near(t, "requests a sync of a late generator", float64(r.Transactions)/float64(r.Flushes), 8, 0.02)
	s.Loop.Wake, s.Client = 0, 100*time.Nanosecond
	r = Run(s, 1, length)
	if n := float64(r.Transactions) / float64(r.Flushes); n < 14 || n > 16 {
		t.Errorf("%.2f requests a sync of a quick generator", n)
	}
}

// TestLoopTogether: with all clients in a third of the turns, and half of them in the others, a sync has two thirds
// of them; one client is alone whatever the share.
func TestLoopTogether(t *testing.T) {
	for clients, want := range map[int]float64{16: 16 * 2. / 3, 1: 1} {
		s := looped(clients, 4*time.Millisecond)
		s.WALBytes, s.Commits, s.Loop.Together, s.Server = 100, 1, 1./3, time.Microsecond // no reply is early
		r := Run(s, 1, Length{WarmUp: time.Second, Time: 200 * time.Second})
		near(t, "requests a sync", float64(r.Transactions)/float64(r.Flushes), want, 0.03)
	}
}

// TestLoopMix: a turn is synced if one of its requests writes.
func TestLoopMix(t *testing.T) {
	s := looped(1, time.Millisecond)
	s.WALBytes, s.Commits = 100, 0.25
	r := Run(s, 1, Length{WarmUp: time.Second, Time: 100 * time.Second})
	near(t, "syncs", float64(r.Flushes)/float64(r.Transactions), 0.25, 0.05)
}

// TestLoopYields: the background gets its CPU time, also if the thread is always busy and has the only CPU.
func TestLoopYields(t *testing.T) {
	s := looped(32, 0)
	s.CPUs, s.Background, s.Client = 1, 0.2, 0
	r := Run(s, 1, Length{WarmUp: time.Second, Time: 4 * time.Second})
	near(t, "throughput beside a background of 20 %", r.TPS(), 80e3, 0.02)
	near(t, "busy CPUs", r.Busy, 1, 0.001)
}

// TestLoopConserved: whatever the system, the transactions in flight add up to the clients, Little's law holds, no
// resource does more than it can, and no sync has more requests than there are clients.
func TestLoopConserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "clients")
		write := time.Duration(rapid.IntRange(0, 3000).Draw(t, "write µs")) * time.Microsecond
		s := looped(n, write)
		s.CPUs = rapid.IntRange(1, 4).Draw(t, "CPUs")
		s.Server = time.Duration(rapid.IntRange(1, 100).Draw(t, "server µs")) * time.Microsecond
		s.Client = time.Duration(rapid.IntRange(0, 100).Draw(t, "client µs")) * time.Microsecond
		s.Loop.Wake = time.Duration(rapid.IntRange(0, 100).Draw(t, "wake µs")) * time.Microsecond
		s.Threads = rapid.IntRange(1, 4).Draw(t, "threads")
		s.WALBytes, s.Commits = float64(rapid.IntRange(0, 5000).Draw(t, "bytes")), 1
		s.Loop.Together = rapid.Float64Range(0, 1).Draw(t, "together")
		r := Run(s, 3, Length{WarmUp: 100 * time.Millisecond, Transactions: 1000, Time: time.Hour})
		sum := 0.0
		for _, k := range r.InFlight {
			sum += k
		}
		if math.Abs(sum-float64(n)) > 0.001*float64(n) {
			t.Fatalf("%v transactions in flight of %d clients", r.InFlight, n)
		}
		if little := r.TPS() * r.Mean().Seconds(); math.Abs(little/float64(n)-1) > 0.05 {
			t.Errorf("throughput times latency is %.3f of %d clients", little, n)
		}
		if most := 1 / s.Server.Seconds(); r.TPS() > 1.05*most {
			t.Errorf("%.0f a second of at most %.0f", r.TPS(), most)
		}
		if r.Busy > 1.01*float64(s.CPUs) {
			t.Errorf("%.3f of %d CPUs are busy", r.Busy, s.CPUs)
		}
		if s.WALBytes == 0 {
			return
		}
		if r.Transactions > n*(r.Flushes+1) || r.Flushes > r.Transactions+1 {
			t.Errorf("%d requests of %d clients in %d syncs", r.Transactions, n, r.Flushes)
		}
	})
}
