package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// besideTable sets the environments side by side, by workload and clients, and
// for each environment but the baseline its ratio to it, block by block. Where a
// rate is set TPS is that rate, so it is the mean latency that is compared.
func (s *Show) besideTable() Table {
	t := Table{Columns: []Column{{"Workload", false}, {"Clients", true}}, Keys: 2}
	for _, e := range s.Environments {
		t.Columns = append(t.Columns, Column{e.Name + s.besideUnit(), true})
	}
	for _, e := range s.others() {
		t.Columns = append(t.Columns, Column{e.Name + " / " + s.Record.Baseline, true}, Column{"range", true})
	}
	for _, w := range s.Workloads {
		for i, row := range s.Environments[0].Rows {
			t.Rows = append(t.Rows, s.besideRow(w, i, row))
		}
	}
	return t
}

// besideUnit is what the numbers of the table are.
func (s *Show) besideUnit() string {
	rows := s.Environments[0].Rows
	open := func(r Row) bool { return r.Rate > 0 }
	switch {
	case !slices.ContainsFunc(rows, open):
		return " TPS"
	case !slices.ContainsFunc(rows, func(r Row) bool { return !open(r) }):
		return " Lat"
	}
	return " TPS or Lat"
}

func (s *Show) besideRow(w Workload, i int, row Row) []string {
	clients := Count(float64(row.Clients))
	if row.Rate > 0 {
		clients += " at " + rate(row.Rate)
	}
	cells := []string{w.Label, clients}
	for _, e := range s.Environments {
		average := averageOf(e.Rows[i].Values, w.Name)
		if row.Rate > 0 {
			cells = append(cells, average.latency())
		} else {
			cells = append(cells, average.tps())
		}
	}
	for _, e := range s.others() {
		ratios := s.blockRatios(e.Name, w.Name, row)
		cells = append(cells, ratios.mean(), ratios.span())
	}
	return cells
}

// others are the environments that are compared with the baseline.
func (s *Show) others() []Environment {
	var others []Environment
	for _, e := range s.Environments {
		if e.Name != s.Record.Baseline {
			others = append(others, e)
		}
	}
	return others
}

// ratios are one environment over the baseline, one for each block: of TPS, or of
// mean latencies where a rate is set.
type ratios []float64

// blockRatios pairs the runs of each block: they shared the machine's mood, so
// their ratio says more than the ratio of two means.
func (s *Show) blockRatios(environment, workload string, row Row) ratios {
	type block struct {
		cell   experiment.Cell
		repeat int
	}
	pairs := map[block][2]float64{}
	var order []block
	for _, run := range s.counted {
		if run.Workload != workload || run.Clients != row.Clients || run.Rate != row.Rate {
			continue
		}
		b := block{run.Cell, run.Repeat}
		pair, known := pairs[b]
		if !known {
			order = append(order, b)
		}
		pairs[b] = paired(pair, run, environment, s.Record.Baseline)
	}
	var all ratios
	for _, b := range order {
		if pair := pairs[b]; pair[0] > 0 && pair[1] > 0 {
			all = append(all, pair[1]/pair[0])
		}
	}
	return all
}

func paired(pair [2]float64, run record.Run, environment, baseline string) [2]float64 {
	switch run.Environment {
	case baseline:
		pair[0] = compared(run)
	case environment:
		pair[1] = compared(run)
	}
	return pair
}

func compared(run record.Run) float64 {
	if run.Rate > 0 {
		return run.Result.Latency.Mean
	}
	return run.Result.TPS
}

// mean is the geometric mean: the ratio of B to A is then the inverse of that of
// A to B.
func (r ratios) mean() string {
	if len(r) == 0 {
		return none
	}
	sum := 0.0
	for _, ratio := range r {
		sum += math.Log(ratio)
	}
	return factor(math.Exp(sum / float64(len(r))))
}

// span is the least and the greatest ratio of a block.
func (r ratios) span() string {
	if len(r) < 2 {
		return none
	}
	least, greatest := r[0], r[0]
	for _, ratio := range r {
		least, greatest = min(least, ratio), max(greatest, ratio)
	}
	return factor(least) + " to " + factor(greatest)
}

// factor prints a ratio with as many digits as such measurements can bear.
func factor(f float64) string {
	switch {
	case f >= 100:
		return Count(f)
	case f >= 10:
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return strconv.FormatFloat(f, 'f', 2, 64)
}

// addBeside is the short form of a comparison, which a run ends with.
func (s *Show) addBeside(d *document) {
	d.add(s.besideTable())
	blocks := 0
	for _, w := range s.Workloads {
		for _, row := range s.Environments[0].Rows {
			blocks = max(blocks, len(s.blockRatios(s.others()[0].Name, w.Name, row)))
		}
	}
	if blocks == 0 {
		d.add(paragraph("There is no block yet in which every environment has a valid run."))
		return
	}
	d.add(paragraph(strings.Join(append(s.besideNotes(), rests(blocks)), " ")), paragraph(s.missingNote()))
	for _, e := range s.Environments {
		d.add(list(noteLines(e.Name+": warning: ", e.Warnings)))
	}
	d.add(list(noteLines("warning: ", s.Warnings)))
}

// besideNotes say what a row is.
func (s *Show) besideNotes() []string {
	rows := s.Environments[0].Rows
	notes := s.threadNotes(rows)
	if slices.ContainsFunc(rows, func(r Row) bool { return r.Rate > 0 }) {
		notes = append(notes, "At a rate it is mean latencies that are compared: a ratio below 1 is the faster one.")
	}
	return notes
}

// rests says what the ratios rest on.
func rests(blocks int) string {
	if blocks == 1 {
		return "Each ratio rests on one block: how much of it is chance cannot be said."
	}
	return fmt.Sprintf("Each ratio is the geometric mean over at most %d blocks; the range is that of the blocks, not a confidence interval.", blocks)
}
