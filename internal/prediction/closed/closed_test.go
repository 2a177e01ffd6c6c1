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
