package validity

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/record"
	"plinth/internal/unit"
)

// Prefixes of the figures of evidence that are counts of servers; the name of the count follows.
const (
	ofServer     = "server.counts."
	ofNeighbours = "neighbours.counts."
)

// unreadOf returns a gap for each server that does not report a count, if figure is one.
// It adds none for a server that could not be read at all: that is a gap already.
func unreadOf(e *record.Evidence, figure string) []record.Gap {
	var gaps []record.Gap
	look := func(counts map[string]int64, what, name string) {
		if _, reported := counts[name]; !reported {
			gaps = append(gaps, record.Gap{What: what + name, Why: "the server does not report it"})
		}
	}
	if name, is := strings.CutPrefix(figure, ofServer); is && !slices.ContainsFunc(e.Gaps, func(g record.Gap) bool { return covers(g.What, figure) }) {
		look(e.Server.Counts, ofServer, name)
	}
	if name, is := strings.CutPrefix(figure, ofNeighbours); is {
		for _, n := range e.Neighbours {
			look(n.Counts, "neighbours."+n.Environment+".counts.", name)
		}
	}
	return gaps
}

// work is a background activity of the servers of one engine, which they count.
type work struct {
	engine string
	count  string // its name in record.ServerEvidence
	noun   string // what is counted: "checkpoint"
}

// onIdle returns the rule that idle servers did none of this work. Text precedes the names
// of those that did.
func (w work) onIdle(name, hint, text string) rule {
	return rule{
		name: name, hint: hint, engine: w.engine,
		needs: []string{"neighbours", ofNeighbours + w.count},
		check: func(c Case) string {
			var busy []string
			for _, n := range c.Run.Evidence.Neighbours {
				if done := n.Counts[w.count]; done > 0 {
					busy = append(busy, fmt.Sprintf("%s (%s)", n.Environment, unit.Count(done, w.noun)))
				}
			}
			if busy == nil {
				return ""
			}
			return text + strings.Join(busy, ", ")
		},
	}
}

// oneSide returns the rule that this work happens in all runs of a block or in none. Text
// is its name. The rule ignores environments that cannot do the work: there its absence is
// part of the comparison. If can is nil, all environments can.
func (w work) oneSide(name, hint, text string, can func(record.Environment) bool) pairRule {
	check := func(b block) string {
		var with, without []string
		for _, run := range b.runs {
			if len(unread(run.Evidence, []string{ofServer + w.count})) > 0 {
				return ""
			}
			done := run.Evidence.Server.Counts[w.count]
			switch {
			case done > 0:
				with = append(with, fmt.Sprintf("%s (%d)", run.Environment, done))
			case can == nil || can(b.environments[run.Environment]):
				without = append(without, run.Environment)
			}
		}
		if with == nil || without == nil {
			return ""
		}
		return fmt.Sprintf("%s ran in %s but not in %s", text, strings.Join(with, ", "), strings.Join(without, ", "))
	}
	return pairRule{name: name, hint: hint, engine: w.engine, check: check}
}

// onlyWriting limits a pair rule to loads that write.
func onlyWriting(r pairRule) pairRule {
	check := r.check
	r.check = func(b block) string {
		if len(b.runs) == 0 || !writes(workloadNamed(b.experiment, b.runs[0].Workload)) {
			return ""
		}
		return check(b)
	}
	return r
}
