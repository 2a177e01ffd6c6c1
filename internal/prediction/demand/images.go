package demand

import (
	"math"
	"slices"

	"plinth/internal/record"
)

// Images describes how the WAL of a transaction shrinks after a checkpoint. The first change of each page after it
// writes the whole page to the WAL (PostgreSQL documentation, "WAL Configuration"), and the more transactions there
// were, the fewer pages are left. So a faster disk means less WAL a transaction in a run of the same length.
type Images struct {
	Always float64 // bytes of a transaction long after a checkpoint
	First  float64 // bytes of a transaction beyond, directly after it
	Fading float64 // number of transactions after which First has fallen to 1/e
	// Before is the time from the checkpoint to the measured window, and During the length of the window, in seconds.
	Before, During float64
}

// Mean returns the mean WAL of a transaction in bytes in a window with a throughput.
func (i Images) Mean(tps float64) float64 { return i.Between(tps*i.Before, tps*(i.Before+i.During)) }

// Between returns the mean WAL in bytes of the transactions from one number to another after a checkpoint.
func (i Images) Between(from, to float64) float64 {
	from, to = from/i.Fading, to/i.Fading
	if to-from < 1e-9 {
		return i.Always + i.First*math.Exp(-from)
	}
	return i.Always + i.First*(math.Exp(-from)-math.Exp(-to))/(to-from)
}

// imagePoint is one second of a run that began with a checkpoint.
type imagePoint struct {
	after float64 // transactions since the checkpoint
	bytes float64 // of WAL a transaction
}

// images reads how the WAL shrinks from all runs of a workload in an environment: with other numbers of clients,
// more or fewer transactions follow a checkpoint. It returns nil if that is not to be seen, or if a checkpoint began
// within a run.
func images(rec *record.Record, environment, workload string) *Images {
	var all []imagePoint
	var i Images
	for n := range rec.Runs {
		run := &rec.Runs[n]
		if run.Environment != environment || run.Workload != workload || run.Status != record.Valid || run.Phases.Checkpoint <= 0 {
			continue
		}
		points, err := rec.Points(run)
		if err != nil {
			continue
		}
		some, before, during := imagePoints(points)
		if some == nil {
			return nil
		}
		all = append(all, some...)
		i.Before, i.During = before, during
	}
	if !i.fit(all) {
		return nil
	}
	return &i
}

// imagePoints returns the seconds of a run, its warm-up and the length of its window. It returns no seconds if a
// checkpoint began within the run: the WAL then shrinks more than once, and depends less on the throughput.
func imagePoints(points record.Points) (all []imagePoint, before, during float64) {
	at := func(values []float64, i int) float64 {
		if i < len(values) {
			return values[i]
		}
		return math.NaN()
	}
	seconds, tps, wal := column(points, "second"), column(points, "tps"), column(points, "wal.bytes")
	timed, requested := column(points, "checkpoints.timed"), column(points, "checkpoints.requested")
	after := 0.0
	for i, second := range seconds {
		if second < 0 {
			before++
		} else {
			during++
		}
		rate := at(tps, i)
		if i > 0 && (at(timed, i) > 0 || at(requested, i) > 0) {
			return nil, 0, 0
		}
		if math.IsNaN(rate) {
			continue
		}
		if bytes := at(wal, i) / rate; rate > 0 && bytes > 0 {
			all = append(all, imagePoint{after + rate/2, bytes})
		}
		after += rate
	}
	return all, before, during
}

// column returns the values of a column, the seconds of the warm-up included; nil if there is none.
func column(points record.Points, name string) []float64 {
	if i := slices.IndexFunc(points.Columns, func(c record.Column) bool { return c.Name == name }); i >= 0 {
		return points.Columns[i].Values
	}
	return nil
}

const (
	// fewestPoints is the number of seconds, and widest the ratio of transactions, that a fit needs at least.
	fewestPoints = 8
	widest       = 3
)

// fit finds Always, First and Fading by least squares: for each of many values of Fading the other two follow from
// a linear regression. It reports false if the WAL does not shrink.
func (i *Images) fit(all []imagePoint) bool {
	if len(all) < fewestPoints {
		return false
	}
	least, most := math.Inf(1), 0.0
	for _, p := range all {
		least, most = min(least, p.after), max(most, p.after)
	}
	if most < widest*least {
		return false
	}
	best := math.Inf(1)
	for fading := most / 30; fading < most*10; fading *= 1.1 {
		always, first, squares := regress(all, fading)
		if always >= 0 && first > 0 && squares < best {
			best = squares
			i.Always, i.First, i.Fading = always, first, fading
		}
	}
	return !math.IsInf(best, 1)
}

// regress fits bytes = always + first exp(-after/fading), and returns the sum of the squares that are left.
func regress(all []imagePoint, fading float64) (always, first, squares float64) {
	n := float64(len(all))
	var sx, sy, sxx, sxy float64
	for _, p := range all {
		x := math.Exp(-p.after / fading)
		sx, sy, sxx, sxy = sx+x, sy+p.bytes, sxx+x*x, sxy+x*p.bytes
	}
	first = (n*sxy - sx*sy) / (n*sxx - sx*sx)
	always = (sy - first*sx) / n
	for _, p := range all {
		d := p.bytes - always - first*math.Exp(-p.after/fading)
		squares += d * d
	}
	return always, first, squares
}
