// Package driver builds the command line of a load generator and turns its
// stream into points, histograms and a result. A driver never knows where it
// runs: it is handed something that starts commands.
package driver

import (
	"context"
	"os"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/host/launch"
	"plinth/internal/record"
)

// Driver drives one run and returns what was measured. An error means that the
// run failed; its text is the cause. A run that went to its end but cannot be
// trusted is an Outcome with Problems.
type Driver interface {
	Drive(ctx context.Context, launcher launch.Launcher, job Job) (*Outcome, error)
}

// Job is one run as a driver sees it.
type Job struct {
	Experiment *experiment.Experiment // the load parameters that all cells share
	Workload   experiment.Workload
	Cell       experiment.Cell

	Conninfo string           // how to reach the server, without secrets
	Env      launch.Variables // of the load generator; may hold a password

	Keep Keeper // of what the run leaves behind

	// Scratch is a private directory, not on a disk under test, for pipes between
	// the generator and plinth, and for what is put aside during the run.
	Scratch string

	// Live is called about once a second while the run goes on; may be nil.
	Live func(record.Point)

	// Begun is called once, as soon as it is known when the measured window begins
	// (by the wall clock; mostly during the warm-up); may be nil.
	Begun func(window time.Time)
}

// Keeper keeps what a run leaves behind. A driver gives names; its caller decides
// where they are, such as in the record.
type Keeper interface {
	// WriteRaw keeps a text beside the generator's raw output. path is where the
	// generator can read it.
	WriteRaw(name, text string) (path string, err error)
	// CreateRaw makes a file for the generator's raw output, which is kept verbatim.
	CreateRaw(name string) (*os.File, error)
	// CreateHistogramLog makes the file for the latencies' histograms.
	CreateHistogramLog() (*os.File, error)
}

// Outcome is what a driver measured.
type Outcome struct {
	Driver record.Driver
	Result record.Result
	Points record.Points
	// Begin and End are the measured window by the wall clock; zero where nothing
	// was measured.
	Begin, End time.Time
	Problems   []record.Note // each makes the run invalid
	Warnings   []record.Note
}
