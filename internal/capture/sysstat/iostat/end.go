package iostat

import (
	"errors"

	"plinth/internal/capture"
	"plinth/internal/capture/sysstat/table"
	"plinth/internal/record"
)

// End ends the output.
func (r *reader) End() (capture.Found, error) {
	r.flushLast()
	if len(r.first) == 0 && r.seenLater() == 0 {
		if r.short > 0 || r.cut {
			return capture.Found{}, errors.New("it ends before the end of its first line of values")
		}
		return capture.Found{}, errors.New("it has the names of columns, but no values")
	}
	found := capture.Found{Facts: r.banner.Facts(r.table.Source), Notes: r.notes()}
	sinceBoot := !r.omitted()
	if sinceBoot {
		found.Facts = append(found.Facts, r.first...)
		r.table.DropFirst()
	}
	if r.table.Rows() > 0 {
		interval := r.gap
		if r.mixed {
			interval = 0
		}
		found.Series = r.table.Series(r.stamps == r.reports, interval)
	}
	return found, nil
}

// omitted reports whether the first report does not cover the time since boot, because iostat ran
// with -y: it then covers as many seconds as the others. Only reports with amounts and rates say so.
func (r *reader) omitted() bool {
	const alike = 1.5
	return r.reports > 1 && r.seconds[0] > 0 && r.seconds[1] > 0 && r.seconds[0] < alike*r.seconds[1]
}

// seenLater returns how many lines of values there are.
func (r *reader) seenLater() int {
	n := 0
	for _, h := range r.headings {
		for _, p := range h.plans {
			n += p.Rows
		}
	}
	return n
}

func (r *reader) notes() []record.Note {
	notes := r.table.Notes()
	add := func(count int, rule, format string, args ...any) {
		if count > 0 {
			notes = append(notes, table.Note(rule, format, args...))
		}
	}
	if !r.omitted() {
		switch {
		case r.reports == 1:
			add(1, capture.LeftOut, "the only report covers the time since boot, unless iostat ran with -y: its values are facts, not readings")
		case r.whole:
			add(1, capture.LeftOut, "the first of %d reports covers the time since boot, unless iostat ran with -y: its values are facts, not readings", r.reports)
		default:
			add(1, capture.LeftOut, "the first of %d reports may cover the time since boot, because the beginning of the output is missing: its values are facts, not readings", r.reports)
		}
	}
	if r.cut {
		notes = append(notes, table.Note(capture.Cut, "the last line may end in the middle of a value, and was left out"))
	}
	add(r.short, capture.Cut, "%s left out, cut before the last column", table.Count(r.short, "line"))
	add(r.back, capture.Unclear, "the clock was set back, %s: readings of the same hour are not in order", table.Count(r.back, "time"))
	add(r.lost, capture.LeftOut, "%s left out: a report can have at most %d devices", table.Count(r.lost, "line"), maxDevices)
	missing := r.missing()
	add(missing, capture.Unclear, "%s missing from some of the %d reports, as with iostat -z, which leaves out idle devices: gaps", table.Count(missing, "device"), r.disks)
	return notes
}

// missing returns how many devices are not in all reports. The last report does not count: its end may
// be missing.
func (r *reader) missing() int {
	n := 0
	for _, h := range r.headings {
		for _, p := range h.plans {
			if !h.cpu && p.Rows < r.disks-1 {
				n++
			}
		}
	}
	return n
}
