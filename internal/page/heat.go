package page

import (
	"math"
	"sync"

	"plinth/internal/record"
	"plinth/internal/record/hlog"
)

const (
	// mostHeatSteps is the maximum number of columns of a heat map: enough for any screen.
	mostHeatSteps = 2000
	// mostHeatIntervals is the maximum number of rows of a heat map.
	mostHeatIntervals = 40
	// finest is the number of intervals per doubling of the latency. Adjacent intervals are then
	// merged until there are few enough, so that no count has to be split at an edge.
	finest = 16
	// shortest is the shortest latency that is distinguished, in nanoseconds. pgbench logs
	// microseconds, and 0 for less than one: without this limit a few of them would fill half
	// of the heat map with empty intervals.
	shortest = 1000.0
	// fineIntervals extend beyond the longest latency, to 2^42 ns.
	fineIntervals = 42 * finest
)

// newHeat reads the histogram log of a run, and sums its scripts. It returns nil if the log is
// missing, empty, damaged or too long; the page then has no heat map.
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

// readHeat returns nil for a log without transactions.
func readHeat(log []byte, most int) (*Heat, error) {
	intervals, err := hlog.Read(log)
	if err != nil || len(intervals) == 0 {
		return nil, err
	}
	var starts []float64
	for _, one := range intervals {
		starts = append(starts, one.Start)
	}
	grid, err := newTimeGrid(starts, most)
	if err != nil {
		return nil, err
	}
	counts, of := make([]fineCounts, grid.steps), fineOf()
	var d hlog.Decoder
	for i, one := range intervals {
		into := &counts[grid.of[i]]
		if err := d.Decode(one.Text, func(index int, n int64) { into[of[index]] += int(n) }); err != nil {
			return nil, err
		}
	}
	return fold(grid, counts), nil
}

// fineCounts holds the counts of one step of time, in the finest intervals.
type fineCounts [fineIntervals]int

// fineOf maps each counter of a histogram to its finest interval. Latencies below shortest count
// as shortest.
var fineOf = sync.OnceValue(func() []uint16 {
	of := make([]uint16, hlog.Counters)
	for i := range of {
		of[i] = uint16(math.Log2(max(shortest, middle(i))) * finest)
	}
	return of
})

// middle returns the latency that a counter of a histogram represents, in nanoseconds. The first
// 2048 counters cover one nanosecond each; then each group of 1024 covers intervals twice as
// wide as the previous group (HdrHistogram with three significant digits).
func middle(index int) float64 {
	if index < 2048 {
		return float64(index)
	}
	width := index/1024 - 1
	return (float64(index%1024+1024) + 0.5) * float64(int64(1)<<width)
}

// fold merges adjacent intervals between the shortest and longest latency until there are few
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

// fastest is the share of the fastest transactions, which are all counted in the first interval:
// pgbench (15.18) logs a few in ten thousand as 0 to 20 us although they did all their work,
// and half of the map would show nothing else.
const fastest = 1.0 / 500

// span returns the lowest interval to show separately, and the highest that is not empty.
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
