package diagnosis

import (
	"cmp"
	"path/filepath"
	"slices"

	"plinth/internal/diagnosis/share"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/record"
)

// Overview is the diagnosis of a whole record: of each cell, its environments side by side.
type Overview struct {
	Schema string         `json:"schema"`
	Record string         `json:"record"`
	With   string         `json:"with,omitempty"` // the second record, if two are compared
	Cells  []CellOverview `json:"cells"`
}

// CellOverview is the diagnosis of a cell.
type CellOverview struct {
	experiment.Cell
	Environments []Binding `json:"environments"`
	// Differences are those of each environment from the baseline.
	Differences []Difference `json:"differences,omitempty"`
}

// Binding describes what binds the runs of a cell in an environment.
type Binding struct {
	Environment string  `json:"environment"`
	Basis       string  `json:"basis,omitempty"` // "imported", or empty
	Runs        int     `json:"runs"`            // that count
	TPS         float64 `json:"tps"`
	// Division is the mean over these runs; nil if none could be divided, and Undivided says why.
	Division  *share.Division `json:"division,omitempty"`
	Undivided string          `json:"undivided,omitempty"`
	Causes    []Frequency     `json:"causes"` // the one that came first most often first
	// Typical holds the findings of a typical run: of those with the usual first cause, the one whose throughput
	// is the median.
	Typical []Finding    `json:"typical"`
	Median  record.RunID `json:"-"` // that run
	// Cliffs is in how many runs throughput fell, and Cliff the median of these falls.
	Cliffs int    `json:"cliffs"`
	Cliff  *Cliff `json:"cliff,omitempty"`

	blocks map[int]share.Division // by repeat
}

// Frequency is how often a cause was found in the runs of a cell.
type Frequency struct {
	Cause string  `json:"cause"`
	Title string  `json:"title"`
	First int     `json:"first"` // in how many runs it came first
	Found int     `json:"found"`
	Share float64 `json:"share"` // of the response time: mean over all runs of the cell
}

// fewestBlocks is the fewest runs of a cell that are divided together although they have fewer seconds than
// share.Fewest: from so many on, the blocks themselves show how much their shares vary.
const fewestBlocks = 6

// OfRecord diagnoses the runs of a record that count; those of one environment, if it is named.
func OfRecord(rec *record.Record, only string) (Overview, error) {
	o := Overview{Schema: Schema, Record: filepath.Base(rec.Path), Cells: []CellOverview{}}
	exp, err := rec.Experiment()
	if err != nil {
		return o, err
	}
	var names []string
	for _, e := range exp.Environments {
		if _, made := rec.Environments[e.Name]; made && (only == "" || only == e.Name) {
			names = append(names, e.Name)
		}
	}
	runs, _ := rec.Counted(names, rec.Runs)
	if only != "" {
		runs = slices.DeleteFunc(slices.Clone(rec.Runs), func(r record.Run) bool { return r.Environment != only || r.Status != record.Valid })
		slices.SortStableFunc(runs, func(a, b record.Run) int { return record.CompareCells(a.Cell, b.Cell) })
	}
	diagnose(rec, runs)
	for len(runs) > 0 {
		n := slices.IndexFunc(runs, func(r record.Run) bool { return r.Cell != runs[0].Cell })
		if n < 0 {
			n = len(runs)
		}
		o.Cells = append(o.Cells, cellOf(rec, names, runs[:n]))
		runs = runs[n:]
	}
	return o, nil
}

// Inventory returns the inventory of the machine on which an environment of a record ran; nil if it is not
// recorded.
func Inventory(rec *record.Record, environment string) *host.Inventory {
	if rec.Machine == nil || rec.Environments[environment].At != "" {
		return nil
	}
	return &rec.Machine.Inventory
}

