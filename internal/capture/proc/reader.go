package proc

import (
	"errors"
	"fmt"
	"strconv"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// Limits of what is kept.
const (
	maxFacts = 5000
	maxDisks = 256
	maxCPUs  = 1024
)

// reader reads snapshots. With a line that states the time above each, they become a series; without, the
// last one becomes facts.
type reader struct {
	capture.LastLine
	stamped  bool
	at       capture.Moment
	last     string // the line that was taken last
	file     int    // in files: whose line it was
	lastFact string // the name of the fact that it set
	rows     capture.Rows
	pending  bool // the last row has no values yet
	gauges   map[string]bool

	facts    []capture.Fact
	index    map[string]int
	repeated int
	left     int

	cpus  int             // processors of /proc/cpuinfo
	array string          // of /proc/mdstat
	disks map[string]bool // of /proc/diskstats
}

func newReader() *reader {
	return &reader{index: map[string]int{}, gauges: map[string]bool{}, disks: map[string]bool{}}
}

// Line implements capture.Reader.
func (r *reader) Line(line []byte) bool { return r.Took(r.line(line)) }

func (r *reader) line(line []byte) bool {
	text := string(line)
	if at, ok := capture.Stamp(text); ok {
		return r.stamp(at)
	}
	r.lastFact = ""
	if r.last != "" && files[r.file].take(r, text) { // a file has many lines
		r.last = text
		return true
	}
	for i, f := range files {
		if f.take(r, text) {
			r.last, r.file = text, i
			return true
		}
	}
	return text != "" && r.last != "" && isBlank(text)
}

// stamp begins a snapshot. In the middle of a section without times it is the beginning of another one.
func (r *reader) stamp(at capture.Moment) bool {
	if r.last != "" && !r.stamped {
		return false
	}
	r.stamped, r.at = true, at
	if r.pending {
		r.rows.DropLast()
	}
	r.rows.Add(at)
	r.pending = true
	return true
}

// set sets a value of the series, if there is one, and a fact.
func (r *reader) set(source, name, printed string, value float64) {
	if r.stamped {
		r.rows.Set(name, value)
		r.pending = false
	}
	if _, known := r.index[name]; known {
		r.repeated++
	}
	r.fact(source, name, printed)
}

// fact keeps a fact; of several snapshots, the last.
func (r *reader) fact(source, name, value string) {
	r.lastFact = name
	fact := capture.Fact{Source: source, Name: name, Value: value, At: r.at}
	if i, known := r.index[name]; known {
		r.facts[i] = fact
		return
	}
	if len(r.facts) == maxFacts {
		r.left++
		return
	}
	r.index[name] = len(r.facts)
	r.facts = append(r.facts, fact)
	r.pending = false
}

// End implements capture.Reader.
func (r *reader) End() (capture.Found, error) {
	var found capture.Found
	if r.Cut {
		r.dropLine()
		found.Notes = append(found.Notes, record.Note{Rule: capture.Cut, Text: "the text ends within a line, which is left out"})
	}
	if r.pending {
		r.rows.DropLast()
	}
	found.Series = r.rows.Series("/proc", 0)
	if r.rows.Len() < 2 {
		found.Series = nil
	}
	columns := map[string]bool{}
	for i := range found.Series {
		for _, column := range found.Series[i].Columns {
			columns[column.Name] = true
		}
		finish(&found.Series[i])
	}
	if r.cpus > 0 {
		r.fact("/proc/cpuinfo", "cpuinfo.processors", strconv.Itoa(r.cpus))
	}
	for _, fact := range r.facts {
		if fact.Name != "" && !columns[fact.Name] {
			found.Facts = append(found.Facts, fact)
		}
	}
	if len(found.Series) == 0 && len(found.Facts) == 0 {
		return capture.Found{}, errors.New("it has no value that is complete")
	}
	if found.Series == nil && r.repeated > 0 {
		found.Notes = append(found.Notes, leftOut("the snapshots have no times: %d earlier values of the same names are left out", r.repeated))
	}
	if r.left > 0 {
		found.Notes = append(found.Notes, leftOut("%d values are left out: %d are kept", r.left, maxFacts))
	}
	found.Notes = append(found.Notes, r.rows.Notes()...)
	return found, nil
}

// dropLine drops what the last line said.
func (r *reader) dropLine() {
	if r.stamped && r.rows.Len() > 0 && !r.pending {
		r.rows.DropLast() // its other values would be a snapshot of a part
		r.pending = false
	}
	if i, known := r.index[r.lastFact]; known {
		r.facts[i].Name = ""
	}
	if disk, ok := diskOf(r.last); ok {
		for i, fact := range r.facts {
			if isOf(fact.Name, "diskstats."+disk+".") {
				r.facts[i].Name = ""
			}
		}
	}
	if isCPU(r.last) {
		for i, fact := range r.facts {
			if isOf(fact.Name, "stat.cpu.") {
				r.facts[i].Name = ""
			}
		}
	}
}

func isOf(name, prefix string) bool {
	return len(name) > len(prefix) && name[:len(prefix)] == prefix
}

func leftOut(format string, values ...any) record.Note {
	return record.Note{Rule: capture.LeftOut, Text: fmt.Sprintf(format, values...)}
}
