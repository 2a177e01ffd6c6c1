package validity

import (
	"fmt"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

const (
	// gapsApart is how far the gaps of two runs may differ. Beyond it the load generator
	// held one side back much more than the other, and causes part of the difference between
	// them.
	gapsApart = 0.10
	// unthrottled is the withheld share of CPU time up to which a side counts as not
	// throttled. Between this and throttled the rule does not apply: both sides were
	// throttled, to different degrees.
	unthrottled = throttled / 5
)

// block holds the runs of one block that did not fail.
type block struct {
	experiment   *experiment.Experiment
	environments map[string]record.Environment
	runs         []record.Run
}

// pairRule is a rule about the runs of a block, compared with each other.
type pairRule struct {
	name   string
	hint   string
	engine string // the only engine that it concerns; empty: each
	check  func(block) string
}

var pairReasons = []pairRule{
	{name: "gap-differs", hint: "use more threads or fewer clients, or run the load generator on a separate machine", check: gapDiffers},
	{name: "quota-one-side", hint: "give every environment the same CPU quota, or none", check: quotaOneSide},
}

var pairWarnings = slices.Concat([]pairRule{
	{name: "gap-understates", hint: "use more threads, or run the load generator on a separate machine", check: gapUnderstates},
	{name: "load-misses-volume", hint: "use a larger dataset or less memory, or a workload that reaches the volume", check: loadMissesVolume},
}, postgresPairs, redisPairs)

// Beside compares and judges the runs of one attempt at a block, one run of each environment. The
// parameter environments holds their descriptions. A reason invalidates the whole block.
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

// gapDiffers compares the gaps of Little's law. Where the load generator shares the machine
// with the server, a real difference between environments can also cause unequal gaps: a
// CPU-bound server has a gap there, one that waits for its disk has none. So the block is
// invalid only where the gap may explain the difference: where the side that was held back
// more is not faster. If it is faster, it would be even faster without the gap, and
// gapUnderstates reports that; but only for throughput, since time spent waiting in the load
// generator is missing from latencies.
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
	return text + ", which is nevertheless faster: the real difference is at least as large as shown"
}

// held is how much the load generator held back the clients of a run.
type held struct {
	environment string
	gap, edge   float64
	tps         float64
}

// gapsApart describes the two runs whose gaps differ most among the pairs that matter. It
// returns "" if no pair differs by more than gapsApart, or if a gap is not known.
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
				text = fmt.Sprintf("the load generator held clients back for %s of the time in %s and %s in %s",
					percent(max(0, less.gap)), less.environment, percent(more.gap), more.environment)
			}
		}
	}
	return text
}

func quotaOneSide(b block) string {
	var low, high float64
	var least, most string // the environments that were throttled least and most
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
	return fmt.Sprintf("a CPU quota withheld %s of the CPU time in %s and %s in %s", percent(low), least, percent(high), most)
}

// throttledShare returns the share of the CPU time of a run that a quota withheld.
func throttledShare(run record.Run) float64 {
	e := run.Evidence
	return share(e.Machine.Throttled, e.Covered*float64(e.Machine.CPUs))
}
