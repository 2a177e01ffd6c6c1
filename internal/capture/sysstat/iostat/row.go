package iostat

import (
	"plinth/internal/capture"
	"plinth/internal/capture/sysstat/layout"
)

// row takes a line of values.
func (r *reader) row(line []byte) bool {
	h := r.heading
	if r.name != "" && line[0] == ' ' {
		return r.rowOfName(line)
	}
	r.name = ""
	parsed := h.parse(line, r.fields, r.values[:0])
	switch {
	case parsed.ok:
		r.store(line, parsed)
	case parsed.short:
		r.short++
	default:
		return r.named(line)
	}
	return true
}

// named takes a line with nothing but the name of a device. iostat -h before version 12 prints one
// before the values (DISPLAY_HUMAN_READ in write_plain_ext_stat).
func (r *reader) named(line []byte) bool {
	if !r.heading.colon || len(r.fields) != 1 || line[0] == ' ' || !deviceName.Match(line) {
		return false
	}
	r.name = string(line)
	return true
}

func (r *reader) rowOfName(line []byte) bool {
	parsed := row{subject: r.name, printed: r.fields}
	r.name = ""
	if len(r.fields) > len(r.heading.names) {
		return false
	}
	values := r.values[:0]
	for _, f := range r.fields {
		n, ok := layout.ParseNumber(f)
		if !ok {
			return false
		}
		values = append(values, n)
	}
	if len(values) < len(r.heading.names) {
		r.short++
		return true
	}
	parsed.values = values
	r.store(line, parsed)
	return true
}

// store keeps a line of values until another line follows.
func (r *reader) store(line []byte, parsed row) {
	h := r.heading
	r.values = parsed.values
	plan, known := h.plan(r.table, parsed.subject, r.banner.CPUs)
	if plan == nil {
		r.lost++
		return
	}
	r.pending = pending{set: true, heading: h, plan: plan, known: known, numbers: parsed.values, edge: layout.EdgeOf(line)}
	if r.reports == 1 {
		for _, f := range parsed.printed {
			r.pending.printed = append(r.pending.printed, string(f))
		}
	}
}

// flush stores the last line of values.
func (r *reader) flush() {
	p := &r.pending
	if !p.set {
		return
	}
	p.set = false
	if r.reports == 1 {
		for i, value := range p.printed[:min(len(p.printed), maxFacts-len(r.first))] {
			r.first = append(r.first, capture.Fact{Source: r.table.Source, Name: "first report." + p.plan.Subject + "." + p.heading.names[i], Value: value, At: r.report.moment})
		}
	}
	later := min(r.reports-1, 1)
	r.seconds[later] = max(r.seconds[later], p.plan.Span(p.numbers))
	r.table.Apply(r.report.row, p.plan, p.numbers)
}

// flushLast stores the last line of the text, unless it may have been cut.
func (r *reader) flushLast() {
	p := &r.pending
	if !p.set {
		return
	}
	switch {
	case !r.unended:
	case p.heading.last: // the name of the device, which may have been longer
		r.cut = !p.known
	default:
		r.cut = !layout.Whole(p.heading.edge, p.edge, p.numbers[len(p.numbers)-1], p.plan.Like())
	}
	if !r.cut {
		r.flush()
	}
}

// Unended announces that the next line is the last one, and that it has no end.
func (r *reader) Unended() { r.unended = true }
