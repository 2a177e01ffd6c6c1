package demand

import (
	"math"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// Course says how far a load has come at the end of each of its seconds, from the beginning of the warm-up: its
// transactions so far, as seconds at its mean throughput. At first it is slower, since the first change of a page after a
// checkpoint writes the whole page to the WAL.
type Course []float64

// After returns how far the load is after some seconds. Beyond its end, it goes on as in its last quarter.
func (c Course) After(seconds float64) float64 {
	n := len(c)
	if n == 0 {
		return seconds
	}
	if last := float64(n); seconds >= last {
		quarter := max(1, n/4)
		from := 0.0
		if n > quarter {
			from = c[n-1-quarter]
		}
		return c[n-1] + (seconds-last)*(c[n-1]-from)/float64(quarter)
	}
	second := int(seconds)
	before := 0.0
	if second > 0 {
		before = c[second-1]
	}
	return before + (seconds-float64(second))*(c[second]-before)
}

// course returns the mean course of the runs of a cell.
func course(rec *record.Record, environment string, cell experiment.Cell) Course {
	var all []Course
	for i := range rec.Runs {
		run := &rec.Runs[i]
		if run.Environment != environment || run.Cell != cell || run.Status != record.Valid || run.Result.TPS <= 0 {
			continue
		}
		points, err := rec.Points(run)
		if err != nil {
			continue
		}
		if c := courseOf(points, run.Result.TPS); c != nil {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil
	}
	shortest := slices.MinFunc(all, func(a, b Course) int { return len(a) - len(b) })
	mean := make(Course, len(shortest))
	for i := range mean {
		for _, c := range all {
			mean[i] += c[i] / float64(len(all))
		}
	}
	return mean
}

// courseOf returns the course of one run with a mean throughput; a second without a value has the mean.
func courseOf(points record.Points, mean float64) (c Course) {
	so := 0.0
	for _, tps := range column(points, "tps") {
		if math.IsNaN(tps) {
			tps = mean
		}
		so += tps / mean
		c = append(c, so)
	}
	return c
}
