// Package share divides the response time of a run's transactions into what they spent it on: the CPU,
// the disk, locks, a standby, the load generator.
//
// The whole is the time that transactions were in flight: throughput times response time (Little, "A
// Proof for the Queuing Formula: L = λW", 1961). Sampled activity is not: a backend that was woken and
// waits for a CPU looks idle, and on a fast disk less than half of the time in flight is sampled as
// active. CPU time and run delay therefore come from the counters of processes, waits from samples, and
// what remains is shown as not explained, never spread over the parts. It is negative if a time counts
// twice: a backend that waits for a CPU at the end of a flush is still in the wait event.
package share

import (
	"fmt"
	"math"
	"slices"

	"plinth/internal/record"
	"plinth/internal/unit"
)

// Part is a part of the response time.
type Part struct {
	Name     string   `json:"name"`     // "wal-flush"
	Title    string   `json:"title"`    // "WAL flush"
	Sessions float64  `json:"sessions"` // mean number of transactions in flight that were in it
	Share    float64  `json:"share"`    // of the response time
	Time     float64  `json:"time_ns"`  // for each transaction
	Columns  []string `json:"columns"`  // from which it was computed
}

// Division is the response time of a run's transactions, divided.
type Division struct {
	Seconds  int     `json:"seconds"`   // of the window that could be used
	InFlight float64 `json:"in_flight"` // mean number of transactions in flight
	Response float64 `json:"response_ns"`
	TPS      float64 `json:"tps"`
	// Late is how long transactions of an open loop wait for their turn after they are due, in ns. It is not part of Response.
	Late    float64      `json:"late_ns,omitempty"`
	Error   float64      `json:"error"` // of a share: half of its 95 % interval
	Parts   []Part       `json:"parts"` // that are not zero, in the order of their titles; the last one is the rest, which is not explained
	Missing []record.Gap `json:"missing,omitempty"`
	// InServer says that no client measured the response time: Response then holds the time that transactions
	// spend in the server, and InFlight the sessions that are at work.
	InServer bool `json:"in_server,omitempty"`
}

// Fewest is the fewest seconds for which shares are shown. They may be of several runs of a cell.
const Fewest = 10

// TooFew returns why that many seconds are too few.
func TooFew(seconds int) string {
	return fmt.Sprintf("%s are too few to divide the response time: %d are needed", unit.Count(seconds, "second"), Fewest)
}

// perSecond is the error of a share for one second of samples; that of n seconds is smaller by √n.
const perSecond = 0.16

// Part returns a part by its name; its sessions are 0 if there was none.
func (d Division) Part(name string) Part {
	for _, p := range d.Parts {
		if p.Name == name {
			return p
		}
	}
	return Part{Name: name}
}

// Lacks reports whether a part is not known.
func (d Division) Lacks(name string) bool {
	return d.Part(name).Sessions == 0 && slices.ContainsFunc(d.Missing, func(g record.Gap) bool { return g.What == name })
}

// Divide divides the response time over the seconds from a time on, up to another. If it cannot be divided,
// or there are fewer seconds than the fewest that are asked for, why says so.
func (t *Timeline) Divide(from, to float64, fewest int) (d Division, why string) {
	var rows []int
	for i, second := range t.Seconds {
		if second >= from && second < to {
			rows = append(rows, i)
		}
	}
	if len(rows) < fewest {
		return d, TooFew(len(rows))
	}
	inFlight, _ := mean(t.InFlight, rows)
	tps, _ := mean(t.TPS, rows)
	late, _ := mean(t.Late, rows)
	if inFlight <= 0 || tps <= 0 {
		return d, "no transaction ended in the window"
	}
	d = Division{
		Seconds: len(rows), InFlight: inFlight, TPS: tps, Response: inFlight / tps * 1e9, Late: late,
		Error: perSecond / math.Sqrt(float64(len(rows))), Missing: slices.Clone(t.missing), InServer: t.inServer,
	}
	left := inFlight
	for _, of := range titles {
		sessions, known := 0.0, true
		switch values := t.Parts[of.Name]; {
		case of.Name == Unexplained:
			sessions = left
		case values != nil:
			sessions, known = mean(values, rows)
		}
		if !known {
			d.Missing = append(d.Missing, record.Gap{What: of.Name, Why: "it is known for too few seconds"})
			continue
		}
		left -= sessions
		if sessions != 0 {
			d.Parts = append(d.Parts, Part{
				Name: of.Name, Title: of.Title, Sessions: sessions, Share: sessions / inFlight,
				Time: sessions / tps * 1e9, Columns: t.Columns[of.Name],
			})
		}
	}
	return d, ""
}

// mean returns the mean of the values that are known in some rows. It is not known if they are less than
// half of the rows.
func mean(values []float64, rows []int) (mean float64, known bool) {
	n := 0
	for _, i := range rows {
		if !math.IsNaN(values[i]) {
			mean += values[i]
			n++
		}
	}
	if 2*n < len(rows) || n == 0 {
		return 0, false
	}
	return mean / float64(n), true
}
