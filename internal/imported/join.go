package imported

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"plinth/internal/capture"
	"plinth/internal/capture/pgbench"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// joinThreads makes a run of the transaction logs that the threads of one pgbench wrote: they are in
// one directory, and their names differ in the number of the thread.
func (c *collection) joinThreads() {
	var names []string
	of := map[string][]*Run{}
	for _, log := range c.logs {
		name := prefixOf(log)
		if of[name] == nil {
			names = append(names, name)
		}
		of[name] = append(of[name], log)
	}
	c.logs = nil
	for _, name := range names {
		threads := of[name]
		joined := *threads[0]
		var parts []capture.Run
		for _, thread := range threads {
			parts = append(parts, thread.Run)
			if thread != threads[0] {
				joined.Notes = append(joined.Notes, thread.Notes...)
			}
		}
		run, err := pgbench.Threads(parts)
		if err != nil {
			c.note(capture.LeftOut, threads[0].File, "%v", err)
			continue
		}
		joined.Run = run
		c.logs = append(c.logs, &joined)
	}
}

// joinProgress gives the progress that pgbench printed to another file than its summary to the run of the
// summary: the only one in the environment that has no progress and agrees in length and throughput.
// Other progress without a summary becomes a series of no run.
func (c *collection) joinProgress() {
	var runs, progress []*Run
	for _, r := range c.runs {
		if r.Clients == 0 && r.Result.Transactions == 0 && rowsOf(r.Progress) > 0 {
			progress = append(progress, r)
		} else {
			runs = append(runs, r)
		}
	}
	for _, p := range progress {
		fits := func(r *Run) bool { return rowsOf(r.Progress) == 0 && agrees(p.Progress, r.Result) }
		fitting := beside(p, runs, fits)
		if len(fitting) != 1 || !fits(fitting[0]) {
			c.series = append(c.series, series{p.Progress, p.origin()})
			for _, note := range p.Notes {
				c.notes = append(c.notes, located{note, p.File})
			}
			continue
		}
		fitting[0].Progress = p.Progress
		if fitting[0].Began.Clock == capture.NoClock {
			fitting[0].Began = p.Began
		}
	}
	c.runs = runs
}

// beside returns the runs that a part of a run may belong to: the only run in its directory, or those in its
// directory that fit. If that has no run, those in its environment that fit; and if that has none, as where
// each tool has its own directory, all that fit.
func beside(part *Run, runs []*Run, fits func(*Run) bool) []*Run {
	var near, own, other []*Run
	for _, r := range runs {
		switch {
		case r.Tool != part.Tool:
		case r.directory == part.directory:
			near = append(near, r)
		case r.Environment == part.Environment:
			own = append(own, r)
		default:
			other = append(other, r)
		}
	}
	misfit := func(r *Run) bool { return !fits(r) }
	switch {
	case len(near) == 1:
		return near
	case len(near) > 1:
		return slices.DeleteFunc(near, misfit)
	case len(own) > 0:
		return slices.DeleteFunc(own, misfit)
	}
	return slices.DeleteFunc(other, misfit)
}

