package pgbench

import (
	"math"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// addedSeries adds the rows that all runs have.
func addedSeries(runs []capture.Run) capture.Series {
	first := &runs[0].Progress
	all := capture.Series{Source: first.Source, Interval: first.Interval}
	rows := make([]map[int64]int, len(runs))
	for i := range runs {
		if runs[i].Progress.Interval != all.Interval {
			return capture.Series{}
		}
		rows[i] = map[int64]int{}
		for row, at := range runs[i].Progress.Times {
			rows[i][at.Time.UnixMicro()] = row
		}
	}
	var at [][]int // of each row, its number in each run
	for _, m := range first.Times {
		if of := rowsAt(rows, m.Time.UnixMicro()); of != nil {
			at = append(at, of)
			all.Times = append(all.Times, m)
		}
	}
	if len(at) == 0 {
		return capture.Series{}
	}
	for _, name := range columnNames(runs) {
		c := record.Column{Name: name}
		for _, of := range at {
			c.Values = append(c.Values, addedValue(runs, of, name))
		}
		all.Columns = append(all.Columns, c)
	}
	return all
}

func rowsAt(rows []map[int64]int, at int64) []int {
	of := make([]int, len(rows))
	for i, numbers := range rows {
		row, ok := numbers[at]
		if !ok {
			return nil
		}
		of[i] = row
	}
	return of
}

// columnNames returns the columns that some run has, but for percentiles.
func columnNames(runs []capture.Run) (names []string) {
	seen := map[string]bool{}
	for i := range runs {
		for _, c := range runs[i].Progress.Columns {
			if !seen[c.Name] && !strings.HasPrefix(c.Name, "latency_p") {
				names = append(names, c.Name)
			}
			seen[c.Name] = true
		}
	}
	return names
}

// addedValue adds rates, weighs means by the rate of transactions, and takes the largest maximum. A column
// that a run lacks has no event there.
func addedValue(runs []capture.Run, rows []int, name string) float64 {
	sum, weighted, weight, largest := 0.0, 0.0, 0.0, math.NaN()
	for i := range runs {
		value, ok := valueOf(&runs[i].Progress, name, rows[i])
		if !ok || math.IsNaN(value) {
			continue
		}
		tps, _ := valueOf(&runs[i].Progress, "tps", rows[i])
		sum += value
		weighted += value * tps
		weight += tps
		if !(value <= largest) {
			largest = value
		}
	}
	switch {
	case strings.Contains(name, "_mean_"):
		return weighted / weight
	case strings.Contains(name, "_max_"):
		return largest
	}
	return sum
}

func valueOf(s *capture.Series, name string, row int) (float64, bool) {
	for i := range s.Columns {
		if s.Columns[i].Name == name {
			return s.Columns[i].Values[row], true
		}
	}
	return 0, false
}
