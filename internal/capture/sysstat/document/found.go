package document

import (
	"fmt"

	"plinth/internal/capture"
	"plinth/internal/capture/sysstat/table"
)

// found returns what was read; cut says that the document has no end.
func (r *readings) found(cut bool) capture.Found {
	if r.table == nil {
		return capture.Found{}
	}
	f := capture.Found{Facts: r.header.banner.Facts(r.tool), Notes: r.table.Notes()}
	if r.tool != "sar" && !r.omitted() {
		f.Facts = append(f.Facts, r.first...)
		r.table.DropFirst()
		which := "only report"
		if r.reports > 1 {
			which = fmt.Sprintf("first of %d reports", r.reports)
		}
		f.Notes = append(f.Notes, table.Note(capture.LeftOut, "the %s covers the time since boot, unless %s: its values are facts, not readings",
			which, map[string]string{"iostat": "iostat ran with -y", "mpstat": "mpstat ran with an interval"}[r.tool]))
	}
	if r.table.Rows() > 0 {
		interval := r.table.Interval()
		if r.tool != "sar" && !r.mixed {
			interval = r.gap
		}
		f.Series = r.table.Series(r.timed == r.reports, interval)
	}
	if cut {
		f.Notes = append(f.Notes, table.Note(capture.Cut, "the document has no end: %s complete", table.Count(r.reports, "report")))
	}
	if r.lost > 0 {
		f.Notes = append(f.Notes, table.Note(capture.LeftOut, "%s left out: a document can have at most %d disks, CPUs and others", table.Count(r.lost, "line"), maxPlans))
	}
	return f
}

// omitted reports whether the first report is like the others. mpstat with an interval has no report
// on the time since boot. iostat has none with -y; then the first report covers as many seconds as
// the others.
func (r *readings) omitted() bool {
	const alike = 1.5
	if r.tool == "mpstat" {
		return r.reports > 1
	}
	return r.reports > 1 && r.spans[0] > 0 && r.spans[1] > 0 && r.spans[0] < alike*r.spans[1]
}
