package kernel

import (
	"slices"

	"plinth/internal/host/perf"
	"plinth/internal/telemetry"
)

// eventColumn is the columns of an event that is counted.
type eventColumn struct {
	perfEvent
	total            telemetry.Slot
	enabled, running telemetry.Slot
	absent           bool // only the share of the time is reported
	last             perf.Count
}

func (c *eventColumn) put(b *telemetry.Board, now perf.Count) {
	last := c.last
	c.last = now
	b.Put(c.enabled, now.Enabled)
	b.Put(c.running, now.Running)
	switch {
	case c.absent:
	case now.Unknown != "":
		b.Unknown(c.total, now.Unknown)
	case c.always && standsStill(last, now):
		b.Unknown(c.total, whyStill)
	default:
		b.Put(c.total, now.Total)
	}
}

// whyStill is the reason for a missing count of a counter that only seems to exist.
const whyStill = "the counter ran and counted nothing: the hypervisor offers it without counting"

// standsStill reports whether an event that happens all the time was counted, and never happened.
func standsStill(last, now perf.Count) bool {
	return now.Running > last.Running && now.Total == last.Total && last.Enabled > 0
}

// bind creates the columns.
func (e *events) bind(b *telemetry.Board) {
	for _, event := range slices.Concat(e.groups...) {
		c := eventColumn{
			perfEvent: event, total: b.Column(event.metric),
			enabled: b.Counter(event.Name + " enabled"), running: b.Counter(event.Name + " running"),
			absent: event.always && e.awake,
		}
		b.Ratio(perfMeasured, c.running, c.enabled, event.Name)
		whyMeasured := e.whyNot(event)
		why := whyMeasured
		if why == "" {
			e.columns = append(e.columns, c)
			if c.absent {
				why = whyAwake
			}
		}
		b.Absent(event.metric, why)
		b.Absent(perfMeasured, whyMeasured, event.Name)
	}
}

// whyOneNode is the reason for missing counts of events that distinguish NUMA nodes.
const whyOneNode = "this machine has a single NUMA node"

// whyNot returns why an event is not counted; "" if it is.
func (e *events) whyNot(event perfEvent) string {
	if event.nodes && e.oneNode {
		return whyOneNode
	}
	if missing := e.set.Missing(event.Event); missing != nil {
		return missing.Reason()
	}
	return ""
}
