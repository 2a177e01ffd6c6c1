// Package merge shares out the load of a run among several load generators, each on a machine of
// its own, and merges their outcomes into one, as if one load generator had driven all clients.
//
// Counts are added; percentiles and deviations are those of merged histograms, never computed from
// percentiles; minima and maxima are taken; means are weighted by their counts.
package merge

import (
	"errors"
	"fmt"
	"io"
	"time"

	"plinth/internal/driver"
	"plinth/internal/experiment"
	"plinth/internal/record"
)

// Part is the outcome of one load generator.
type Part struct {
	Name    string // of the load generator, for notes: "load2"
	Outcome *driver.Outcome
	Clock   Clock
	Share   experiment.Cell // the clients, threads and rate that it drove
	Log     io.Reader       // its histogram log (latency.hlog); nil if it has none
}

// Clock relates the wall clock of a load generator's machine to the reference clock.
type Clock struct {
	Offset time.Duration // added to its wall clock, gives the reference clock
	Bound  time.Duration // the greatest error of Offset, up or down
}

// Agreement holds the window that the load generators of a run agreed on before it.
type Agreement struct {
	// Window is when the measured window begins, by the reference clock: one warm-up after the
	// load. If it is zero, the earliest window counts.
	Window time.Time
	// Length is the length of the window; 0 if it ends with a number of transactions.
	Length time.Duration
}

// Outcomes merges the outcomes of the load generators of one run, and writes the merged histogram
// log. Seconds are merged by their number. The load generators keep their other files themselves.
//
// A load generator that began or ended apart from the others, lacks seconds, or reports problems of
// its own makes the run invalid: the outcome has Problems. An error means that the parts do not
// belong together, such as two with different scripts, or cannot be read.
func Outcomes(parts []Part, agreed Agreement, keep driver.Keeper) (*driver.Outcome, error) {
	if err := alike(parts); err != nil {
		return nil, fmt.Errorf("cannot merge the outcomes of the load generators: %w", err)
	}
	result, err := mergeResults(parts)
	if err != nil {
		return nil, fmt.Errorf("cannot merge the outcomes of the load generators: %w", err)
	}
	o := &driver.Outcome{Driver: parts[0].Outcome.Driver, Result: result}
	for _, p := range parts {
		o.KeyReads += p.Outcome.KeyReads
	}
	o.Begin, o.End = bounds(parts, result.Duration)
	t, err := newTable(parts)
	if err != nil {
		return nil, fmt.Errorf("cannot merge the points of the load generators: %w", err)
	}
	t.merge()
	if err := mergeLogs(parts, o, t, keep); err != nil {
		return nil, err
	}
	o.Points = t.points
	o.Problems = append(judge(parts, agreed, o), o.Problems...)
	o.Warnings = append(doubts(parts, agreed, o), o.Warnings...)
	for _, p := range parts {
		o.Problems = append(o.Problems, named(p, p.Outcome.Problems)...)
		o.Warnings = append(o.Warnings, named(p, p.Outcome.Warnings)...)
	}
	return o, nil
}

// alike returns an error if the parts are not of one load.
func alike(parts []Part) error {
	if len(parts) == 0 {
		return errors.New("there is none")
	}
	for _, p := range parts {
		if p.Outcome == nil {
			return fmt.Errorf("%s has none", who(p.Name))
		}
		first, r := parts[0], p.Outcome.Result
		switch {
		case p.Outcome.Driver.Program != first.Outcome.Driver.Program:
			return fmt.Errorf("%s is %s, but %s is %s", who(p.Name), p.Outcome.Driver.Program, who(first.Name), first.Outcome.Driver.Program)
		case r.Loop != first.Outcome.Result.Loop:
			return fmt.Errorf("the loop of %s is %s, that of %s is %s", who(p.Name), r.Loop, who(first.Name), first.Outcome.Result.Loop)
		case !sameScripts(r.Scripts, first.Outcome.Result.Scripts):
			return fmt.Errorf("%s and %s ran different scripts", who(p.Name), who(first.Name))
		}
	}
	return nil
}

func sameScripts(a, b []record.ScriptResult) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name {
			return false
		}
	}
	return true
}

// bounds returns the merged window by the reference clock: from the earliest begin on, for as long
// as the longest window.
func bounds(parts []Part, seconds float64) (begin, end time.Time) {
	for _, p := range parts {
		if b := p.begin(); !b.IsZero() && (begin.IsZero() || b.Before(begin)) {
			begin = b
		}
	}
	if begin.IsZero() {
		return begin, begin
	}
	return begin, begin.Add(time.Duration(seconds * float64(time.Second)).Round(time.Microsecond))
}

// begin returns when the part's window began, by the reference clock; zero if it has none.
func (p Part) begin() time.Time { return p.reference(p.Outcome.Begin) }

func (p Part) end() time.Time { return p.reference(p.Outcome.End) }

func (p Part) reference(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(p.Clock.Offset)
}

// who names a load generator in a note.
func who(name string) string {
	if name == "" {
		return "a load generator"
	}
	return "generator " + name
}

// named returns notes of a part, each with the name of its load generator.
func named(p Part, notes []record.Note) []record.Note {
	var all []record.Note
	for _, n := range notes {
		if p.Name != "" {
			n.Text = who(p.Name) + ": " + n.Text
		}
		all = append(all, n)
	}
	return all
}
