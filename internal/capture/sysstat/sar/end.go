package sar

import (
	"errors"

	"plinth/internal/capture"
	"plinth/internal/capture/sysstat/layout"
	"plinth/internal/capture/sysstat/table"
	"plinth/internal/record"
)

// End ends the output.
func (r *reader) End() (capture.Found, error) {
	r.flushLast()
	if r.table.Rows() == 0 && len(r.facts) == 0 {
		if r.lost.short > 0 || r.lost.uncertain {
			return capture.Found{}, errors.New("it ends before the end of its first line of values")
		}
		return capture.Found{}, errors.New("it has the names of columns, but no values")
	}
	found := capture.Found{Facts: append(r.banner.Facts(r.tool.name), r.facts...), Notes: r.notes()}
	if r.sinceBoot() {
		found.Facts = append(found.Facts, r.first...)
		found.Notes = append(found.Notes, table.Note(capture.LeftOut, "the only report covers the time since boot: its values are facts, not readings"))
	} else if r.table.Rows() > 0 {
		found.Series = r.table.Series(true, r.interval.value())
	}
	return found, nil
}

// sinceBoot reports whether the output is one report without an interval, which covers the time since
// boot (mpstat) or since the processes began (pidstat). Its heading has the time of its lines.
func (r *reader) sinceBoot() bool {
	return r.tool.name != "sar" && r.table.Rows() == 1 && r.interval.known && r.interval.seconds == 0
}

// flushLast stores the last line of the text, unless it may have been cut.
func (r *reader) flushLast() {
	p := &r.pending
	if !p.set {
		return
	}
	h := p.heading
	switch {
	case !r.unended:
	case h.rest >= 0 || h.key == len(h.columns)-1: // a text at the end, which may have been longer
		r.lost.uncertain = !p.known
	default:
		r.lost.uncertain = !layout.Whole(h.edge, p.edge, p.numbers[len(p.numbers)-1], p.plan.Like())
	}
	if !r.lost.uncertain {
		r.flush()
	}
}

func (r *reader) notes() []record.Note {
	notes := r.table.Notes()
	add := func(count int, noun, rule, text string) {
		if count > 0 {
			notes = append(notes, table.Note(rule, text, table.Count(count, noun)))
		}
	}
	if r.lost.uncertain {
		notes = append(notes, table.Note(capture.Cut, "the last line may end in the middle of a value, and was left out"))
	}
	add(r.lost.short, "line", capture.Cut, "%s left out, cut before the last column")
	add(r.lost.back, "time", capture.Unclear, "the clock was set back, %s: readings of the same hour are not in order")
	add(r.lost.unused, "line", capture.LeftOut, "%s about USB devices left out")
	add(r.lost.subjects, "line", capture.LeftOut, "%s left out: a table can have at most 20,000 processes, disks or CPUs")
	add(r.lost.facts, "average", capture.LeftOut, "%s left out")
	return notes
}

// interval finds out how many seconds a row covers.
type interval struct {
	seconds      int
	known, mixed bool
}

func (i *interval) add(seconds int) {
	if i.known && i.seconds != seconds {
		i.mixed = true
	}
	i.seconds, i.known = seconds, true
}

// value returns the interval; 0 if it is not the same for all rows.
func (i *interval) value() float64 {
	if i.mixed {
		return 0
	}
	return float64(i.seconds)
}

// Unended announces that the next line is the last one, and that it has no end.
func (r *reader) Unended() { r.unended = true }
