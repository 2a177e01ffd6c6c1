// Package engine is a database server's life as an experiment needs it: made or
// reached, loaded, set back, described, stopped, removed. Each database is a
// package of its own below this one; every kind of server passes the conformance
// suite in enginetest.
package engine

import (
	"context"
	"time"

	"plinth/internal/host/launch"
	"plinth/internal/record"
)

// Server is the database server of one environment: one of plinth's own, or one
// that was already there. Its methods are not safe for concurrent use.
type Server interface {
	// Start makes the server ready to be used: starts plinth's own, or reaches the
	// one that is there. Starting a server that runs is not an error.
	Start(ctx context.Context) error

	// Stop stops a server of plinth's own cleanly, so that the next start has
	// nothing to recover; it keeps the data. A connected server is left alone.
	Stop(ctx context.Context) error

	// Load loads the dataset and the workloads' own tables. It may be called again:
	// then what is there is dropped, whatever runs have made of it, and all of it is
	// made and loaded anew, in new files, as a first load would.
	Load(ctx context.Context, progress func(Progress)) error

	// CheckScripts runs each script of the user's own once, after the load, so that
	// a mistake in one is found before anything is measured.
	CheckScripts(ctx context.Context) error

	// Reset sets the dataset back before a run, in a way of experiment.Reset.
	Reset(ctx context.Context, how string) error

	// Checkpoint writes out what is dirty. Where it is not permitted it does
	// nothing, and Describe says so.
	Checkpoint(ctx context.Context) error

	// Check says whether the server that was started still runs and never went
	// down in between. The error names the cause in the server's own words.
	Check(ctx context.Context) error

	// Activity reads what the server has done by itself since it started. It costs
	// the server a few milliseconds at most, and works while it is idle or driven.
	Activity(ctx context.Context) (Activity, error)

	// Describe reads what is really under test.
	Describe(ctx context.Context) (record.Environment, error)

	// Target is how a driver reaches the dataset.
	Target() Target

	// Remove stops the server and undoes all that was made for it: processes,
	// sockets, the plinth_ database. It may be called at any time, and twice.
	Remove(ctx context.Context) error
}

// Target is how a driver reaches a server: a connection string without any
// secret (it appears in process lists and records) and the variables of the load
// generator, wherever that runs (they may hold a password, and never appear).
type Target struct {
	Conninfo string
	Env      launch.Variables

	// Tools are the variables in which the server's own tools find it by
	// themselves: PGHOST and so on. They may hold a password, as Env may.
	Tools launch.Variables
}

// Activity is what a server has done by itself since it started: counters, of
// which two readings tell what happened in between.
type Activity struct {
	Started time.Time // when the server started
	// Counts is what ended or happened since the start, by name (record.AOFRewrites
	// and the others there). A name that is absent is not told by this server: never
	// a zero.
	Counts map[string]int64
	// Busy is how much of what is counted is going on right now, by the same names:
	// autovacuum's workers, a rewrite that is under way.
	Busy map[string]int64
	PID  int // of the server's first process, where it is known to run on this machine; else 0
}

// Needs is what a server will take of its machine, told before it is made.
type Needs struct {
	// Volumes are the bytes of each volume, by its role (experiment.Part). What has no
	// volume of its own is in the data's. Empty for a server that takes nothing here.
	Volumes map[string]int64
	Memory  int64 // bytes that stay in use while it is idle: shared buffers and dataset

	// SharedMemory is the part of Memory without which the server does not start.
	SharedMemory int64

	LoadTime   time.Duration
	SwitchTime time.Duration // to stop it and start it again
}

// Progress is how far a load has come.
type Progress struct {
	Step       string // "accounts", "primary keys", "vacuum"
	Done, Rows int64  // rows so far and in all; 0 where a step has no rows
	Elapsed    time.Duration
}
