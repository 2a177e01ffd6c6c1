// Package closed simulates a closed system: clients that run one transaction after the other on the CPUs
// and the disks of a server. A simulation has no clock and no I/O: the same system and seed give the same
// result. Disks are package device's, which the emulator uses, too.
//
// The simulation has what a mean-value formula lacks: CPUs, the load generator's threads and hot rows are
// queues in which the same transactions wait that the disk delays, and the WAL is flushed for a group of
// commits. Redis, whose only thread serves all clients in turns, is another kind of server (Loop).
package closed

import (
	"slices"
	"time"

	"plinth/internal/device"
)

// Demand lists the needs of a transaction, on average.
type Demand struct {
	Client     time.Duration // CPU time of the load generator
	Server     time.Duration // CPU time of the backend
	Statements int           // round trips, between which the CPU times are divided; at least 1
	// Think is the time that a client sleeps at the beginning of a transaction. Each sleeps as long.
	Think    time.Duration `json:",omitempty"`
	Delay    time.Duration // time that passes without use of a CPU or a disk: the network, waking up
	Reads    float64       // reads from the data's disk
	ReadSize int64         // bytes of one; 0 for a block
	ReadsIn  int           // the statement that reads, from 1; 0 if all do
	WALBytes float64       // bytes that a commit waits for; 0 if none waits
	Commits  float64       // share of the transactions whose commit waits
	// Writes are operations on the data's disk that no transaction waits for: those of checkpoints and of the
	// background writer.
	Writes    float64
	WriteSize int64 // bytes of one
	// Locks are the rows that a transaction locks until it ends, in this order.
	Locks []Lock
	// LockWait is the CPU time of the backend, beside Server, each time that it waited for a row lock. How often depends on
	// the disk and on the load.
	LockWait time.Duration
}

// Lock is one row of several, chosen at random.
type Lock struct {
	Rows  int
	After int // the statement that locks it, from 1
}

// System is a server with its load.
type System struct {
	Clients int
	CPUs    int // of the server
	// Others are the CPUs of all but the backends, if the server has CPUs of its own; 0 if all share CPUs.
	Others int
	// Fair gives a CPU to the one that has waited longer of two processes drawn at random; without it, to one drawn at
	// random.
	Fair       bool    `json:",omitempty"`
	Threads    int     // of the load generator, each of which runs on one CPU at most; 0 for one per client
	Background float64 // CPU seconds per second that neither the backends nor the load generator use
	// Path is the CPU time of an operation on a disk that an emulator spends; 0 for an actual disk.
	Path time.Duration
	// Copy is the CPU time that it spends more for each 1024 bytes of an operation.
	Copy time.Duration
	// Sync is the CPU time of a flush of the WAL in the server, after which its commits end; or of a sync of the
	// append-only file.
	Sync time.Duration
	Data device.Device
	// WAL is the WAL's own disk; nil if it shares the data's.
	WAL *device.Device
	// Loop is the server's only thread, whose append-only file takes the place of the WAL; nil for a server with a
	// backend for each client.
	Loop *Loop `json:",omitempty"`
	Demand
}

// WALDisk returns the disk of the WAL.
func (s System) WALDisk() device.Device {
	if s.WAL != nil {
		return *s.WAL
	}
	return s.Data
}

// BlockSize is the size in bytes of a block of PostgreSQL, and of a read unless ReadSize says otherwise. Writes of the WAL
// are rounded up to it.
const BlockSize = 8 << 10

// Where a transaction in flight is.
const (
	CPU     = "cpu"
	CPUWait = "cpu-wait"
	Read    = "data-read"
	Flush   = "wal-flush"
	RowLock = "row-lock"
	Thread  = "generator" // it waits for a thread of the load generator
	Elapse  = "delay"
	Pause   = "think"

	LoopWait = "loop-wait"  // its requests wait for the next turn of the server's thread
	InLoop   = "event-loop" // they are in the present turn: executed, or waiting for others that are
	Append   = "aof-sync"   // the append-only file is synced for their turn
)

// Result is the outcome of a simulation.
type Result struct {
	Transactions int
	Length       time.Duration
	Latencies    []time.Duration    // of the transactions, in the order in which they ended
	InFlight     map[string]float64 // mean number of transactions at each place
	Busy         float64            // mean number of busy CPUs
	BusyServer   float64            // of them, those of the server; the same if all share CPUs
	Flushes      int                // of the WAL, or syncs of the append-only file
	LockWaits    int                // for row locks
	Turns        int                // of the server's only thread
	Wakes        int                // of threads of the load generator
	Data, WAL    device.Used        // the same if the WAL shares the data's disk
}

// TPS returns the throughput a second.
func (r Result) TPS() float64 { return float64(r.Transactions) / r.Length.Seconds() }

// Mean returns the mean latency.
func (r Result) Mean() time.Duration {
	sum := time.Duration(0)
	for _, l := range r.Latencies {
		sum += l
	}
	return sum / time.Duration(max(1, len(r.Latencies)))
}

// Quantiles returns quantiles of the latency, each from 0 to 1.
func (r Result) Quantiles(of ...float64) []time.Duration {
	sorted := slices.Clone(r.Latencies)
	slices.Sort(sorted)
	all := make([]time.Duration, len(of))
	for i, q := range of {
		if len(sorted) > 0 {
			all[i] = sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
		}
	}
	return all
}
