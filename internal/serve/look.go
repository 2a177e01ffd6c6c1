package serve

import (
	"fmt"

	"plinth/internal/record"
	"plinth/internal/unit"
)

// progress is the state of an experiment's sequential test.
type progress struct {
	plan      *record.Plan // nil if nothing is compared
	state     record.State
	finished  int // complete repeats
	repeats   int // planned
	workloads int
}

// progressOf computes the progress from the committed runs. A record whose experiment cannot be
// read has none.
func progressOf(rec *record.Record) progress {
	exp, err := rec.Experiment()
	if err != nil || rec.Summary.Plan == nil {
		return progress{}
	}
	var names []string
	for _, e := range exp.Environments {
		names = append(names, e.Name)
	}
	return progress{
		plan: rec.Summary.Plan, state: rec.Summary.State, repeats: exp.Repeats, workloads: len(exp.Workloads),
		finished: record.NewLedger(names, rec.Runs).Finished(exp.Cells(), exp.Repeats),
	}
}

// look describes the state of the sequential test: "2 more repeats until the next look, at
// 8 blocks". It returns "" if nothing is compared.
func (p progress) look() string {
	if p.plan == nil || len(p.plan.Looks) == 0 {
		return ""
	}
	var reached, next *record.Look
	for i := range p.plan.Looks {
		look := &p.plan.Looks[i]
		if look.Repeat > p.finished {
			next = look
			break
		}
		reached = look
	}
	switch {
	case p.state == record.Complete && reached != nil && next != nil:
		return fmt.Sprintf("decided at the look at %s, after %d of %d repeats", p.units(reached), reached.Repeat, p.repeats)
	case next == nil:
		return "the last look was at " + p.units(reached)
	case p.state == record.Complete:
		return "ended before its first look, at " + p.units(next)
	case p.state == record.Interrupted:
		return fmt.Sprintf("stopped %s before the next look, at %s", unit.Count(next.Repeat-p.finished, "repeat"), p.units(next))
	}
	which := "the next look"
	switch {
	case len(p.plan.Looks) == 1:
		which = "the only look"
	case next.Repeat == p.plan.Looks[len(p.plan.Looks)-1].Repeat:
		which = "the last look"
	}
	return fmt.Sprintf("%s until %s, at %s", unit.Count(next.Repeat-p.finished, "more repeat"), which, p.units(next))
}

// units returns the amount of data at a look, such as "8 blocks".
func (p progress) units(look *record.Look) string {
	text := unit.Count(look.Units, p.plan.Unit)
	if p.workloads > 1 {
		text += " of each workload"
	}
	return text
}
