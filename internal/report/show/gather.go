package show

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// labels holds the names of pgbench's built-in scripts in the published tables.
var labels = map[string]string{"select-only": "RO", "simple-update": "RW", "tpcb-like": "TPC-B"}

// gathering is the state while a record's numbers are computed.
type gathering struct {
	rec         *record.Record
	exp         *experiment.Experiment
	cells       []experiment.Cell
	threads     int
	percentiles bool // merge histograms, which takes some time
	envs        []string
	counted     []record.Run
}

// Gather computes the numbers of rec for the cells with the given thread count (0 means all)
// and the named environments (none means all).
func Gather(rec *record.Record, threads int, percentiles bool, only ...string) (*Numbers, error) {
	exp, unread := experimentOf(rec)
	g := &gathering{rec: rec, exp: exp, cells: cellsIn(exp, rec, unread), threads: threads, percentiles: percentiles}
	for _, e := range exp.Environments {
		if len(only) == 0 || slices.Contains(only, e.Name) {
			g.envs = append(g.envs, e.Name)
		}
	}
	if g.threads != 0 && !slices.Contains(exp.Threads, g.threads) {
		return nil, hint.Errorf("use one of "+phrase.Ints(exp.Threads), "the experiment has no cell with %s", phrase.Plural(g.threads, "thread"))
	}
	runs := slices.DeleteFunc(slices.Clone(rec.Runs), func(r record.Run) bool {
		return !g.wanted(r.Cell) || !slices.Contains(g.envs, r.Environment)
	})
	show := &Numbers{Schema: Schema, Threads: g.threads, Record: g.head(), Method: g.method(), Workloads: g.workloads(), rec: rec}
	show.Durability = rec.Summary.Survivals(rec.Summary.Baseline, g.envs)
	var leftOut []record.Note
	g.counted, leftOut = rec.Counted(g.envs, runs)
	show.LeftOut = append([]record.Note{}, leftOut...)
	show.lostBlocks = lostBlocks(runs, g.counted, leftOut)
	show.Counted, show.Missing = g.counted, g.missing()
	for _, env := range g.envs {
		e, err := g.environment(env)
		if err != nil {
			return nil, err
		}
		show.Environments = append(show.Environments, e)
	}
	show.NotValid = []NotValid{}
	for _, run := range runs {
		if run.Status != record.Valid {
			show.NotValid = append(show.NotValid, NotValid{run.Number, run.RunID, run.Status, run.Reasons})
		}
	}
	g.warnings(show, runs)
	show.Warnings = append(show.Warnings, unread...)
	show.Experiment, show.Unread = exp, unread != nil
	if err := show.Choose(exp.Columns); err != nil {
		show.Warnings = append(show.Warnings, record.Note{Rule: "columns-unread", Text: "the columns of the experiment are not shown: " + err.Error()})
	}
	return show, nil
}

func (g *gathering) wanted(c experiment.Cell) bool { return g.threads == 0 || c.Threads == g.threads }

func (g *gathering) head() Head {
	s := g.rec.Summary
	return Head{
		Name: filepath.Base(g.rec.Path), Experiment: s.Name, Question: s.Question, Engine: s.Engine,
		State: s.State, Reason: s.Reason, Created: s.Created, Finished: s.Finished,
		Baseline: s.Baseline, Planned: s.Planned, Counts: record.Count(g.rec.Runs),
	}
}

// oneLoad reports whether one table will have percentiles beside the means: few cells are cheap
// to merge.
func (g *gathering) oneLoad() bool {
	var cells []Cell
	for _, c := range g.cells {
		if g.wanted(c) {
			cells = append(cells, Cell{Cell: c})
		}
	}
	return IsOneLoad(cells, g.workloads())
}

func (g *gathering) workloads() []Workload {
	var workloads []Workload
	for _, w := range g.exp.Workloads {
		found := Workload{Name: w.Name, Label: w.Name}
		if len(w.Scripts) == 1 && w.Scripts[0].Builtin == w.Name {
			found.Label = cmp.Or(labels[w.Name], strings.ToUpper(w.Name))
			found.ReadOnly = w.Name == "select-only"
		}
		workloads = append(workloads, found)
	}
	return workloads
}

// environment computes the numbers of one environment, in the experiment's order of cells.
func (g *gathering) environment(name string) (Environment, error) {
	e := Environment{Name: name, Cells: []Cell{}, Warnings: []record.Note{}}
	if described, ok := g.rec.Environments[name]; ok {
		e.Kind, e.Basis, e.Transport = described.Kind, described.Basis(), described.Transport
		version, _, _ := strings.Cut(described.Version, " ") // without the packager's suffix
		e.Server = strings.TrimSpace(described.Server + " " + version)
		e.Dataset = &described.Dataset
	}
	for _, c := range g.cells {
		if !g.wanted(c) {
			continue
		}
		var runs []record.Run
		for _, run := range g.counted {
			if run.Environment == name && run.Cell == c {
				runs = append(runs, run)
			}
		}
		if len(runs) == 0 {
			continue
		}
		cell, err := g.cell(c, runs)
		if err != nil {
			return e, err
		}
		e.Cells = append(e.Cells, cell)
	}
	e.Rows = g.rows(e.Cells)
	e.Averages, e.Overall = g.averages(e.Cells)
	return e, nil
}

func (g *gathering) cell(c experiment.Cell, runs []record.Run) (Cell, error) {
	cell := Cell{Cell: c, Blocks: len(runs)}
	var tps, latency []float64
	for _, run := range runs {
		tps = append(tps, run.Result.TPS)
		latency = append(latency, run.Result.Latency.Mean)
		cell.Failures += run.Result.Failures
		cell.Retries += run.Result.Retries
		cell.Skipped += run.Result.Skipped
		cell.Late += run.Result.Late
	}
	cell.TPS, cell.Latency = rangeOf(tps), rangeOf(latency)
	var err error
	if g.percentiles || g.oneLoad() {
		cell.Percentiles, cell.Distribution, err = merge(runs)
	}
	if !g.percentiles {
		err = nil // the table of one load does without them
	}
	if l := runs[0].Result.Latency; cell.Percentiles == nil && len(runs) == 1 && l.Histogram == "" && max(l.P50, l.P95, l.P99, l.P999, l.Max) > 0 {
		cell.Percentiles = &Percentiles{l.P50, l.P95, l.P99, l.P999, l.Max} // as an imported text states them
	}
	return cell, err
}

// missing returns the cells without a block that counts.
func (g *gathering) missing() []experiment.Cell {
	missing := []experiment.Cell{}
	for _, c := range g.cells {
		if g.wanted(c) && !slices.ContainsFunc(g.counted, func(r record.Run) bool { return r.Cell == c }) {
			missing = append(missing, c)
		}
	}
	return missing
}
