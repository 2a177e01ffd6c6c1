package validity

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/record"
	"plinth/internal/unit"
)

// The figures of evidence that are counts of servers, up to the count's name.
const (
	ofServer     = "server.counts."
	ofNeighbours = "neighbours.counts."
)

// unreadOf is a gap for each server that does not tell a count, where the figure is
// one. Where nothing of a server could be read, that is a gap of its own already.
func unreadOf(e *record.Evidence, figure string) []record.Gap {
	var gaps []record.Gap
	look := func(counts map[string]int64, what, name string) {
		if _, told := counts[name]; !told {
			gaps = append(gaps, record.Gap{What: what + name, Why: "the server does not tell"})
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

// work is something that servers of one engine do by themselves, and count.
type work struct {
	engine string
	count  string // its name in record.ServerEvidence
	noun   string // what is counted: "checkpoint"
}

// beside is the rule that idle servers did none of it. Text is what is said then,
// before their names.
func (w work) beside(name, hint, text string) rule {
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

// oneSide is the rule that it happens in all runs of a block or in none. Text names
// it. It passes over the environments that cannot do it: there it is part of what
// is compared. A nil can is that all of them can.
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
		return fmt.Sprintf("%s in %s and none in %s", text, strings.Join(with, ", "), strings.Join(without, ", "))
	}
	return pairRule{name: name, hint: hint, engine: w.engine, check: check}
}

// onlyWriting is a pair rule for loads that write.
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
