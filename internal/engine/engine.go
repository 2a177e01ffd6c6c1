// Package engine defines the life cycle of a database server in an experiment: create it or connect
// to it, load, reset, describe, stop and remove it. Each database has a package below this one, and
// every kind of server must pass the conformance suite in enginetest.
package engine

import (
	"context"
	"time"

	"plinth/internal/host/launch"
	"plinth/internal/record"
)

// Server is the database server of one environment: one that plinth creates ("own"), or one that
// already exists ("connected"). Its methods are not safe for concurrent use.
type Server interface {
	// Start makes the server ready for use: it starts plinth's own server, or connects to an
	// existing one. Starting a running server is not an error.
	Start(ctx context.Context) error

	// Stop stops plinth's own server cleanly, so that the next start needs no recovery; the data
	// stays. A connected server is left alone.
	Stop(ctx context.Context) error

	// Load loads the dataset and the workloads' own tables. It may be called again: then it drops
	// the existing dataset, whatever its state, and loads it again into new files, as the first
	// load did.
	Load(ctx context.Context, progress func(Progress)) error

	// CheckScripts runs each of the user's scripts once, after the load, to find mistakes in them
	// before anything is measured.
	CheckScripts(ctx context.Context) error

	// Reset restores the dataset before a run, by one of the methods of experiment.Reset.
	Reset(ctx context.Context, how string) error

	// Checkpoint writes out dirty data. Where it is not permitted it does nothing, and Describe
	// notes it.
	Checkpoint(ctx context.Context) error

	// Check returns an error unless the server that was started is still running and has not gone
	// down in between. The error gives the cause in the server's own words.
	Check(ctx context.Context) error

	// Activity reads what the server has done on its own since it started. It costs the server a
	// few milliseconds at most, and works on an idle server and under load.
	Activity(ctx context.Context) (Activity, error)

	// Describe reads the actual state of the system under test.
	Describe(ctx context.Context) (record.Environment, error)

	// Target returns how a driver reaches the dataset.
	Target() Target

	// Remove stops the server and undoes everything that was created for it: processes, sockets,
	// the plinth_ database. It may be called at any time, and twice.
	Remove(ctx context.Context) error
}

// Target is how a driver reaches a server: a connection string without secrets (it appears in
// process lists and records), and the load generator's environment variables, wherever it runs
// (they may hold a password, and are never shown).
type Target struct {
	Conninfo string
	Env      launch.Variables

	// Tools are the environment variables by which the server's own tools find it without
	// arguments: PGHOST and so on. They may hold a password, as Env may.
	Tools launch.Variables
}

// Activity holds what a server has done on its own since it started, as counters: the difference of
// two readings covers the time in between.
type Activity struct {
	Started time.Time // when the server started
	// Counts are the events since the start that have ended, by name (record.AOFRewrites and the other names
	// there). A name is absent, not 0, if this server does not report it.
	Counts map[string]int64
	// Busy is how much of each counted activity is in progress, under the same names: autovacuum
	// workers, a running rewrite.
	Busy map[string]int64
	PID  int // of the server's first process if it is known to run on this machine; else 0
}

// Needs holds what a server will use of its machine, estimated before it is created.
type Needs struct {
	// Volumes are the bytes needed on each volume, by its role (experiment.Part). Parts without a
	// volume of their own count towards the data volume. Empty for a server that uses no storage
	// here.
	Volumes map[string]int64
	Memory  int64 // bytes in use while it is idle: shared buffers and dataset

	// SharedMemory is the part of Memory without which the server does not start.
	SharedMemory int64

	LoadTime   time.Duration
	SwitchTime time.Duration // time to stop it and start it again
}

// Progress is the progress of a load.
type Progress struct {
	Step       string // "accounts", "primary keys", "vacuum"
	Done, Rows int64  // rows so far and in total; 0 for a step without rows
	Elapsed    time.Duration
}
