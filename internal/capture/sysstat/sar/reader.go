package sar

import (
	"bytes"
	"strconv"

	"plinth/internal/capture"
	"plinth/internal/capture/sysstat/layout"
	"plinth/internal/capture/sysstat/table"
)

// reader reads the output of one program.
type reader struct {
	tool     tool
	banner   layout.Banner
	whole    bool // the first line is there
	begun    bool
	clock    layout.Clock
	table    *table.Table
	headings map[string]*heading // by the text of their columns
	heading  *heading            // of the current table
	twin     *heading            // pidstat -T ALL prints lines of two tables in turn, but their headings only once
	averages bool                // the current table is one of averages
	oneLine  bool                // the form of pidstat -h, whose times may be seconds since 1970
	epoch    bool                // they are
	rows     map[table.Stamp]int
	interval interval
	pending  pending
	facts    []capture.Fact // averages and remarks
	first    []capture.Fact // the first readings, which may be of the time since boot
	lost     counts
	unended  bool // the line that was taken last is the last one and has no end

	// Room that lines share.
	fields [][]byte
	values []layout.Number
}

// counts says what was not used.
type counts struct {
	short, back, unused, facts, subjects int
	uncertain                            bool // the last line may have been cut
}

const (
	maxHeadings = 500
	maxFacts    = 2_000
)

func newReader(t tool) *reader {
	return &reader{tool: t, table: table.New(t.name), headings: map[string]*heading{}, rows: map[table.Stamp]int{}}
}

// Line takes the next line.
func (r *reader) Line(line []byte) bool {
	if !r.begun {
		if b, ok := layout.ParseBanner(line); ok {
			r.banner, r.whole, r.begun = b, true, true
			r.clock = layout.NewClock(b.Date)
			return true
		}
	}
	r.flush()
	r.fields = layout.Fields(r.fields[:0], line)
	if len(r.fields) == 0 {
		return false
	}
	if seconds, used := layout.TimeOfDay(r.fields); used > 0 {
		return r.timed(line, seconds, r.fields[used:])
	}
	if r.oneLine && isEpoch(r.fields[0]) {
		seconds, _ := strconv.Atoi(string(r.fields[0]))
		r.epoch = true
		return r.row(line, r.fields[1:], seconds)
	}
	if used := averageLabel(r.fields); used > 0 && r.begun {
		return r.average(line, r.fields[used:])
	}
	return r.fields[0][0] == '#' && r.newHeading(line)
}

// timed takes a line that begins with a time: a heading, values, or a remark of sar.
func (r *reader) timed(line []byte, seconds int, rest [][]byte) bool {
	if len(rest) == 0 {
		return false
	}
	if r.heading != nil && !r.averages && !r.epoch && r.row(line, rest, seconds) {
		return true
	}
	switch {
	case r.tool.name != "sar" || !r.begun:
	case len(rest) > 1 && string(rest[0]) == "LINUX" && string(rest[1]) == "RESTART":
		r.restart()
		r.fact("restart", string(bytes.TrimSpace(line)))
		return true
	case string(rest[0]) == "COM":
		r.fact("comment", string(bytes.TrimSpace(line)))
		return true
	}
	return r.newHeading(line)
}

// restart takes the line that says that the machine was started again: later averages do not
// cover what came before.
func (r *reader) restart() {
	for _, h := range r.headings {
		h.begun, h.stamps = false, 0
		for _, p := range h.plans {
			p.Forget()
		}
	}
}

// newHeading takes a line that may be a heading.
func (r *reader) newHeading(line []byte) bool {
	label, at := headingLabel(r.fields)
	if at == 0 || at >= len(r.fields) {
		return false
	}
	names := layout.Rest(line, r.fields[at])
	h := r.headings[string(names)]
	if h == nil {
		columns := columnsOf(r.fields[at:])
		if columns == nil || !r.tool.heading(columns) || len(r.headings) >= maxHeadings {
			return false
		}
		h = newHeading(columns, layout.EdgeOf(line))
		r.headings[string(names)] = h
	}
	if before := r.heading; before != nil && before.times != h.times {
		r.twin = before
	}
	r.begun, r.heading, r.averages = true, h, label == averageHeading
	r.oneLine = label == oneLineHeading
	h.again, h.before = true, label
	return true
}

// isEpoch reports whether a field is a time in seconds since 1970, after 2001.
func isEpoch(field []byte) bool {
	if len(field) != 10 {
		return false
	}
	for _, c := range field {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func (r *reader) fact(name, value string) {
	if len(r.facts) >= maxFacts {
		r.lost.facts++
		return
	}
	r.facts = append(r.facts, capture.Fact{Source: r.tool.name, Name: name, Value: value})
}
