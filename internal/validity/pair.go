package validity

import (
	"fmt"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

const (
	// gapsApart is how far the gaps of two runs may lie apart: beyond it the load
	// generator held one side back much more than the other, and the difference
	// between them is partly its own.
	gapsApart = 0.10
	// unthrottled is the share of CPU time up to which a side was not throttled;
	// between this and throttled it is a matter of degree, and quota says it.
	unthrottled = throttled / 5
)

// block is the runs of one block that went to their end.
type block struct {
	experiment   *experiment.Experiment
	environments map[string]record.Environment
	runs         []record.Run
}

// pairRule is one thing that may be wrong between the runs of a block.
type pairRule struct {
	name   string
	hint   string
	engine string // the only engine that it concerns; empty: each
	check  func(block) string
}

var pairReasons = []pairRule{
	{name: "gap-differs", hint: "more threads, fewer clients, or a machine of its own for the load generator", check: gapDiffers},
	{name: "quota-one-side", hint: "give every environment the same CPU quota, or none", check: quotaOneSide},
}

var pairWarnings = slices.Concat([]pairRule{
	{name: "gap-understates", hint: "more threads, or a machine of its own for the load generator", check: gapUnderstates},
}, postgresPairs, redisPairs)

// Beside lays the runs of one block side by side: those of one attempt, one of
// each environment, which are as described. A reason voids the block whole.
func Beside(e *experiment.Experiment, environments map[string]record.Environment, runs []record.Run) record.Beside {
	b := block{e, environments, slices.DeleteFunc(slices.Clone(runs), func(r record.Run) bool { return r.Status == record.Failed })}
	return record.Beside{Reasons: b.broken(pairReasons), Warnings: b.broken(pairWarnings)}
}

func (b block) broken(rules []pairRule) []record.Note {
	var notes []record.Note
	for _, r := range rules {
		if !isOf(r.engine, b.experiment) {
			continue
		}
		if text := r.check(b); text != "" {
			notes = append(notes, record.Note{Rule: r.name, Text: text, Hint: r.hint})
		}
	}
	return notes
}

// gapDiffers compares the gaps of Little's law. Voiding a block for it is a rule that
// honest differences can break, on a machine that the generator shares with the server:
// a server that is bound by CPU has a gap there, one that waits for its disk has none.
// So it voids only where the gap may be the difference: the side that was held back
// more is no faster. One that is faster all the same would be faster still without, and
// gapUnderstates says so; but only of throughput, since what waits in the generator is
// missing from latencies.
func gapDiffers(b block) string {
	return b.gapsApart(func(less, more held) bool { return b.experiment.Metric != "tps" || more.tps <= less.tps })
}

func gapUnderstates(b block) string {
	if gapDiffers(b) != "" {
		return ""
	}
	text := b.gapsApart(func(less, more held) bool { return more.tps > less.tps })
	if text == "" {
		return ""
	}
	return text + ", which is faster all the same: it is so by at least as much as shown"
}

// held is how much the load generator held the clients of a run back.
type held struct {
	environment string
	gap, edge   float64
	tps         float64
}

// gapsApart names the two runs whose gaps lie farthest apart of those that matter, if
// that is too far; "" where a gap is not known.
func (b block) gapsApart(matters func(less, more held) bool) string {
	if b.experiment.Connect == "each" {
		return ""
	}
	var all []held
	for _, run := range b.runs {
		gap, known := Gap(run)
		if !known {
			return ""
		}
		all = append(all, held{run.Environment, gap, edge(run), run.Result.TPS})
	}
	text, farthest := "", gapsApart
	for _, less := range all {
		for _, more := range all {
			if apart := more.gap - less.gap - max(less.edge, more.edge); apart > farthest && matters(less, more) {
				farthest = apart
				text = fmt.Sprintf("the load generator held clients back for %s of the time in %s, %s in %s",
					percent(max(0, less.gap)), less.environment, percent(more.gap), more.environment)
			}
		}
	}
	return text
}

func quotaOneSide(b block) string {
	var low, high float64
	var least, most string // the environments that were held back least and most
	for i, run := range b.runs {
		if len(unread(run.Evidence, []string{"covered_s", "machine.cpus", "machine.throttled_s"})) > 0 {
			return ""
		}
		s := throttledShare(run)
		if i == 0 || s < low {
			low, least = s, run.Environment
		}
		if i == 0 || s > high {
			high, most = s, run.Environment
		}
	}
	if high <= throttled || low > unthrottled {
		return ""
	}
	return fmt.Sprintf("a CPU quota held back %s of the CPU time in %s, %s in %s", percent(low), least, percent(high), most)
}

// throttledShare is the share of the CPU time of a run that a quota held back.
func throttledShare(run record.Run) float64 {
	e := run.Evidence
	return share(e.Machine.Throttled, e.Covered*float64(e.Machine.CPUs))
}
