package procps

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// vmstat reads the table of vmstat: procps 3.3 and 4, with and without -w, -t, -a and -n.
//
// Its columns are in the header; procps 4.0.4 appends "gu" (guest time, which "us" no longer includes),
// some 3.3 have "st" as the last. Their units are those of vmstat(8) and src/vmstat.c: memory in KiB, or
// in the unit of -S, which the table does not state; "si" and "so" in that unit a second; "bi" and "bo" in
// KiB a second with any -S, because they are the pgpgin and pgpgout of /proc/vmstat; CPU time in percent
// of all CPUs. "r" is procs_running of /proc/stat without vmstat itself, and "cache" includes reclaimable
// slabs, so these have no metric of plinth.
type vmstat struct {
	capture.LastLine
	command command
	columns []string // in the header's spelling
	stamped bool
	zone    string
	banner  bool // the names follow

	rows  capture.Rows
	first []string // the row that was printed first
	since int      // rows since the last header
	// memory has the columns from swpd to cache of the row that was read first; moved says that another row
	// differs, and read how many rows there are.
	memory []string
	moved  bool
	read   int
}

// vmstatMetrics are the columns that state the same quantity as a metric, with the factor to its unit; a
// factor of 0 stands for the unit of memory.
var vmstatMetrics = map[string]struct {
	name   string
	factor float64
}{
	"b":    {"stat.procs_blocked", 1},
	"free": {"meminfo.MemFree", 0},
	"buff": {"meminfo.Buffers", 0},
	"bi":   {"vmstat.pgpgin", 1024},
	"bo":   {"vmstat.pgpgout", 1024},
	"in":   {"stat.intr", 1},
	"cs":   {"stat.ctxt", 1},
}

var (
	bannerLine = regexp.MustCompile(`^-{0,2}procs-{0,2} -+memory-+ -+swap-+ -+io-+ -+system-+ -+cpu-+(?: -+timestamp-+)?\s*$`)
	namesLine  = regexp.MustCompile(`^\s*r\s+b\s+swpd\s+free\s+(?:buff\s+cache|inact\s+active)\s+si\s+so\s+bi\s+bo\s+in\s+cs\s+us\s+sy\s+id\s+wa(?:\s+st)?(?:\s+g[ue])?(?:\s+([A-Z][A-Za-z]{1,4}|[+-]\d\d(?:\d\d)?))?\s*$`)
)

func beginsVmstat(lines []string) bool {
	if _, ok := parseCommand(lines[0]); ok {
		return len(lines) > 1 && bannerLine.MatchString(lines[1])
	}
	return bannerLine.MatchString(lines[0]) || namesLine.MatchString(lines[0])
}

// Line implements capture.Reader.
func (v *vmstat) Line(line []byte) bool { return v.Took(v.line(line)) }

func (v *vmstat) line(line []byte) bool {
	text := string(line)
	if v.columns == nil && !v.banner && !v.command.seen {
		if parsed, ok := parseCommand(text); ok {
			v.command = parsed
			return true
		}
	}
	switch {
	case v.header(text):
		return true
	case v.columns == nil || v.banner:
		return false
	}
	return v.row(text)
}

func (v *vmstat) header(text string) bool {
	if bannerLine.MatchString(text) {
		if v.banner || v.columns != nil && !v.goesOn() {
			return false
		}
		v.banner = true
		return true
	}
	found := namesLine.FindStringSubmatch(text)
	if found == nil || v.columns != nil && !v.banner {
		return false
	}
	columns := strings.Fields(text)
	if found[1] != "" {
		columns = columns[:len(columns)-1]
	}
	if v.columns != nil && strings.Join(columns, " ") != strings.Join(v.columns, " ") {
		return false
	}
	v.columns, v.zone, v.stamped, v.banner, v.since = columns, found[1], found[1] != "", false, 0
	return true
}

// goesOn reports whether a header is one that vmstat repeats.
func (v *vmstat) goesOn() bool { return repeats(v.since) }

const stampFields = 2

func (v *vmstat) row(text string) bool {
	fields := strings.Fields(text)
	var at capture.Moment
	if v.stamped {
		if len(fields) != len(v.columns)+stampFields {
			return false
		}
		wall, err := time.Parse("2006-01-02 15:04:05", strings.Join(fields[len(v.columns):], " "))
		if err != nil {
			return false
		}
		at = capture.At(wall, v.zone)
	}
	if len(fields) != len(v.columns) && !v.stamped {
		return false
	}
	values := make([]float64, len(v.columns))
	for i := range values {
		value, err := strconv.ParseUint(fields[i], 10, 64)
		if err != nil {
			return false
		}
		values[i] = float64(value)
	}
	v.since++
	v.watch(fields[swpd : cache+1])
	if v.first == nil && !v.command.skip {
		v.first = fields[:len(v.columns)]
		return true
	}
	v.rows.Add(at)
	for i, value := range values {
		v.rows.Set(v.scaled(v.columns[i], value))
	}
	return true
}

// scaled returns the name and the value of a column.
func (v *vmstat) scaled(column string, value float64) (string, float64) {
	metric, ok := vmstatMetrics[column]
	switch {
	case !ok:
		return "procps." + column, value
	case metric.factor != 0:
		return metric.name, value * metric.factor
	}
	if v.unit() == 0 {
		return "procps." + column, value
	}
	return metric.name, value * v.unit()
}

// End implements capture.Reader.
func (v *vmstat) End() (capture.Found, error) {
	if v.first == nil && v.rows.Len() == 0 {
		return capture.Found{}, errors.New("it has a header and no rows")
	}
	var notes []record.Note
	if v.Cut {
		if v.rows.Len() == 0 {
			return capture.Found{}, errors.New("its only row is cut off, or lacks the end of its line")
		}
		v.rows.DropLast()
		notes = append(notes, cutOff("row"))
	}
	if v.first != nil {
		notes = append(notes, sinceBoot)
	}
	switch {
	case v.unit() == 0:
		notes = append(notes, unclear("the unit of memory and swap is unknown: as KiB, vmstat's unit without -S, the machine would have less than 64 MiB"))
	case !v.command.seen:
		notes = append(notes, unclear("vmstat does not print the unit of memory and swap: they are read as KiB, its unit without -S"))
	}
	found := capture.Found{Series: v.rows.Series("vmstat", v.command.delay), Notes: append(notes, v.rows.Notes()...)}
	if v.rows.Len() == 0 && v.first != nil {
		found.Facts = v.states()
	}
	if len(found.Series) > 0 && v.readOnce() {
		v.dropMemory(&found)
	}
	return found, nil
}

// states returns the columns of the first row that are no averages: the state at that moment.
func (v *vmstat) states() []capture.Fact {
	var facts []capture.Fact
	for i, column := range v.columns {
		if column == "si" {
			break
		}
		facts = append(facts, capture.Fact{Source: "vmstat", Name: "procps." + column, Value: v.first[i]})
	}
	return facts
}
