package page

import (
	"math"
	"sync"

	"plinth/internal/record"
)

const (
	// mostHeatSteps is the most columns of a heat map: more than a screen has.
	mostHeatSteps = 2000
	// mostHeatIntervals is the most rows of it.
	mostHeatIntervals = 40
	// finest is how many intervals each doubling of the latency is counted in. They are
	// joined, as many to one as it takes until there are few enough; so no transaction is
	// ever guessed to be on one side of an edge.
	finest = 16
	// shortest is the least latency that is told from others, in nanoseconds. pgbench's
	// log counts microseconds, and 0 is what took less than one: without this, a few of
	// them would fill half a picture with latencies that nothing has.
	shortest = 1000.0
	// fineIntervals reach to beyond the longest latency, 2^42 ns.
	fineIntervals = 42 * finest
)

// newHeat reads the histogram log of a run, and adds up its scripts. It is nil where
// the log is missing, empty, damaged or too long: a page does without.
func newHeat(rec *record.Record, id record.RunID, most int) *Heat {
	log, err := rec.HistogramLog(id)
	if err != nil {
		return nil
	}
	heat, err := readHeat(log, min(atMost(most), mostHeatSteps))
	if err != nil {
		return nil
	}
	return heat
}

// readHeat is nil for a log in which no transaction is counted.
func readHeat(log []byte, most int) (*Heat, error) {
	intervals, err := readIntervals(log)
	if err != nil || len(intervals) == 0 {
		return nil, err
	}
	var starts []float64
	for _, one := range intervals {
		starts = append(starts, one.start)
	}
	grid, err := newTimeGrid(starts, most)
	if err != nil {
		return nil, err
	}
	counts, of := make([]fineCounts, grid.steps), fineOf()
	var d decoder
	for i, one := range intervals {
		into := &counts[grid.of[i]]
		if err := d.decode(one.text, func(index int, n int64) { into[of[index]] += int(n) }); err != nil {
			return nil, err
		}
	}
	return fold(grid, counts), nil
}

// fineCounts is one second, or several, in the finest intervals.
type fineCounts [fineIntervals]int

// fineOf is the finest interval of each counter of a histogram; the first of them has
// all that was faster.
var fineOf = sync.OnceValue(func() []uint16 {
	of := make([]uint16, counters)
	for i := range of {
		of[i] = uint16(math.Log2(max(shortest, middle(i))) * finest)
	}
	return of
})

// middle is the latency that the counter of a histogram stands for, in nanoseconds.
// The first 2048 count one nanosecond each; from there on, each 1024 count intervals
// twice as wide (HdrHistogram with three significant digits).
func middle(index int) float64 {
	if index < 2048 {
		return float64(index)
	}
	width := index/1024 - 1
	return (float64(index%1024+1024) + 0.5) * float64(int64(1)<<width)
}

// fold joins intervals between the least and the greatest latency until they are few
// enough.
func fold(grid timeGrid, counts []fineCounts) *Heat {
	least, greatest := span(counts)
	if least > greatest {
		return nil
	}
	join := 1
	for greatest/join-least/join >= mostHeatIntervals {
		join++
	}
	first, last := least/join, greatest/join
	heat := &Heat{Start: grid.start, Step: grid.step}
	for edge := first; edge <= last+1; edge++ {
		heat.Edges = append(heat.Edges, math.Exp2(float64(edge*join)/finest))
	}
	for i := range counts {
		row := make([]int, last-first+1)
		for fine := 0; fine <= greatest; fine++ {
			row[max(fine/join-first, 0)] += counts[i][fine]
		}
		heat.Counts = append(heat.Counts, row)
	}
	return heat
}

// fastest is the share of transactions that count in the first interval, whatever
// they took: pgbench (15.18) logs a few in ten thousand as 0 to 20 us although they
// did all their work, and half of the map would show nothing else.
const fastest = 1.0 / 500

// span is the greatest of the finest intervals that has anything, and the least that
// is worth a place of its own.
func span(counts []fineCounts) (least, greatest int) {
	var sums fineCounts
	all := 0
	for i := range counts {
		for fine, n := range counts[i] {
			sums[fine] += n
			all += n
		}
	}
	least, greatest = fineIntervals, -1
	seen := 0
	for fine, n := range sums {
		seen += n
		if n > 0 {
			greatest = fine
		}
		if n > 0 && least == fineIntervals && float64(seen) > fastest*float64(all) {
			least = fine
		}
	}
	return least, greatest
}
