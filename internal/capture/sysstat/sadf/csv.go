package sadf

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/capture/sysstat/layout"
	"plinth/internal/capture/sysstat/names"
	"plinth/internal/capture/sysstat/table"
)

// csv reads the output of sadf -d.
type csv struct {
	table    *table.Moments
	headings map[string]bool // their lines
	heading  *heading
	cpus     int
	pending  []entry // the last line
	facts    []capture.Fact
	unused   int
	lost     int
	unended  bool // the line that was taken last is the last one and has no end
	cut      bool
	fields   [][]byte
}

// heading describes one table.
type heading struct {
	key     string   // the column that names what a line is about; "" if there is none
	columns []string // the others
	repeats bool     // a line has all disks or CPUs, one after the other (-h)
	perCPU  bool     // a column for each CPU follows
	plans   map[string]*table.Plan
}

// entry is one set of values.
type entry struct {
	plan   *table.Plan
	known  bool
	at     capture.Moment
	covers int64
	values []layout.Number
}

const (
	maxHeadings = 500
	maxPlans    = 20_000
	maxFacts    = 1_000
)

func newCSV() *csv {
	return &csv{table: table.NewMoments("sar"), headings: map[string]bool{}}
}

// Line takes the next line.
func (c *csv) Line(line []byte) bool {
	c.flush()
	if bytes.HasPrefix(line, []byte(csvHeading)) {
		return c.newHeading(string(line))
	}
	c.fields = split(c.fields[:0], bytes.TrimRight(line, " \r"))
	if c.heading == nil || len(c.fields) < 4 {
		return false
	}
	covers, err := strconv.ParseInt(string(c.fields[1]), 10, 64)
	at, ok := moment(c.fields[2])
	if err != nil || !ok {
		return false
	}
	if m := restart.FindSubmatch(line); m != nil {
		c.cpus, _ = strconv.Atoi(string(m[1]))
		c.fact("restart", string(line))
		return true
	}
	if text, ok := bytes.CutPrefix(c.fields[3], []byte("COM ")); ok {
		c.fact("comment", string(text))
		return true
	}
	return c.row(at, covers, c.fields[3:])
}

func split(fields [][]byte, line []byte) [][]byte {
	for {
		before, after, found := bytes.Cut(line, []byte(";"))
		fields = append(fields, before)
		if !found {
			return fields
		}
		line = after
	}
}

func (c *csv) fact(name, value string) {
	if len(c.facts) < maxFacts {
		c.facts = append(c.facts, capture.Fact{Source: "sar", Name: name, Value: value})
	}
}

func (c *csv) newHeading(line string) bool {
	if c.headings[line] || len(c.headings) >= maxHeadings {
		return false // the heading of a table that was there: another output begins
	}
	h := parseHeading(strings.TrimSpace(line))
	if h == nil {
		return false
	}
	c.headings[line], c.heading = true, h
	return true
}

// keys are the columns that say what a line is about.
var keys = []string{"CPU", "NODE", "DEV", "IFACE", "INTR", "TTY", "FAN", "TEMP", "IN", "BAT", "FCHOST", "FILESYSTEM", "MOUNTPOINT"}

// chip is the column with the name of a sensor's chip.
const chip = "DEVICE"

func parseHeading(line string) *heading {
	h := &heading{plans: map[string]*table.Plan{}}
	line, h.repeats = strings.CutSuffix(line, "[...]")
	columns := strings.Split(line, ";")
	if len(columns) < 4 {
		return nil
	}
	columns = columns[3:]
	if slices.Contains(keys, columns[0]) {
		h.key, columns = columns[0], columns[1:]
	}
	if len(columns) == 1 && columns[0] == "CPU*" {
		h.perCPU, columns = true, []string{"all"}
	}
	if !slices.ContainsFunc(columns, func(name string) bool { return name != chip }) {
		return nil
	}
	h.columns = columns
	return h
}

// row takes the values of a line: one set, or with -h several.
func (c *csv) row(at capture.Moment, covers int64, fields [][]byte) bool {
	h := c.heading
	if slices.Contains(h.columns, "manufact") { // USB devices
		c.unused++
		return true
	}
	for h.perCPU && len(h.columns) < len(fields)-1 && len(h.columns) < maxPlans {
		h.columns = append(h.columns, "CPU"+strconv.Itoa(len(h.columns)-1))
	}
	want := len(h.columns)
	if h.key != "" {
		want++
	}
	if len(fields) < want || len(fields)%want != 0 || len(fields) > want && !h.repeats {
		return false
	}
	var entries []entry
	for ; len(fields) > 0; fields = fields[want:] {
		e, ok := c.entry(fields[:want])
		if !ok {
			return false
		}
		e.at, e.covers = at, covers
		if e.plan != nil {
			entries = append(entries, e)
		}
	}
	c.pending = entries
	return true
}

// entry parses one set of values.
func (c *csv) entry(fields [][]byte) (entry, bool) {
	h := c.heading
	subject := ""
	if h.key != "" {
		subject, fields = string(fields[0]), fields[1:]
	}
	var columns []string
	var values []layout.Number
	for i, f := range fields {
		if h.columns[i] == chip {
			continue
		}
		n, ok := layout.ParseNumber(f)
		if !ok {
			return entry{}, false
		}
		columns, values = append(columns, h.columns[i]), append(values, n)
	}
	plan := h.plans[subject]
	known := plan != nil
	if !known {
		if len(h.plans) >= maxPlans {
			c.lost++
			return entry{}, true
		}
		label := strings.TrimSpace(h.key + " " + subject)
		plan = c.table.NewPlan(label, columns, func(name string) []names.Out { return names.Key("sar", h.key, subject, name, c.cpus) })
		h.plans[subject] = plan
	}
	return entry{plan: plan, known: known, values: values}, true
}

func (c *csv) flush() {
	for _, e := range c.pending {
		c.table.Apply(c.table.Row(e.plan, e.at, e.covers), e.plan, e.values)
	}
	c.pending = nil
}

// End ends the output.
func (c *csv) End() (capture.Found, error) {
	if n := len(c.pending); n > 0 {
		last := c.pending[n-1]
		if c.cut = c.unended && (!last.known || !whole(last.values[len(last.values)-1], last.plan.Like())); c.cut {
			c.pending = c.pending[:n-1]
		}
		c.flush()
	}
	return found(c.table, c.facts, c.cut, map[string]int{"%s about USB devices left out": c.unused, "%s left out: a table can have at most 20,000 disks or CPUs": c.lost})
}

// Unended announces that the next line is the last one, and that it has no end.
func (c *csv) Unended() { c.unended = true }
