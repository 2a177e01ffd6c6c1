package demand

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/figure/window"
	"plinth/internal/hint"
	"plinth/internal/record"
)

// reading holds the use of a run: CPU seconds, operations and bytes a second, unless a field says otherwise.
type reading struct {
	tps                                 float64
	backends, own, generator, server    float64 // of Redis, the thread that executes the requests is its backends
	plinth, others, emulators, answered float64
	wal, syncs                          float64
	reads, readBytes                    float64 // of the data's disk
	writes, writeBytes                  float64 // of the data's disk; the WAL's own writes are left out
	moved                               float64 // bytes that emulated disks read and wrote
	walOperations, walBytes             float64 // of the WAL's own disk
	working                             float64 // emulators that answered operations
	statements                          float64
	locks                               float64 // share of the sessions' time that they waited for row locks
	think                               float64 // seconds of a transaction in which the load generator slept
	saving                              float64 // share of the time in which a child process of Redis saved or rewrote a file
	replica, following                  float64 // a replica, and the emulators of its disks
}

func read(rec *record.Record, run *record.Run, used func(*window.Window) (reading, error)) (r reading, err error) {
	for _, b := range run.Bursts {
		if b.Ended != nil || b.Expected != nil {
			return r, hint.Errorf("measure it with runs that end before", "in %s the burst of the %s disk ended, or should have: the run is a mixture", run.Path(), b.Volume)
		}
	}
	if l := run.Result.Latency; !(l.Mean > 0) || l.P50 <= 0 || l.P95 <= 0 || l.P99 <= 0 {
		return r, fmt.Errorf("the latency of %s was not measured", run.Path())
	}
	points, err := rec.Points(run)
	if err != nil {
		return r, hint.Errorf("run it with telemetry: on", "%s has no data per second: %w", run.Path(), err)
	}
	return used(window.New(run, points))
}

// used reads what a run of PostgreSQL used.
func used(w *window.Window) (r reading, err error) {
	r, err = common(w, "process.server.backends.cpu", "process.generator.cpu", "process.server.cpu")
	r.backends, r.own = of(w, "process.server.backends.cpu"), of(w, "plinth.cpu")
	r.wal, r.syncs = of(w, "wal.bytes"), of(w, "wal.syncs")
	if active := of(w, "wait.active"); active > 0 {
		r.locks = (of(w, "wait.Lock.transactionid") + of(w, "wait.Lock.tuple")) / active
	}
	return r, err
}

// common reads what runs of all servers have. Without one of the needed columns there are no demands.
func common(w *window.Window, needed ...string) (r reading, err error) {
	run := w.Run
	for _, column := range needed {
		if n := w.Of(column).Mean(); n.Why != "" {
			return r, hint.Errorf("run it once more with this plinth", "%s lacks %s: %s", run.Path(), column, n.Why)
		}
	}
	r = reading{
		tps: run.Result.TPS, generator: of(w, "process.generator.cpu"), server: of(w, "process.server.cpu"),
		plinth: of(w, "process.plinth.cpu"), others: of(w, "process.others.cpu"), statements: run.Result.StatementsPerTransaction(),
	}
	if r.think, err = think(run); err != nil {
		return r, err
	}
	for _, c := range run.Calibrations {
		if strings.HasPrefix(c.Role, experiment.RoleReplica) {
			r.following += c.CPU / max(1e-9, run.Phases.Load)
			continue
		}
		answered := float64(c.Answered) / max(1e-9, run.Phases.Load)
		r.emulators, r.answered = r.emulators+c.CPU/max(1e-9, run.Phases.Load), r.answered+answered
		if answered > idle {
			r.working++
		}
	}
	for _, v := range run.Volumes {
		if !strings.HasPrefix(v.Role, experiment.RoleReplica) && slices.ContainsFunc(run.Calibrations, func(c record.Calibration) bool { return c.Role == v.Role }) {
			r.moved += v.WriteBytes + v.ReadBytes
		}
		if v.Role == "data" {
			r.reads, r.readBytes, r.writes, r.writeBytes = v.Reads, v.ReadBytes, v.Writes, v.WriteBytes
		}
		if v.Role == "wal" {
			r.walOperations, r.walBytes = v.Reads+v.Writes, v.ReadBytes+v.WriteBytes
		}
	}
	return r, nil
}

// idle is the number of operations a second up to which an emulator has nothing to do.
const idle = 10

// of returns the mean of the sum of columns; 0 if it is not known.
func of(w *window.Window, columns ...string) float64 {
	if n := w.Of(columns...).Mean(); n.Why == "" {
		return n.Value
	}
	return 0
}

// mean returns the means over runs.
func mean(all []reading) (m reading) {
	n := float64(len(all))
	for _, r := range all {
		for _, f := range []struct {
			to   *float64
			from float64
		}{
			{&m.tps, r.tps}, {&m.backends, r.backends}, {&m.own, r.own}, {&m.generator, r.generator}, {&m.server, r.server},
			{&m.plinth, r.plinth}, {&m.others, r.others}, {&m.emulators, r.emulators}, {&m.answered, r.answered}, {&m.wal, r.wal},
			{&m.syncs, r.syncs}, {&m.moved, r.moved}, {&m.working, r.working}, {&m.reads, r.reads}, {&m.readBytes, r.readBytes}, {&m.writes, r.writes}, {&m.writeBytes, r.writeBytes},
			{&m.statements, r.statements}, {&m.locks, r.locks}, {&m.walOperations, r.walOperations}, {&m.walBytes, r.walBytes}, {&m.think, r.think},
			{&m.saving, r.saving}, {&m.replica, r.replica}, {&m.following, r.following},
		} {
			*f.to += f.from / n
		}
	}
	return m
}
