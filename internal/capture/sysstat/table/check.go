package table

import (
	"math"

	"plinth/internal/capture"
	"plinth/internal/capture/sysstat/layout"
	"plinth/internal/capture/sysstat/names"
	"plinth/internal/record"
)

// checks counts readings that cannot be right.
type checks struct {
	sums     []finding // shares of CPU time that do not add up
	utils    []finding // utilisations above 100 %
	averages []average
	empty    int // readings in which no CPU time passed
}

// finding describes the readings of one subject that fail a check.
type finding struct {
	subject string
	count   int
	worst   float64
}

// average is an average that lies outside the values of which it is one.
type average struct {
	name             string
	printed          string
	low, high, value float64
	rows             int
}

const (
	maxFindings = 10
	// mostUtil is the highest %util that rounding explains. The interval is rounded to 10 ms (1 % of
	// a second), and kernels count the busy time in ticks of up to 10 ms.
	mostUtil = 102.5
)

// check reports whether the values can be used, and notes those that contradict each other.
func (t *Table) check(p *Plan, values []layout.Number) bool {
	if p.util >= 0 && values[p.util].Value > mostUtil {
		t.checks.utils = add(t.checks.utils, p.Subject, values[p.util].Value, 0)
	}
	if !p.shares {
		return true
	}
	sum, rounding := 0.0, 0.02
	for i := range p.cells {
		if !names.Share(p.cells[i].heading) {
			continue
		}
		sum += values[i].Value
		rounding += 0.5 * math.Pow10(-values[i].Decimals)
	}
	switch {
	case sum == 0:
		t.checks.empty++ // no CPU time passed, or the CPU is offline
		return false
	case math.Abs(sum-100) > rounding:
		t.checks.sums = add(t.checks.sums, p.Subject, sum, 100)
	}
	return true
}

// add counts a failed check, and keeps the value that is farthest from right.
func add(all []finding, subject string, value, right float64) []finding {
	for i := range all {
		if all[i].subject == subject {
			all[i].count++
			if math.Abs(value-right) > math.Abs(all[i].worst-right) {
				all[i].worst = value
			}
			return all
		}
	}
	if len(all) < maxFindings {
		all = append(all, finding{subject, 1, value})
	}
	return all
}

// Average compares the tool's own averages with the values that it printed: the average of numbers
// lies between the smallest and the largest of them.
func (t *Table) Average(p *Plan, printed []string, values []layout.Number) {
	for i, n := range values {
		c := &p.cells[i]
		if p.Rows == 0 || n.Suffix != 0 && n.Suffix != '%' || math.IsNaN(n.Value) || math.IsNaN(c.low) {
			continue
		}
		rounding := 1.01 * math.Pow10(-min(n.Decimals, c.like.Decimals))
		if n.Value >= c.low-rounding && n.Value <= c.high+rounding {
			continue
		}
		if len(t.checks.averages) < maxFindings {
			name := c.heading
			if p.Subject != "" {
				name += " of " + p.Subject
			}
			t.checks.averages = append(t.checks.averages, average{name, printed[i], c.low, c.high, n.Value, p.Rows})
		}
	}
}

func (c *checks) notes() []record.Note {
	var notes []record.Note
	for _, f := range c.sums {
		notes = append(notes, Note(capture.Contradiction, "the shares of CPU time of %s do not add up to 100 %% in %s: in one, they add up to %.2f %%", f.subject, Count(f.count, "reading"), f.worst))
	}
	for _, f := range c.utils {
		notes = append(notes, Note(capture.Contradiction, "%%util of %s is above 100 in %s, at most %.2f, but a disk cannot be busy for longer than the time that passed", f.subject, Count(f.count, "reading"), f.worst))
	}
	for _, a := range c.averages {
		notes = append(notes, Note(capture.Contradiction, "the average of %s is %s, but the values of %s lie between %.2f and %.2f", a.name, a.printed, Count(a.rows, "reading"), a.low, a.high))
	}
	if c.empty > 0 {
		notes = append(notes, Note(capture.LeftOut, "%s with shares of CPU time that are all zero: no CPU time had passed, or the CPU was offline", Count(c.empty, "reading")))
	}
	return notes
}
