package closed

import (
	"math"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/unit"
)

func disk(write time.Duration) device.Device {
	return device.Device{Name: "disk", Read: device.Latency{Median: unit.Duration(time.Millisecond)}, Write: device.Latency{Median: unit.Duration(write)}}
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got/want-1) > within {
		t.Errorf("%s is %.4g, want %.4g", what, got, want)
	}
}

var long = Length{WarmUp: 5 * time.Second, Time: 300 * time.Second}

// TestOneClient: without anybody to wait for, a transaction takes what it needs: 0.5 ms of CPU time, 2 reads of
// 1 ms, a flush of 2 ms, 0.5 ms of delay.
func TestOneClient(t *testing.T) {
	s := System{Clients: 1, CPUs: 2, Data: disk(2 * time.Millisecond), Demand: Demand{
		Client: 100 * time.Microsecond, Server: 400 * time.Microsecond, Statements: 5, Delay: 500 * time.Microsecond, Reads: 2, WALBytes: 1000, Commits: 1,
		Locks: []Lock{{Rows: 1, After: 3}},
	}}
	r := Run(s, 1, long)
	near(t, "throughput", r.TPS(), 200, 0.01)
	near(t, "latency", r.Mean().Seconds(), 0.005, 0.01)
	for place, want := range map[string]float64{CPU: 0.1, Read: 0.4, Flush: 0.4, Elapse: 0.1} {
		near(t, place, r.InFlight[place], want, 0.03)
	}
	if r.InFlight[RowLock] != 0 || r.InFlight[CPUWait] != 0 || r.Flushes < r.Transactions-1 || r.Flushes > r.Transactions+1 {
		t.Errorf("%+v, %d flushes", r.InFlight, r.Flushes)
	}
}

// TestLimits: N clients that only use m CPUs do m/c; those that only flush are flushed in two groups, so that
// they do N/2 in each flush; those that all lock one row do 1/(c+F).
func TestLimits(t *testing.T) {
	busy := System{Clients: 16, CPUs: 2, Data: disk(0), Demand: Demand{Server: time.Millisecond}}
	near(t, "CPU-bound throughput", Run(busy, 1, long).TPS(), 2000, 0.01)

	groups := System{Clients: 16, CPUs: 64, Data: disk(4 * time.Millisecond), Demand: Demand{Server: 10 * time.Microsecond, WALBytes: 100, Commits: 1}}
	r := Run(groups, 1, long)
	near(t, "commits a flush", float64(r.Transactions)/float64(r.Flushes), 8, 0.02)

	hot := System{Clients: 16, CPUs: 64, Data: disk(4 * time.Millisecond), Demand: Demand{Server: time.Millisecond, Statements: 1, WALBytes: 100, Commits: 1, Locks: []Lock{{Rows: 1, After: 1}}}}
	near(t, "throughput on one row", Run(hot, 1, long).TPS(), 250, 0.01)

	read := System{Clients: 8, CPUs: 8, Data: disk(0), Demand: Demand{Server: time.Microsecond, Reads: 1}}
	read.Data.IOPS = device.Limit{Rate: 500}
	near(t, "reads at the limit", Run(read, 1, long).TPS(), 500, 0.02)

	read.Data.IOPS, read.Data.Throughput, read.ReadSize = device.Limit{}, device.FlowLimit{Rate: 16 << 20}, 12<<10
	near(t, "reads at the limit of bytes", Run(read, 1, long).TPS(), 16*1024/12., 0.02)
}

// TestRepairman: with exponential service and one CPU, the throughput of N clients that think for Z follows from
// Erlang's formula of the machine repairman problem. CPU times are less variable here, so that it is a bound.
func TestRepairman(t *testing.T) {
	const clients = 4
	c, z := 1.0, 3.0 // ms
	p, sum := 1.0, 1.0
	for k := 1; k <= clients; k++ {
		p *= float64(clients-k+1) * c / z
		sum += p
	}
	bound := (1 - 1/sum) / c * 1000
	s := System{Clients: clients, CPUs: 1, Data: disk(0), Demand: Demand{Server: time.Millisecond, Delay: 3 * time.Millisecond}}
	got := Run(s, 1, long).TPS()
	if got < bound*0.99 || got > bound*1.12 {
		t.Errorf("throughput is %.0f, with exponential service it is %.0f", got, bound)
	}
}

// TestThink: clients that think for 9 ms of 10 are ten times as many before the CPU is full, and their latency contains
// that time.
func TestThink(t *testing.T) {
	s := System{Clients: 2, CPUs: 1, Data: disk(0), Demand: Demand{Server: time.Millisecond, Think: 9 * time.Millisecond}}
	few := Run(s, 1, long)
	near(t, "throughput of a few", few.TPS(), 2/0.0101, 0.03)
	near(t, "thinking", few.InFlight[Pause], 9*few.TPS()/1000, 0.01)
	s.Clients = 40
	many := Run(s, 1, long)
	near(t, "throughput of many", many.TPS(), 1000, 0.01)
	near(t, "thinking", many.InFlight[Pause], 9, 0.01)
	s.Clients, s.Think, s.CPUs = 40, time.Second, 1
	apart := Run(s, 1, Length{WarmUp: 2 * s.Think, Time: 300 * time.Second})
	near(t, "beside thinking, where few are awake at once", (apart.Mean() - s.Think).Seconds(), 0.00103, 0.03)
	s.Think = 9 * time.Millisecond
	if shortest := many.Quantiles(0)[0]; shortest < s.Think {
		t.Errorf("a transaction of %v thought for %v", shortest, s.Think)
	}
}

