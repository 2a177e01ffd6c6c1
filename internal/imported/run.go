package imported

import (
	"cmp"
	"slices"

	"plinth/internal/capture"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
)

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
				c.series = append(c.series, series{r.Progress, r.origin()})
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
