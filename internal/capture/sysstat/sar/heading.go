package sar

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"plinth/internal/capture/sysstat/layout"
	"plinth/internal/capture/sysstat/names"
	"plinth/internal/capture/sysstat/table"
)

// heading describes one table.
type heading struct {
	columns []string
	numbers []int    // the columns with values that are used
	values  []string // their names
	key     int      // the column that names what a line is about; -1 if there is none
	rest    int      // the last column if it is a text, which may have spaces; -1 if there is none
	times   bool     // the columns are times in milliseconds: of pidstat -T
	unused  bool     // no column is used: the table describes USB devices
	edge    layout.Edge
	plans   map[string]*table.Plan

	days   layout.Days // times of day of this table
	last   table.Stamp // of the last line
	begun  bool
	again  bool // the heading was printed again since the last line
	before int  // the time that the heading states; -1 for none
	stamps int  // how many moments the table has
}

// keys are columns that say what a line is about. FAN, TEMP, IN and BAT number sensors.
var keys = []string{"CPU", "NODE", "DEV", "IFACE", "INTR", "TTY", "FAN", "TEMP", "IN", "BAT", "FCHOST", "FILESYSTEM", "MOUNTPOINT"}

// texts are columns without a number that may have spaces; the others are a word.
var texts = []string{"Command", "DEVICE", "FILESYSTEM", "MOUNTPOINT"}

// words are columns with a word or with a number that identifies something.
var words = []string{"UID", "USER", "PID", "TGID", "TID", "policy", "CORE", "SOCK", "status"}

func newHeading(columns []string, edge layout.Edge) *heading {
	h := &heading{columns: columns, key: -1, rest: -1, edge: edge, before: -1, plans: map[string]*table.Plan{}, unused: columns[0] == "BUS"}
	last := len(columns) - 1
	if slices.Contains(texts, columns[last]) {
		h.rest = last
	}
	process := columns[last] == "Command"
	h.times = process && strings.HasSuffix(columns[last-1], "-ms")
	for i, c := range columns {
		switch {
		case h.key < 0 && !process && (i == 0 || i == last) && slices.Contains(keys, c):
			h.key = i
		case i == h.rest || slices.Contains(words, c) || c == "NODE" && i > 0:
		default:
			h.numbers = append(h.numbers, i)
			h.values = append(h.values, c)
		}
	}
	return h
}

// parse splits the fields of a line, which follow its time, into what it is about and values. It
// reports false if they are not a line of the table; short is true if they may be the beginning of
// one, which was cut.
func (h *heading) parse(line []byte, fields [][]byte, values []layout.Number) (subject []byte, numbers []layout.Number, short, ok bool) {
	if h.unused {
		if len(fields) == 0 {
			return nil, nil, false, false
		}
		_, ok := layout.ParseNumber(fields[0])
		return nil, nil, false, ok
	}
	if len(fields) < len(h.columns) {
		return nil, nil, h.beginning(fields), false
	}
	if len(fields) > len(h.columns) && h.rest < 0 {
		return nil, nil, false, false
	}
	for _, i := range h.numbers {
		n, number := layout.ParseNumber(fields[i])
		if !number {
			return nil, nil, false, false
		}
		values = append(values, n)
	}
	switch {
	case h.columns[len(h.columns)-1] == "Command":
		return h.process(line, fields, values)
	case h.key < 0:
		return nil, values, false, true
	case h.key == h.rest:
		return layout.Rest(line, fields[h.rest]), values, false, true
	}
	subject = fields[h.key]
	if h.columns[h.key] == "CPU" && string(subject) != "all" {
		if _, err := strconv.ParseUint(string(subject), 10, 32); err != nil {
			return nil, nil, false, false
		}
	}
	return subject, values, false, true
}

// beginning reports whether the fields are the first of a line: numbers where the table has numbers.
func (h *heading) beginning(fields [][]byte) bool {
	found := false
	for _, i := range h.numbers {
		if i >= len(fields)-1 { // the last field may be a part of one
			break
		}
		if _, ok := layout.ParseNumber(fields[i]); !ok {
			return false
		}
		found = true
	}
	return found
}

// unknown stands for no value: pidstat prints it for I/O that it may not read (-1.00, pidstat.c).
const unknown = -1

// process returns the name of a process or thread as the subject: "postgres[1234]".
func (h *heading) process(line []byte, fields [][]byte, values []layout.Number) ([]byte, []layout.Number, bool, bool) {
	for i := range values {
		if h.times && values[i].Decimals > 0 {
			return nil, nil, false, false
		}
		if values[i].Value == unknown {
			values[i].Value = math.NaN()
		}
	}
	var id []byte
	for i, c := range h.columns[:h.rest] {
		if c != "PID" && c != "TGID" && c != "TID" || string(fields[i]) == "-" {
			continue
		}
		if _, err := strconv.ParseUint(string(fields[i]), 10, 32); err != nil {
			return nil, nil, false, false
		}
		id = fields[i]
		if c == "TID" {
			id = append([]byte("tid "), id...)
		}
	}
	if id == nil {
		return nil, nil, false, false
	}
	command := bytes.TrimPrefix(layout.Rest(line, fields[h.rest]), []byte("|__"))
	subject := append([]byte(nil), command[:min(len(command), maxCommand)]...)
	subject = append(append(append(subject, '['), id...), ']')
	return subject, values, false, true
}

// maxCommand is how many bytes of a command line become part of a name.
const maxCommand = 60

// plan returns the plan for lines about subject, and whether it is new. It is nil if there are too
// many.
func (h *heading) plan(t *table.Table, subject []byte, cpus int) (p *table.Plan, known bool) {
	if p := h.plans[string(subject)]; p != nil {
		return p, true
	}
	if len(h.plans) >= maxPlans {
		return nil, false
	}
	key := printable(string(subject))
	column := ""
	if h.key >= 0 {
		column = h.columns[h.key]
	}
	outs := func(name string) []names.Out { return names.Key(t.Source, column, key, name, cpus) }
	if h.key < 0 && key != "" {
		outs = func(name string) []names.Out { return names.Own(t.Source, key, name) }
	}
	label := key
	switch column {
	case "CPU", "NODE":
		label = strings.ToLower(column) + " " + key
		if key == "all" {
			label = "all " + column + "s"
		}
	}
	p = t.NewPlan(label, h.values, outs)
	h.plans[string(subject)] = p
	return p, false
}

// maxPlans bounds the subjects of one table: processes come and go.
const maxPlans = 20_000

// printable replaces what cannot be printed in a name from a text.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, name)
}