// agrees reports whether progress can be that of a run: it ends within an interval of the run's end, and
// its mean is the run's throughput, within 5 % and what the seconds after the last reading can add.
func agrees(progress capture.Series, result record.Result) bool {
	at := slices.IndexFunc(progress.Columns, func(c record.Column) bool { return c.Name == "tps" })
	if at < 0 || len(progress.Times) == 0 || progress.Times[0].Clock != capture.Relative {
		return false
	}
	sum, n := 0.0, 0.0
	for _, v := range progress.Columns[at].Values {
		if !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	last := progress.Times[len(progress.Times)-1].Time.Sub(time.Unix(0, 0)).Seconds()
	return n > 0 && last > 0 && math.Abs(last-result.Duration) <= 1+progress.Interval && math.Abs(sum/n-result.TPS) <= (0.05+max(1, progress.Interval)/last)*result.TPS
}

// threadOf matches what pgbench appends to the name of a log: the process, and the thread from 1.
var threadOf = regexp.MustCompile(`^(.*\.[0-9]+)\.[0-9]+$`)

// prefixOf returns what the paths of the logs of one pgbench have in common.
func prefixOf(log *Run) string {
	name := strings.TrimSuffix(filepath.Base(log.File), ".gz")
	if m := threadOf.FindStringSubmatch(name); m != nil {
		name = m[1]
	}
	return filepath.Join(log.directory, name)
}

// joinLogs gives a summary of pgbench what the log of the same run says more: percentiles, seconds, and
// when it was. The log of a directory with one summary is that of its run; elsewhere, the log must agree
// with the summary, and nothing else come into question. Of a log that contradicts its summary only the
// time is used. A log without a summary is a run.
func (c *collection) joinLogs() {
	summaries := slices.Clone(c.runs)
	for _, log := range c.logs {
		fits := func(r *Run) bool {
			_, disagreements, err := pgbench.Join(r.Run, log.Run)
			return !r.logged && r.Began.Clock != capture.UTC && err == nil && len(disagreements) == 0
		}
		fitting := beside(log, summaries, fits)
		switch {
		case len(fitting) == 1 && !fitting[0].logged && fitting[0].Began.Clock != capture.UTC:
			c.joinLog(fitting[0], log)
		case len(fitting) > 0:
			c.note(capture.LeftOut, log.File, "the log is not used: it is not clear to which summary it belongs (%s)", fitting[0].File)
		case slices.ContainsFunc(summaries, func(r *Run) bool { return r.Tool == log.Tool && r.directory == log.directory }):
			c.note(capture.Contradiction, log.File, "the log is not used: it agrees with no summary in its directory")
		default:
			c.runs = append(c.runs, log)
		}
	}
	c.logs = nil
}

// joinLog completes a run with its log.
func (c *collection) joinLog(run, log *Run) {
	run.logged = true
	joined, disagreements, err := pgbench.Join(run.Run, log.Run)
	switch {
	case err != nil:
		c.note(capture.Contradiction, log.File, "it is beside %s, but %v", run.File, err)
	case len(disagreements) > 0:
		run.Began = log.Began
		for _, note := range disagreements {
			note.Text += ": the log is not used, apart from its time"
			run.Notes = append(run.Notes, note)
		}
	default:
		run.Run = joined
		run.Notes = append(run.Notes, log.Notes...)
	}
}

// sameRuns finds runs that two files have: all their figures are equal. In one environment the later
// one is left out.
func (c *collection) sameRuns() {
	var kept []*Run
	for _, r := range c.runs {
		at := slices.IndexFunc(kept, func(k *Run) bool { return same(k.Run, r.Run) })
		if at < 0 {
			kept = append(kept, r)
			continue
		}
		first := kept[at]
		c.note(capture.Contradiction, r.File, "it has the same figures to the last digit as %s (%s, %s): one run under two names",
			first.File, unit.Count(int(r.Result.Transactions), "transaction"), rate(r.Result.TPS))
		if first.Environment != r.Environment {
			kept = append(kept, r)
			c.doubtful = true
		}
	}
	c.runs = kept
}

// same reports whether two runs are one. Two runs of a fixed number of transactions have that number in
// common, but not their throughput to six digits and their latency.
func same(a, b capture.Run) bool {
	return a.Tool == b.Tool && a.Workload == b.Workload && a.Result.Transactions == b.Result.Transactions &&
		a.Result.TPS == b.Result.TPS && a.Result.Latency.Mean == b.Result.Latency.Mean && a.Result.Latency.Stddev == b.Result.Latency.Stddev &&
		a.Result.TPS > 0 && a.Result.TPS != float64(int64(a.Result.TPS))
}

// rate prints a throughput with as many digits as tools do.
func rate(tps float64) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.6f", tps), "0"), ".") + " a second"
}
