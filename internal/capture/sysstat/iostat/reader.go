package iostat

import (
	"strings"
	"time"

	"plinth/internal/capture"
	"plinth/internal/capture/sysstat/layout"
	"plinth/internal/capture/sysstat/table"
)

// reader reads the output of one iostat.
type reader struct {
	banner   layout.Banner
	whole    bool // the first line is there
	begun    bool
	table    *table.Table
	headings map[string]*heading // by their lines
	heading  *heading            // of the current lines; nil between reports
	name     string              // a device on a line of its own: see named
	report   report
	reports  int
	disks    int // reports with a heading of disks
	stamps   int // reports with a time
	days     layout.Days
	gap      float64 // seconds between the times of reports
	mixed    bool    // they differ
	pending  pending
	first    []capture.Fact // the values of the first report
	seconds  [2]float64     // that the first report covers, and the longest of the others
	short    int
	back     int
	unended  bool // the line that was taken last is the last one and has no end
	cut      bool // the last line was left out
	lost     int  // lines about devices beyond the limit

	// Room that lines share.
	fields [][]byte
	values []layout.Number
}

// report is the current report: a time with -t, shares of CPU time, and disks.
type report struct {
	row      int
	moment   capture.Moment
	cpu      bool
	disks    bool
	occupied bool // it has a row
}

// pending is the last line of values, which is kept until another line follows, because the last line
// of a text may have been cut in a number.
type pending struct {
	set     bool
	heading *heading
	plan    *table.Plan
	known   bool
	numbers []layout.Number
	printed []string // only in the first report
	edge    layout.Edge
}

const (
	maxHeadings = 100
	maxFacts    = 2_000
)

func newReader() *reader {
	return &reader{table: table.New("iostat"), headings: map[string]*heading{}}
}

// Line takes the next line.
func (r *reader) Line(line []byte) bool {
	if !r.begun {
		if b, ok := layout.ParseBanner(line); ok {
			r.banner, r.whole, r.begun = b, true, true
			return true
		}
	}
	r.flush()
	r.fields = layout.Fields(r.fields[:0], line)
	switch {
	case len(r.fields) == 0:
		return false
	case r.heading != nil && r.row(line):
		return true
	case r.newHeading(line):
		return true
	case len(r.fields) > 3 || line[0] < '0' || line[0] > '9':
		return false
	}
	moment, ok := layout.Stamp(string(line))
	if ok {
		r.begun = true
		r.next(moment)
	}
	return ok
}

// newHeading takes a line that may be a heading.
func (r *reader) newHeading(line []byte) bool {
	h := r.headings[string(line)]
	if h == nil {
		columns := cpuColumns(r.fields)
		if columns == nil {
			columns = deviceColumns(r.fields)
		}
		if columns == nil {
			return false
		}
		if r.cutHeading(string(line)) || len(r.headings) >= maxHeadings {
			r.short++
			return true
		}
		h = newHeading(line, columns)
		r.headings[string(line)] = h
	}
	if h.cpu && (r.report.cpu || r.report.disks) || !h.cpu && r.report.disks {
		r.next(capture.Moment{})
	}
	r.open()
	r.begun, r.heading, r.name = true, h, ""
	if h.cpu {
		r.report.cpu = true
	} else {
		r.report.disks = true
		r.disks++
	}
	return true
}

// cutHeading reports whether a line is the beginning of an earlier heading.
func (r *reader) cutHeading(line string) bool {
	for whole := range r.headings {
		if strings.HasPrefix(whole, line) {
			return true
		}
	}
	return false
}

// next begins a report. The moment is zero without -t.
func (r *reader) next(at capture.Moment) {
	before := r.report.moment
	if at.Clock == capture.OfDay {
		seconds, back := r.days.Next(int(at.Time.Unix()))
		at.Time = time.Unix(int64(seconds), 0).UTC()
		if back {
			r.back++
		}
	}
	if at.Clock != capture.NoClock && before.Clock == at.Clock {
		gap := at.Time.Sub(before.Time).Seconds()
		r.mixed = r.mixed || r.gap != 0 && r.gap != gap
		r.gap = gap
	}
	r.report, r.heading = report{moment: at}, nil
}

// open gives the report a row, once it has a heading.
func (r *reader) open() {
	if r.report.occupied {
		return
	}
	r.report.row, r.report.occupied = r.table.AddRow(r.report.moment), true
	r.reports++
	if r.report.moment.Clock != capture.NoClock {
		r.stamps++
	}
}