func cellOf(rec *record.Record, names []string, runs []record.Run) CellOverview {
	c := CellOverview{Cell: runs[0].Cell, Environments: []Binding{}}
	for _, name := range names {
		own := slices.DeleteFunc(slices.Clone(runs), func(r record.Run) bool { return r.Environment != name })
		if len(own) > 0 {
			c.Environments = append(c.Environments, bindingOf(rec, name, own))
		}
	}
	base := slices.IndexFunc(c.Environments, func(b Binding) bool { return b.Environment == rec.Summary.Baseline })
	for i := range c.Environments {
		if base >= 0 && i != base {
			if d, known := between(c.Environments[base], c.Environments[i]); known {
				c.Differences = append(c.Differences, d)
			}
		}
	}
	return c
}

// bindingOf diagnoses the runs of a cell in an environment. Runs that are too short to be divided alone are
// divided together.
func bindingOf(rec *record.Record, environment string, runs []record.Run) Binding {
	b := Binding{Environment: environment, Runs: len(runs), Causes: []Frequency{}, Typical: []Finding{}, blocks: map[int]share.Division{}}
	if rec.Environments[environment].Basis() == record.BasisImported {
		b.Basis = record.BasisImported
	}
	slices.SortStableFunc(runs, func(a, b record.Run) int { return cmp.Compare(a.Result.TPS, b.Result.TPS) })
	var all []found
	var divisions []share.Division
	seconds := 0
	for i := range runs {
		b.TPS += runs[i].Result.TPS / float64(len(runs))
		d, err := kept(rec, &runs[i])
		switch {
		case err != nil:
			b.Undivided = err.Error()
		case d.Division == nil:
			b.Undivided = d.Undivided
		default:
			all, divisions = append(all, found{runs[i].RunID, d}), append(divisions, *d.Division)
			b.blocks[runs[i].Repeat] = *d.Division
			seconds += d.Division.Seconds
		}
	}
	switch {
	case len(all) == 0:
		return b
	case seconds < share.Fewest && len(all) < fewestBlocks:
		b.Undivided = share.TooFew(seconds)
		return b
	}
	mean := share.Mean(divisions)
	b.Division, b.Undivided = &mean, ""
	b.sum(all)
	return b
}

// found is the diagnosis of a run.
type found struct {
	run record.RunID
	Diagnosis
}

// sum sums up what was found in the runs, which are in the order of their throughput.
func (b *Binding) sum(all []found) {
	var falls []Cliff
	for _, d := range all {
		b.count(d.Findings, float64(len(all)))
		if d.Cliff != nil {
			falls = append(falls, *d.Cliff)
		}
	}
	if b.Cliffs = len(falls); len(falls) > 0 {
		slices.SortFunc(falls, func(a, b Cliff) int { return cmp.Compare(a.Second, b.Second) })
		b.Cliff = &falls[(len(falls)-1)/2]
	}
	slices.SortStableFunc(b.Causes, func(a, b Frequency) int {
		return cmp.Or(cmp.Compare(b.First, a.First), cmp.Compare(b.Share, a.Share))
	})
	if len(b.Causes) == 0 {
		return
	}
	// The typical run is the one in the middle among those that have the usual cause first.
	all = slices.DeleteFunc(all, func(d found) bool { return len(d.Findings) == 0 || d.Findings[0].Cause != b.Causes[0].Cause })
	typical := all[(len(all)-1)/2]
	b.Typical, b.Median = typical.Findings, typical.run
}

// count counts the causes of a run; of is the number of runs.
func (b *Binding) count(findings []Finding, of float64) {
	for i, f := range findings {
		at := slices.IndexFunc(b.Causes, func(c Frequency) bool { return c.Cause == f.Cause })
		if at < 0 {
			at = len(b.Causes)
			b.Causes = append(b.Causes, Frequency{Cause: f.Cause, Title: f.Title})
		}
		c := &b.Causes[at]
		c.Found++
		c.Share += f.Share / of
		if i == 0 {
			c.First++
		}
	}
}
