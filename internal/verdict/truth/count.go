package truth

import (
	"errors"
	"fmt"
	"hash/fnv"
	"runtime"
	"sync"
	"sync/atomic"
)

// Count runs a share of a line's trials, at least one, and returns a figure for each
// column.
func (t Table) Count(line Line, share float64) ([]Figure, error) {
	figures := make([]Figure, len(t.Columns))
	for column := range t.Columns {
		figure, err := t.count(line, column, max(1, int(share*float64(line.Trials))))
		if err != nil {
			return nil, fmt.Errorf("cannot count %q, %q: %w", line.Name, t.Columns[column], err)
		}
		figures[column] = figure
	}
	return figures, nil
}

// count distributes the trials over all processors. Each trial has its own seed, so the
// result does not depend on the scheduling.
func (t Table) count(line Line, column, trials int) (Figure, error) {
	var next, yes atomic.Int64
	var workers sync.WaitGroup
	failures := make([]error, runtime.GOMAXPROCS(0))
	for worker := range failures {
		workers.Go(func() {
			for failures[worker] == nil {
				trial := int(next.Add(1)) - 1
				if trial >= trials {
					return
				}
				answer, err := line.Ask(column, t.seed(line, column, trial))
				if failures[worker] = err; err == nil && answer.Yes {
					yes.Add(1)
				}
			}
		})
	}
	workers.Wait()
	return Figure{int(yes.Load()), trials}, errors.Join(failures...)
}

// seed derives a trial's seed from its name.
func (t Table) seed(line Line, column, trial int) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%s/%s/%d", t.Title, line.Name, t.Columns[column], trial)
	return h.Sum64()
}
