package iostat

import (
	"regexp"
	"strings"

	"plinth/internal/capture/sysstat/layout"
	"plinth/internal/capture/sysstat/names"
	"plinth/internal/capture/sysstat/table"
)

// heading describes the lines of one kind of report.
type heading struct {
	names []string // of the values
	cpu   bool
	last  bool // the device is the last column
	colon bool // the heading has a colon, as before version 12
	edge  layout.Edge
	plans map[string]*table.Plan
}

func newHeading(line []byte, columns []string) *heading {
	h := &heading{edge: layout.EdgeOf(line), plans: map[string]*table.Plan{}}
	switch {
	case columns[0] == device:
		h.names, h.colon = columns[1:], strings.HasPrefix(string(line), device+":")
	case columns[len(columns)-1] == device:
		h.names, h.last = columns[:len(columns)-1], true
	default:
		h.names, h.cpu = columns, true
	}
	return h
}

// row is one line of values.
type row struct {
	subject string // the device; of a group (-g), with a space before it
	values  []layout.Number
	printed [][]byte
	ok      bool
	short   bool // the line may be the beginning of one that was cut
}

var deviceName = regexp.MustCompile(`^[A-Za-z0-9_][-\w!./:+@\\]*$`)

// parse splits a line with the given fields.
func (h *heading) parse(line []byte, fields [][]byte, values []layout.Number) row {
	want := len(h.names)
	if !h.cpu {
		want++
	}
	switch {
	case len(fields) > want || h.cpu && line[0] != ' ':
		return row{}
	case len(fields) < want:
		return row{short: h.beginning(fields)}
	}
	r := row{printed: fields}
	switch {
	case h.cpu:
	case h.last:
		name := fields[want-1]
		r.subject, r.printed = string(name), fields[:want-1]
		if start := cap(line) - cap(name); start > 1 && line[start-2] == ' ' {
			r.subject = " " + r.subject
		}
	default:
		r.subject, r.printed = string(fields[0]), fields[1:]
		if line[0] == ' ' {
			r.subject = " " + r.subject
		}
	}
	if !h.cpu && !deviceName.MatchString(strings.TrimSpace(r.subject)) {
		return row{}
	}
	for _, f := range r.printed {
		n, ok := layout.ParseNumber(f)
		if !ok {
			return row{}
		}
		values = append(values, n)
	}
	r.values, r.ok = values, true
	return r
}

// beginning reports whether the fields are the first ones of a line.
func (h *heading) beginning(fields [][]byte) bool {
	if !h.cpu && !h.last {
		if !deviceName.Match(fields[0]) {
			return false
		}
		fields = fields[1:]
	}
	if len(fields) < 2 {
		return false
	}
	for _, f := range fields[:len(fields)-1] {
		if _, ok := layout.ParseNumber(f); !ok {
			return false
		}
	}
	return true
}

// maxDevices bounds the devices of one heading.
const maxDevices = 5_000

// plan returns the plan for lines about a device or about CPUs, and whether there were such lines.
func (h *heading) plan(t *table.Table, subject string, cpus int) (p *table.Plan, known bool) {
	if p := h.plans[subject]; p != nil {
		return p, true
	}
	if len(h.plans) >= maxDevices {
		return nil, false
	}
	outs := func(name string) []names.Out { return names.Disk(t.Source, subject, name) }
	label := strings.TrimSpace(subject)
	switch {
	case h.cpu:
		label = "all CPUs"
		outs = func(name string) []names.Out { return names.AllCPUs(t.Source, name, cpus) }
	case strings.HasPrefix(subject, " "):
		outs = func(name string) []names.Out { return names.Own(t.Source, label, name) }
	}
	p = t.NewPlan(label, h.names, outs)
	h.plans[subject] = p
	return p, false
}
