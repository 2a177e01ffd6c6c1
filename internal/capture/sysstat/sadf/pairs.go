package sadf

import (
	"bytes"
	"strconv"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/capture/sysstat/layout"
	"plinth/internal/capture/sysstat/names"
	"plinth/internal/capture/sysstat/table"
)

// pairs reads the output of sadf -p: one value on each line.
type pairs struct {
	table   *table.Moments
	plans   map[string]*table.Plan
	pending *entry
	unended bool // the line that was taken last is the last one and has no end
	lost    int
}

func newPairs() *pairs {
	return &pairs{table: table.NewMoments("sar"), plans: map[string]*table.Plan{}}
}

// Line takes the next line.
func (p *pairs) Line(line []byte) bool {
	p.flush()
	fields := bytes.Split(bytes.TrimRight(line, " \r"), []byte("\t"))
	if len(fields) != 6 {
		return false
	}
	covers, err := strconv.ParseInt(string(fields[1]), 10, 64)
	at, ok := moment(fields[2])
	n, number := layout.ParseNumber(fields[5])
	if err != nil || !ok || !number {
		return false
	}
	key := string(fields[3]) + "\t" + string(fields[4])
	plan := p.plans[key]
	known := plan != nil
	if !known {
		if len(p.plans) >= maxPlans {
			p.lost++
			return true
		}
		plan = p.plan(string(fields[3]), string(fields[4]))
		p.plans[key] = plan
	}
	p.pending = &entry{plan: plan, known: known, at: at, covers: covers, values: []layout.Number{n}}
	return true
}

// plan returns the plan for one value. The line does not say of which table the value is: its name
// does.
func (p *pairs) plan(subject, heading string) *table.Plan {
	column, label := "", subject
	switch cpu, isCPU := strings.CutPrefix(subject, "cpu"); {
	case subject == "-":
		subject, label = "", ""
	case isCPU || subject == "all" && (names.Share(heading) || heading == "MHz"):
		column, subject = "CPU", cpu
	case heading == "intr/s":
		column, subject = "INTR", strings.TrimPrefix(subject, "i0")
	case names.Network(heading):
		column = "IFACE"
	default:
		column = "DEV" // a value that no disk has keeps its own name
	}
	return p.table.NewPlan(label, []string{heading}, func(name string) []names.Out {
		return names.Key("sar", column, subject, name, 0)
	})
}

func (p *pairs) flush() {
	if e := p.pending; e != nil {
		p.table.Apply(p.table.Row(e.plan, e.at, e.covers), e.plan, e.values)
		p.pending = nil
	}
}

// End ends the output.
func (p *pairs) End() (capture.Found, error) {
	cut := false
	if e := p.pending; e != nil {
		if cut = p.unended && (!e.known || !whole(e.values[0], e.plan.Like())); !cut {
			p.flush()
		}
	}
	return found(p.table, nil, cut, map[string]int{"%s left out: a table can have at most 20,000 values for a time": p.lost})
}

// Unended announces that the next line is the last one, and that it has no end.
func (p *pairs) Unended() { p.unended = true }
