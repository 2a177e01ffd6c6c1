package imported

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"plinth/internal/capture"
	"plinth/internal/capture/pgbench"
	"plinth/internal/experiment"
	"plinth/internal/hint"
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
			c.series = append(c.series, series{p.Progress, p.File, p.Environment, p.directory})
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

// complete gives each run its cell. It leaves out runs whose text lacks the number of clients.
func (c *collection) complete() error {
	if err := c.unused(); err != nil {
		return err
	}
	var kept []*Run
	for _, r := range c.runs {
		r.Clients = cmp.Or(r.Clients, c.known.clients)
		if r.Clients == 0 {
			const text = "a run is left out, because the text does not say its number of clients"
			c.notes = append(c.notes, located{record.Note{Rule: capture.LeftOut, Text: text, Hint: "add it: --facts clients=N"}, r.File})
			continue
		}
		if r.Result.TPS == 0 && r.Result.Transactions == 0 {
			c.note(capture.LeftOut, r.File, "a run is left out, because the text does not say its throughput, or not as a number that can be read")
			if rowsOf(r.Progress) > 0 {
				c.series = append(c.series, series{r.Progress, r.File, r.Environment, r.directory})
			}
			continue
		}
		if !possible(r.Run) {
			c.note(capture.LeftOut, r.File, "a run is left out, because its figures are larger than those of any run")
			continue
		}
		r.ID.Cell = experiment.Cell{Workload: cmp.Or(experiment.AsName(r.Workload), "unknown"), Clients: r.Clients, Threads: max(1, r.Threads), Rate: r.Rate}
		if r.Began.Clock == capture.NoClock && !c.known.started.IsZero() {
			r.Began = capture.Moment{Time: c.known.started.UTC(), Clock: capture.UTC}
		}
		kept = append(kept, r)
	}
	if c.runs = kept; !c.known.started.IsZero() && len(kept) > 1 {
		return hint.Errorf("import each run by itself", "--facts started: there are %d runs, and it can be the time of one only", len(kept))
	}
	cells := map[experiment.Cell]bool{}
	for _, r := range kept {
		cells[r.ID.Cell] = true
	}
	const mostCells = 1_000 // that an experiment can list
	if len(cells) > mostCells {
		return hint.Errorf("import fewer files at a time", "cannot import: %d different loads, more than the maximum of %d", len(cells), mostCells)
	}
	const most = 5_000 // of a record
	if len(kept) > most {
		return hint.Errorf("import fewer files at a time", "cannot import: %d runs, more than the maximum of %d", len(kept), most)
	}
	return nil
}

// unused refuses facts about runs that say it themselves.
func (c *collection) unused() error {
	says := func(is func(*Run) bool) bool { return len(c.runs) > 0 && !slices.ContainsFunc(c.runs, is) }
	switch {
	case c.known.clients > 0 && says(func(r *Run) bool { return r.Clients == 0 }):
		return hint.Errorf("leave it out", "--facts clients=%d: the runs say their number of clients", c.known.clients)
	case !c.known.started.IsZero() && says(func(r *Run) bool { return r.Began.Clock != capture.UTC }):
		return hint.Errorf("leave it out", "--facts started: the run says that it began at %s", c.runs[0].Began)
	}
	return nil
}

// possible reports whether the figures of a run are within the limits of records and experiments.
func possible(r capture.Run) bool {
	for _, v := range []float64{r.Result.TPS, r.Result.Duration, r.Result.Latency.Mean, r.Result.Latency.Stddev} {
		if !(v >= 0 && v <= 1e18) { // NaN, too
			return false
		}
	}
	return r.Clients <= 1_000_000 && r.Threads <= 1_000_000 && (r.Rate == 0 || r.Rate >= 0.001 && r.Rate <= 1e9)
}

// engines maps load generators to the servers that they drive. sysbench does not say which one it was.
var engines = map[string]string{
	"pgbench": experiment.EnginePostgres, "redis-benchmark": experiment.EngineRedis, "memtier_benchmark": experiment.EngineRedis,
}

// engine returns the engine of the runs.
func (c *collection) engine() (string, error) {
	var engine, file string
	for _, r := range c.runs {
		of := cmp.Or(engines[r.Tool], experiment.EngineOther)
		if engine != "" && engine != of {
			return "", hint.Errorf("import each by itself", "cannot import runs of different servers into one record: %s is of %s, %s of %s",
				file, experiment.EngineName(engine), r.File, experiment.EngineName(of))
		}
		engine, file = of, r.File
	}
	return engine, nil
}

