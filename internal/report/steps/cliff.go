package steps

import (
	"fmt"
	"math"
	"slices"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
	"plinth/internal/verdict"
)

// Cliff is the I/O cliff in the runs of a workload in one step: TPS that falls to a lower level
// and stays there (the figures tps-drop and tps-drop-second, docs/metrics.md). Ranges are over
// runs.
type Cliff struct {
	Workload  string  `json:"workload"`
	Runs      int     `json:"runs"`                    // runs with the figure
	Seen      int     `json:"seen"`                    // runs with a cliff
	Depth     *Spread `json:"depth,omitempty"`         // share of the level before, over runs with a cliff
	Second    *Spread `json:"second,omitempty"`        // second of the drop, over the same runs
	Worst     *Spread `json:"worst_second,omitempty"`  // TPS of the worst second, as a share of the run's mean
	Variation *Spread `json:"tps_variation,omitempty"` // of the seconds of a run, a share
	// Change is the difference of the depth to the baseline's, as a share, without a verdict.
	// Runs without a cliff count as 0.
	Change *record.Verdict `json:"change,omitempty"`
}

// Spread holds the median, the minimum and the maximum over runs.
type Spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

func spreadOf(values []float64) *Spread {
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	return &Spread{show.Median(values), values[0], values[len(values)-1]}
}

// text formats the median with its range, multiplied by of: "52 % (45 to 60 %)".
func (s *Spread) text(of float64, unit string) string {
	if s == nil {
		return phrase.None
	}
	say := func(v float64) string { return phrase.Count(math.Round(v * of)) }
	if say(s.Min) == say(s.Max) {
		return say(s.Median) + unit
	}
	return fmt.Sprintf("%s (%s to %s%s)", say(s.Median)+unit, say(s.Min), say(s.Max), unit)
}

// dropFigure is the depth of a cliff.
const dropFigure = "tps-drop"

// cliffsOf returns the cliffs of one environment by workload. Workloads whose runs have no
// telemetry are left out.
func cliffsOf(counted []record.Run, workloads []show.Workload, environment string) []Cliff {
	var cliffs []Cliff
	for _, w := range workloads {
		c, found := Cliff{Workload: w.Name}, map[string][]float64{}
		for _, run := range counted {
			depth, looked := run.Figures[dropFigure]
			if run.Environment != environment || run.Workload != w.Name || !looked {
				continue
			}
			c.Runs++
			names := []string{"tps-variation"}
			if depth > 0 {
				c.Seen++
				names = append(names, dropFigure, "tps-drop-second")
			}
			for _, name := range names {
				if value, there := run.Figures[name]; there && phrase.Known(value) {
					found[name] = append(found[name], value)
				}
			}
			if lowest, there := run.Figures["tps-lowest"]; there && run.Result.TPS > 0 && phrase.Known(lowest/run.Result.TPS) {
				found["worst"] = append(found["worst"], lowest/run.Result.TPS)
			}
		}
		if c.Runs == 0 {
			continue
		}
		c.Depth, c.Second = spreadOf(found[dropFigure]), spreadOf(found["tps-drop-second"])
		c.Worst, c.Variation = spreadOf(found["worst"]), spreadOf(found["tps-variation"])
		cliffs = append(cliffs, c)
	}
	return cliffs
}

// cliffEffects adds the difference of each cliff's depth to the baseline's.
func (t *Table) cliffEffects(rec *record.Record, toBaseline []verdict.Pair) {
	if !t.sawCliff("") {
		return
	}
	effects, err := verdict.Effects(rec, toBaseline, []verdict.Quantity{{Metric: dropFigure}})
	if err != nil {
		return
	}
	for i := range t.Steps {
		for j := range t.Steps[i].Cliffs {
			c := &t.Steps[i].Cliffs[j]
			if v, found := verdictOn(effects, c.Workload, dropFigure, t.Baseline, t.Steps[i].Name); found && compare.HasNumber(v) {
				c.Change = &v
			}
		}
	}
}

// sawCliff reports whether any run of a workload had a cliff; "" means any workload.
func (t *Table) sawCliff(workload string) bool {
	return slices.ContainsFunc(t.Steps, func(s Step) bool {
		return slices.ContainsFunc(s.Cliffs, func(c Cliff) bool { return c.Seen > 0 && (workload == "" || c.Workload == workload) })
	})
}

// cliffs describes the cliff, its depth, and the effect of each step on it; nil without the
// figures.
func (t *Table) cliffs(s *show.Numbers) prose.Document {
	calm := map[string]int{}
	for _, step := range t.Steps {
		for _, c := range step.Cliffs {
			if !t.sawCliff(c.Workload) {
				calm[c.Workload] += c.Runs
			}
		}
	}
	d := prose.Document{prose.Heading("The cliff")}
	for _, w := range s.Workloads {
		if t.sawCliff(w.Name) {
			d.Add(t.cliffTable(w))
		}
	}
	var lines prose.List
	for _, w := range s.Workloads {
		if calm[w.Name] > 0 {
			lines = append(lines, fmt.Sprintf("%s: no cliff: in none of %s did %s fall from one level to a lower one", w.Label, phrase.Plural(calm[w.Name], "run"), s.Words().Rate))
		}
	}
	d.Add(lines)
	if len(d) == 1 {
		return nil
	}
	if t.sawCliff("") {
		d.Add(prose.Paragraph("A cliff is the second in which " + s.Words().Rate + " falls from one level to a lower one: its depth is how far the median after that second is below the median before it. " +
			"Values are medians over runs, with the minimum and the maximum; depth and second cover the runs that had a cliff. In the comparison with " + t.Baseline +
			", a run without a cliff has a depth of 0; this comparison has no verdict, because it was not declared before the first run. The worst second is in per cent of the run's mean."))
	}
	return d
}

// cliffTable returns the table of one workload.
func (t *Table) cliffTable(w show.Workload) prose.Table {
	table := prose.Table{Title: w.Label, Keys: 1, Columns: []prose.Column{{Title: "Step"}}}
	for _, title := range []string{"Runs with a cliff", "Depth", "At second", "Depth against " + t.Baseline, t.changeInterval(w.Name), "Worst second", "Variation"} {
		table.Columns = append(table.Columns, prose.Column{Title: title, Right: true})
	}
	for _, step := range t.Steps {
		for _, c := range step.Cliffs {
			if c.Workload == w.Name {
				table.Rows = append(table.Rows, append([]string{step.Name}, c.cells(t.Margin)...))
			}
		}
	}
	return table
}

// changeInterval returns the heading of the interval of a change: all have the level of the
// look.
func (t *Table) changeInterval(workload string) string {
	level := 0.0
	for _, step := range t.Steps {
		for _, c := range step.Cliffs {
			if c.Workload == workload && c.Change != nil {
				level = max(level, c.Change.Level)
			}
		}
	}
	return phrase.Capital(compare.LevelName(level))
}

func (c Cliff) cells(margin float64) []string {
	change, interval := phrase.None, phrase.None
	if c.Change != nil {
		change, interval = compare.Effect(*c.Change, margin), compare.Span(*c.Change, margin)
	}
	return []string{
		fmt.Sprintf("%d of %d", c.Seen, c.Runs), c.Depth.text(100, " %"), c.Second.text(1, ""), change, interval,
		c.Worst.text(100, " %"), c.Variation.text(100, " %"),
	}
}