// TestConserved: the transactions in flight add up to the clients, and Little's law holds.
func TestConserved(t *testing.T) {
	s := System{Clients: 12, CPUs: 2, Background: 0.3, Data: disk(2 * time.Millisecond), Demand: Demand{
		Server: 300 * time.Microsecond, Statements: 4, Delay: time.Millisecond, Reads: 0.5, WALBytes: 2000, Commits: 1, Writes: 1, Locks: []Lock{{Rows: 5, After: 2}},
	}}
	r := Run(s, 7, long)
	sum := 0.0
	for _, n := range r.InFlight {
		sum += n
	}
	near(t, "in flight", sum, 12, 0.001)
	near(t, "throughput times latency", r.TPS()*r.Mean().Seconds(), 12, 0.01)
	again := Run(s, 7, long)
	if again.Transactions != r.Transactions || again.Length != r.Length {
		t.Error("the same seed gave another result")
	}
}

func BenchmarkRun(b *testing.B) {
	s := System{Clients: 16, CPUs: 2, Data: disk(2 * time.Millisecond), Demand: Demand{
		Server: 300 * time.Microsecond, Statements: 7, Reads: 0.5, WALBytes: 2000, Commits: 1, Writes: 1, Locks: []Lock{{Rows: 10, After: 4}},
	}}
	n := 0
	for b.Loop() {
		n += Run(s, 1, Length{Time: time.Hour, Transactions: 20000}).Transactions
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/transaction")
}

// TestLockWait: of two clients that lock one row, each waits once for each transaction, and the one that waited has the row
// while it wakes up.
func TestLockWait(t *testing.T) {
	locked := Demand{Server: 400 * time.Microsecond, Statements: 1, WALBytes: 100, Commits: 1, LockWait: 300 * time.Microsecond, Locks: []Lock{{Rows: 1, After: 1}}}
	r := Run(System{Clients: 2, CPUs: 4, Data: disk(4 * time.Millisecond), Demand: locked}, 1, long)
	near(t, "waits for the row", float64(r.LockWaits)/float64(r.Transactions), 1, 0.01)
	near(t, "throughput on the row", r.TPS(), 1/0.0043, 0.01)
}

// TestFlusher: a process that has flushed the WAL waits for a CPU like any other: here 0.18 flushes a transaction instead
// of 0.87.
func TestFlusher(t *testing.T) {
	s := System{Clients: 32, CPUs: 2, Data: disk(100 * time.Microsecond),
		Demand: Demand{Server: 400 * time.Microsecond, Statements: 4, WALBytes: 100, Commits: 1}}
	r := Run(s, 1, Length{WarmUp: time.Second, Transactions: 20000})
	if flushes := float64(r.Flushes) / float64(r.Transactions); flushes > 0.4 {
		t.Errorf("%.2f flushes a transaction", flushes)
	}
}

// TestCopy: a flush of 2 and of 11 blocks costs the emulator's CPU time for each operation and for what it copies.
func TestCopy(t *testing.T) {
	used := func(bytes float64) float64 {
		s := System{Clients: 1, CPUs: 2, Path: 100 * time.Microsecond, Copy: time.Microsecond, Data: disk(2 * time.Millisecond),
			Demand: Demand{Server: time.Microsecond, WALBytes: bytes, Commits: 1}}
		r := Run(s, 1, long)
		return (r.Busy*r.Length.Seconds() - 1e-6*float64(r.Transactions)) / r.Data.Operations
	}
	near(t, "CPU time more of an operation", used(10.5*BlockSize)-used(1.5*BlockSize), 9*8e-6, 0.02)
}

// TestFair: of many clients whose commits are flushed together, more stay together if those that have waited longer are
// served before others, so that the CPUs are idle while they are flushed.
func TestFair(t *testing.T) {
	s := System{Clients: 48, CPUs: 2, Threads: 1, Path: 100 * time.Microsecond, Sync: 40 * time.Microsecond, Data: disk(3 * time.Millisecond),
		Demand: Demand{Client: 50 * time.Microsecond, Server: 200 * time.Microsecond, Statements: 5, WALBytes: 5000, Commits: 1}}
	short := Length{WarmUp: time.Second, Transactions: 20000}
	mixed := Run(s, 1, short)
	s.Fair = true
	if fair := Run(s, 1, short); fair.TPS() > 0.95*mixed.TPS() || fair.Busy > 0.95*mixed.Busy {
		t.Errorf("%.0f a second, %.2f CPUs busy; at random %.0f, %.2f", fair.TPS(), fair.Busy, mixed.TPS(), mixed.Busy)
	}
}