// uses reports whether an environment has a run or a disk.
func (c *collection) uses(environment string) bool {
	return slices.ContainsFunc(c.runs, func(r *Run) bool { return r.Environment == environment }) ||
		slices.ContainsFunc(c.disks, func(d Disk) bool { return d.Environment == environment })
}

// arrange orders the runs, numbers them, and says what is known about their order.
func (c *collection) arrange(environments []string) record.Order {
	environments = slices.DeleteFunc(slices.Clone(environments), func(name string) bool {
		return !slices.ContainsFunc(c.runs, func(r *Run) bool { return r.Environment == name })
	})
	known := !slices.ContainsFunc(c.runs, func(r *Run) bool { return r.Began.Clock != capture.UTC })
	if known {
		slices.SortStableFunc(c.runs, func(a, b *Run) int { return a.Began.Time.Compare(b.Began.Time) })
	}
	type place struct {
		environment string
		cell        experiment.Cell
	}
	repeats := map[place]int{}
	for _, r := range c.runs {
		p := place{r.Environment, r.ID.Cell}
		repeats[p]++
		r.ID.Repeat, r.ID.Attempt, r.Position = repeats[p], 1, slices.Index(environments, r.Environment)+1
		if r.Rate > 0 {
			r.Result.Loop = "open"
		}
		r.Result.Loop = cmp.Or(r.Result.Loop, "closed")
	}
	switch {
	case !known, len(environments) < 2, c.doubtful:
		return record.OrderUnknown
	case c.alternate(environments):
		return record.OrderAlternate
	case apart(c.runs):
		return record.OrderApart
	}
	return record.OrderMixed
}

// alternate reports whether the runs of each cell, in order of time, can be divided into blocks with one
// run of each environment. If so, it sets the positions in the blocks.
func (c *collection) alternate(environments []string) bool {
	positions := map[*Run]int{}
	cells := map[experiment.Cell][]*Run{}
	for _, r := range c.runs {
		cells[r.ID.Cell] = append(cells[r.ID.Cell], r)
	}
	for _, runs := range cells {
		if len(runs) < 2*len(environments) || len(runs)%len(environments) != 0 {
			return false // a single block shows no alternation
		}
		for block := range slices.Chunk(runs, len(environments)) {
			seen := map[string]bool{}
			for i, r := range block {
				seen[r.Environment], positions[r] = true, i+1
			}
			if len(seen) < len(environments) {
				return false
			}
		}
	}
	for r, position := range positions {
		r.Position = position
	}
	return true
}

// apart reports whether the runs, in order of time, are all of one environment, then all of another.
func apart(runs []*Run) bool {
	var seen []string
	for _, r := range runs {
		if slices.Contains(seen, r.Environment) && seen[len(seen)-1] != r.Environment {
			return false
		}
		seen = once(seen, r.Environment)
	}
	return true
}

// fixedOrder reports whether each block has its environments in the same order: then a steady trend of the
// machine is part of each difference.
func (c *collection) fixedOrder() bool {
	at := map[string]int{}
	for _, r := range c.runs {
		if before, seen := at[r.Environment]; seen && before != r.Position {
			return false
		}
		at[r.Environment] = r.Position
	}
	return true
}

// unlike points out runs of one cell that differ in what is not part of a cell. Then they are not repeats of
// the same load, and no verdict is possible.
func (c *collection) unlike() {
	first := map[experiment.Cell]*Run{}
	for _, r := range c.runs {
		other := first[r.ID.Cell]
		if other == nil {
			first[r.ID.Cell] = r
			continue
		}
		for _, option := range []string{"scaling factor", "query mode", "partitions", "maximum number of tries"} {
			if a, b := other.Options[option], r.Options[option]; a != "" && b != "" && a != b {
				c.doubtful = true
				c.note(capture.Contradiction, r.File, "its %s is %s, and that of %s is %s: they are not runs of the same load", option, b, other.File, a)
			}
		}
		if r.Reconnect != other.Reconnect || max(1, r.Pipeline) != max(1, other.Pipeline) {
			c.doubtful = true
			c.note(capture.Contradiction, r.File, "it connects or sends requests in another way than %s: they are not runs of the same load", other.File)
		}
	}
}

// rate prints a throughput with as many digits as tools do.
func rate(tps float64) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.6f", tps), "0"), ".") + " a second"
}
