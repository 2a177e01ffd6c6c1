// Package driver runs load generators: it builds the command line of a load generator and turns
// its output into points (one per second), histograms and a result. A driver does not know where
// the load generator runs: the caller passes a launcher, which starts commands.
package driver

import (
	"context"
	"os"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/host/launch"
	"plinth/internal/record"
)

// Driver drives one run and returns what was measured. An error means that the run failed;
// its text is the cause. A run that completed but cannot be trusted is an Outcome with
// Problems.
type Driver interface {
	Drive(ctx context.Context, launcher launch.Launcher, job Job) (*Outcome, error)
}

// Job is one run as a driver sees it.
type Job struct {
	Experiment *experiment.Experiment // the load parameters that all cells share
	Workload   experiment.Workload
	Cell       experiment.Cell

	// Window is when the measured window begins, if several load generators have agreed on it, by
	// the wall clock of the load generator's machine. The load begins earlier: redisload's by the
	// warm-up, pgbench's as soon as its clients are connected. If it is zero, the window begins one
	// warm-up after the load. redis-benchmark, which has no warm-up, waits for it.
	Window time.Time

	// Transactions is the load generator's share of the experiment's number of transactions; 0 for
	// all of it.
	Transactions int64

	Conninfo string           // how to reach the server, without secrets
	Env      launch.Variables // of the load generator; may hold a password

	Keep Keeper // keeps the run's files

	// Scratch is a private directory, not on a disk under test, for pipes between the load
	// generator and plinth, and for temporary data of the run.
	Scratch string

	// Live is called about once a second during the run; may be nil.
	Live func(record.Point)

	// Begun is called once, as soon as the start of the measured window is known (by the
	// wall clock; mostly during the warm-up); may be nil.
	Begun func(window time.Time)
}

// Keeper keeps a run's files. A driver chooses names; its caller chooses where they are,
// such as in the record.
type Keeper interface {
	// WriteRaw keeps a text beside the load generator's raw output. path is where the load
	// generator can read it.
	WriteRaw(name, text string) (path string, err error)
	// CreateRaw creates a file for the load generator's raw output, which is kept verbatim.
	CreateRaw(name string) (*os.File, error)
	// CreateHistogramLog creates the file for the latencies' histograms.
	CreateHistogramLog() (*os.File, error)
}

// Outcome holds what a driver measured.
type Outcome struct {
	Driver record.Driver
	Result record.Result
	Points record.Points
	// KeyReads is how many of the transactions read a key that may not exist: Result.Hits is a share
	// of these, and several shares are combined by it. 0 if unknown.
	KeyReads int64
	// Begin and End are the measured window by the wall clock; zero where nothing was
	// measured.
	Begin, End time.Time
	Problems   []record.Note // each makes the run invalid
	Warnings   []record.Note
}
