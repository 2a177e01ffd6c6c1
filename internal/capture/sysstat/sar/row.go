package sar

import (
	"time"

	"plinth/internal/capture"
	"plinth/internal/capture/sysstat/layout"
	"plinth/internal/capture/sysstat/table"
)

// pending is the last line of values. It is kept until another line follows, because the last line
// of a text may have been cut in a number.
type pending struct {
	set     bool
	average bool
	heading *heading
	plan    *table.Plan
	known   bool // lines about the same subject came before
	numbers []layout.Number
	printed []string // the numbers; only of averages and of the first row
	edge    layout.Edge
	stamp   table.Stamp
	covers  int // seconds since the line before, or the heading; -1 if unknown
}

// row takes a line of values. Times of day are seconds since midnight, the others since 1970.
func (r *reader) row(line []byte, fields [][]byte, seconds int) bool {
	p, ok := r.parse(line, fields)
	if !p.set {
		return ok
	}
	p.stamp, p.covers = r.stamp(p.heading, p.plan, seconds)
	if r.tool.name != "sar" && (r.table.Rows() == 0 || r.table.Rows() == 1 && r.rows[p.stamp] == 0) {
		p.printed = printed(p.heading, fields)
	}
	r.pending = p
	return true
}

// average takes a line of averages, or the heading of such lines.
func (r *reader) average(line []byte, fields [][]byte) bool {
	if r.heading != nil {
		p, ok := r.parse(line, fields)
		if p.set {
			p.average, p.printed = true, printed(p.heading, fields)
			r.pending = p
		}
		if ok {
			return true
		}
	}
	return r.newHeading(line)
}

// parse parses the fields of a line that follow its time. It reports false if the line is none of
// the current table; what it returns is not set if the line has no values that are used.
func (r *reader) parse(line []byte, fields [][]byte) (p pending, ok bool) {
	h := r.heading
	subject, values, short, ok := h.parse(line, fields, r.values[:0])
	if other := r.twin; !ok && other != nil {
		if subject, values, _, ok = other.parse(line, fields, r.values[:0]); ok {
			h, short = other, false
		}
	}
	switch {
	case h.unused && ok:
		r.lost.unused++
		return p, true
	case short:
		r.lost.short++
		return p, true
	case !ok:
		return p, false
	case len(values) == 0:
		return p, true
	}
	r.values = values
	plan, known := h.plan(r.table, subject, r.banner.CPUs)
	if plan == nil {
		r.lost.subjects++
		return p, true
	}
	return pending{set: true, heading: h, plan: plan, known: known, numbers: values, edge: layout.EdgeOf(line), covers: -1}, true
}

func printed(h *heading, fields [][]byte) []string {
	all := make([]string, len(h.numbers))
	for i, column := range h.numbers {
		all[i] = string(fields[column])
	}
	return all
}

const day = 24 * 60 * 60

// stamp returns the moment of a line. A line with the same time and subject as an earlier one of
// its table belongs to the next report, as does one with the same time after another heading of
// pidstat.
func (r *reader) stamp(h *heading, plan *table.Plan, seconds int) (stamp table.Stamp, covers int) {
	again, before := h.again && r.tool.activity, h.before
	h.again, h.before = false, -1
	total, back := seconds, false
	if !r.epoch {
		if total = h.last.Seconds; !h.begun || seconds != total%day {
			total, back = h.days.Next(seconds)
		}
	}
	if h.begun && total == h.last.Seconds {
		if again || plan.Rows > 0 && plan.Stamp == h.last {
			h.last.Repeat++
			h.stamps++
		}
		plan.Stamp = h.last
		return h.last, -1
	}
	if back {
		r.lost.back++
	}
	covers = -1
	switch {
	case before >= 0:
		covers = (seconds - before + day) % day
	case h.begun:
		covers = total - h.last.Seconds
	}
	h.last, h.begun = table.Stamp{Seconds: total}, true
	h.stamps++
	plan.Stamp = h.last
	return h.last, covers
}

func (r *reader) moment(s table.Stamp) capture.Moment {
	if r.epoch {
		return capture.Moment{Time: time.Unix(int64(s.Seconds), 0).UTC(), Clock: capture.UTC}
	}
	return r.clock.Moment(s.Seconds)
}

// flush stores the last line of values.
func (r *reader) flush() {
	p := &r.pending
	if !p.set {
		return
	}
	p.set = false
	if p.average {
		r.storeAverage(p)
		return
	}
	row, ok := r.rows[p.stamp]
	if !ok {
		row = r.table.AddRow(r.moment(p.stamp))
		r.rows[p.stamp] = row
	}
	if p.covers >= 0 {
		r.interval.add(p.covers)
	}
	if row == 0 && len(r.first) < maxFacts {
		for i, value := range p.printed {
			r.first = append(r.first, capture.Fact{Source: r.tool.name, Name: "since boot." + p.name(i), Value: value})
		}
	}
	r.table.Apply(row, p.plan, p.numbers)
}

// storeAverage keeps the averages of one line as facts, and compares them with the readings, if
// these are all those of which they are averages.
func (r *reader) storeAverage(p *pending) {
	for i, value := range p.printed {
		r.fact("average."+p.name(i), value)
	}
	if r.whole && !r.tool.activity && p.plan.Rows > 0 && p.plan.Rows == p.heading.stamps {
		r.table.Average(p.plan, p.printed, p.numbers)
	}
}

// name returns the name of a value: "cpu 3.%usr".
func (p *pending) name(i int) string {
	if p.plan.Subject == "" {
		return p.heading.values[i]
	}
	return p.plan.Subject + "." + p.heading.values[i]
}
