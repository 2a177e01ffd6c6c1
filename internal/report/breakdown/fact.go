package breakdown

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"plinth/internal/chart"
	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
	"plinth/internal/stats"
)

// Slope is how much mean latency changes with a fact that is a number, at one load.
//
// Iwan Setiawan, "Bare Metal vs. AWS RDS: Storage Baseline", finding 3: each replica adds write
// latency.
type Slope struct {
	Fact     string  `json:"fact"` // its name in the experiment file: "replicas"
	Workload string  `json:"workload"`
	Clients  int     `json:"clients"`
	Rate     float64 `json:"rate,omitempty"`
	// PerUnit is the slope of a straight line through the environments, in nanoseconds for each
	// unit of the fact: the mean over blocks or repeats.
	PerUnit float64 `json:"latency_ns_per_unit"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Level   float64 `json:"level"` // of the interval; 0: the range over blocks, also while the record is not complete
	N       int     `json:"n"`     // blocks, or repeats
}

// factLevel is the level of intervals of slopes.
const factLevel = 0.95

// mostFacts is the number of facts that are shown, the first by name.
const mostFacts = 8

// numericFacts returns the facts that are a number in every environment, and not the same in all.
func numericFacts(s *show.Numbers, rec *record.Record) map[string]map[string]float64 {
	found := map[string]map[string]float64{}
	for _, name := range slices.Sorted(maps.Keys(rec.Environments[s.Record.Baseline].Facts)) {
		if len(found) == mostFacts {
			break
		}
		values, same := map[string]float64{}, true
		for _, e := range s.Environments {
			if x, err := strconv.ParseFloat(rec.Environments[e.Name].Facts[name], 64); err == nil && phrase.Known(x) {
				values[e.Name] = x
				same = same && x == values[s.Environments[0].Name]
			}
		}
		if len(values) == len(s.Environments) && !same {
			found[name] = values
		}
	}
	return found
}

// Slopes returns the slope of mean latency for each numeric fact, workload and load.
func Slopes(s *show.Numbers, rec *record.Record) []Slope {
	var all []Slope
	facts := numericFacts(s, rec)
	for _, fact := range slices.Sorted(maps.Keys(facts)) {
		for _, w := range s.Workloads {
			for _, row := range s.Environments[0].Rows {
				at := Slope{Fact: fact, Workload: w.Name, Clients: row.Clients, Rate: row.Rate}
				if at.measure(s, rec, facts[fact]) {
					all = append(all, at)
				}
			}
		}
	}
	return all
}

// measure computes the slope from the slopes of the blocks, or of the repeats if these are the units
// of the record's verdicts. It reports whether there are any.
func (at *Slope) measure(s *show.Numbers, rec *record.Record, x map[string]float64) bool {
	byRepeat := rec.Summary.Plan != nil && rec.Summary.Plan.Unit == "repeat"
	blocks := map[record.Block][][2]float64{}
	var order []record.Block
	for _, run := range s.Counted {
		if run.Workload != at.Workload || run.Clients != at.Clients || run.Rate != at.Rate {
			continue
		}
		b := record.Block{Cell: run.Cell, Repeat: run.Repeat}
		if blocks[b] == nil {
			order = append(order, b)
		}
		blocks[b] = append(blocks[b], [2]float64{x[run.Environment], run.Result.Latency.Mean})
	}
	sums, counts := map[int]float64{}, map[int]float64{} // by unit, in order of time
	var units []int
	for i, b := range order {
		slope, unit := straight(blocks[b]), i
		if !phrase.Known(slope) {
			continue
		}
		if byRepeat {
			unit = b.Repeat
		}
		if counts[unit] == 0 {
			units = append(units, unit)
		}
		sums[unit], counts[unit] = sums[unit]+slope, counts[unit]+1
	}
	slopes := make([]float64, len(units))
	for i, unit := range units {
		slopes[i] = sums[unit] / counts[unit]
	}
	test, err := stats.Paired(slopes, rec.Summary.Seed)
	if err != nil {
		return false
	}
	at.N, at.PerUnit = test.N(), test.Mean()
	at.Low, at.High = test.Range()
	// An interval of a record in progress would be read again and again.
	if low, high, ok := test.Interval(1 - factLevel); ok && rec.Summary.State == record.Complete {
		at.Low, at.High, at.Level = low, high, factLevel
	}
	return true
}

// straight returns the slope of the least-squares line through points.
func straight(points [][2]float64) float64 {
	var meanX, meanY, xy, xx float64
	for _, p := range points {
		meanX, meanY = meanX+p[0]/float64(len(points)), meanY+p[1]/float64(len(points))
	}
	for _, p := range points {
		xy += (p[0] - meanX) * (p[1] - meanY)
		xx += (p[0] - meanX) * (p[0] - meanX)
	}
	return xy / xx
}

// Facts shows mean latency against facts that are numbers: a chart and a table of slopes for each.
func Facts(s *show.Numbers, rec *record.Record) prose.Document {
	var d prose.Document
	slopes, facts := Slopes(s, rec), numericFacts(s, rec)
	for _, fact := range slices.Sorted(maps.Keys(facts)) {
		d.Add(factChart(s, rec, fact, facts[fact]))
		if t := slopeTable(s, fact, slopes); len(t.Rows) > 0 {
			d.Add(t)
		}
	}
	return d
}

func slopeTable(s *show.Numbers, fact string, slopes []Slope) prose.Table {
	t := prose.Table{Title: "Change of mean latency with each unit of " + prose.Clean(fact), Keys: 2, Columns: []prose.Column{
		{Title: "Workload"}, {Title: "Clients", Right: true}, {Title: "Change", Right: true}, {Title: "95 % interval", Right: true}, {Title: "n", Right: true},
	}}
	rates := slices.ContainsFunc(slopes, func(at Slope) bool { return at.Rate > 0 })
	if rates {
		t.Columns, t.Keys = slices.Insert(t.Columns, 2, prose.Column{Title: "Rate", Right: true}), 3
	}
	for _, at := range slopes {
		if at.Fact != fact {
			continue
		}
		span := phrase.None
		if at.N > 1 {
			span = signedMilliseconds(at.Low) + " to " + signedMilliseconds(at.High)
		}
		if at.N > 1 && at.Level == 0 {
			span += " (range)"
		}
		row := []string{s.Label(at.Workload), phrase.Count(float64(at.Clients)), signedMilliseconds(at.PerUnit), span, strconv.Itoa(at.N)}
		if rates {
			row = slices.Insert(row, 2, show.Rate(at.Rate))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func signedMilliseconds(ns float64) string {
	switch {
	case math.Abs(ns) < 500: // would be printed as 0.000
		return "0 ms"
	case ns < 0:
		return "-" + phrase.Milliseconds(-ns)
	}
	return "+" + phrase.Milliseconds(ns)
}

// factChart plots mean latency over all cells against a fact, a panel for each workload.
func factChart(s *show.Numbers, rec *record.Record, fact string, x map[string]float64) prose.Picture {
	title := "mean latency, ms"
	m := chart.Multiples{Title: title + " against " + prose.Clean(fact), XTitle: prose.Clean(fact), YTitle: title}
	latency, _ := experiment.ParseMetric("latency") // always known
	for _, w := range s.Workloads {
		p := chart.Panel{Title: w.Name}
		for i, e := range s.Environments {
			y, ok := s.ValueOf(e.Name, show.Column{Workload: w, Metric: latency})
			if !ok {
				continue
			}
			text := fmt.Sprintf("%s, %s %s: %s", e.Name, phrase.Exact(x[e.Name]), prose.Clean(fact), phrase.Milliseconds(y))
			p.Series = append(p.Series, chart.Series{Name: e.Name, Index: i, Basis: compare.BasisOf([]*record.Record{rec}, e.Name),
				Points: []chart.Point{{X: x[e.Name], Y: y / 1e6, Low: y / 1e6, High: y / 1e6, Text: text}}})
		}
		m.Panels = append(m.Panels, p)
	}
	p := prose.Picture{Name: "latency-against-" + prose.Clean(fact), Shown: true, Whole: m.SVG, Caption: "Mean latency over all cells against " + prose.Clean(fact) + "."}
	for i := range m.Panels {
		p.SVGs = append(p.SVGs, m.PanelSVG(i))
	}
	return p
}
