package validity

import (
	"fmt"
	"slices"
	"time"

	"plinth/internal/record"
)

const (
	// retransmitted is the tolerated share of TCP segments that are retransmitted: each delays a
	// transaction by at least the retransmission timeout's minimum (200 ms in Linux) or a round trip.
	retransmitted = 0.001
	// travelled is the tolerated share of the mean latency that one round trip to the server takes.
	travelled = 0.5
)

// beside reports whether the load generator is on the server's machine.
func beside(c Case) bool { return len(c.Run.Generators) == 0 }

// bystander reports whether the environment's machine takes no part in the load: the server is known to be
// elsewhere, and so are the load generators.
func bystander(c Case) bool {
	here := func(g record.GeneratorRun) bool { return g.At == c.Environment.At }
	return !beside(c) && c.Environment.Elsewhere && !slices.ContainsFunc(c.Run.Generators, here)
}

// without returns rules without some of them.
func without(rules, some []rule) []rule {
	return slices.DeleteFunc(slices.Clone(rules), func(r rule) bool {
		return slices.ContainsFunc(some, func(other rule) bool { return other.name == r.name })
	})
}

// apart judges the load generators on machines of their own, each by what was read there.
func apart(c Case) (reasons, warnings []record.Note) {
	for _, g := range c.Run.Generators {
		there := c
		run := *c.Run
		run.Evidence, run.Threads, run.Generators = g.Evidence, g.Threads, nil
		there.Run = &run
		must, may := generatorReasons, []rule(nil)
		if g.At != c.Environment.At { // otherwise that machine is the server's, and was judged
			must, may = slices.Concat(generatorReasons, machineReasons), machineWarnings
		}
		of := func(notes []record.Note) []record.Note {
			for i := range notes {
				notes[i].Text = record.MachineName(g.At) + ": " + notes[i].Text
			}
			return notes
		}
		reasons = append(reasons, of(broken(must, there))...)
		warnings = append(warnings, of(slices.Concat(broken(may, there), missing(slices.Concat(must, may), there), onNetwork(g)))...)
	}
	return reasons, warnings
}

// onNetwork returns what the network between a load generator and its server had to do with the result.
func onNetwork(g record.GeneratorRun) (notes []record.Note) {
	n := g.Network
	if n == nil {
		return nil
	}
	if len(n.Gaps) > 0 {
		notes = append(notes, record.Note{Rule: "evidence-missing", Text: "could not be read: " + byReason(n.Gaps) + "; not checked: network-retransmits, network-round-trip"})
	}
	if s := share(float64(n.Retransmitted), float64(n.Segments)); s > retransmitted {
		notes = append(notes, record.Note{Rule: "network-retransmits",
			Text: fmt.Sprintf("%s of the TCP segments were retransmitted", percent(s)),
			Hint: "look for a lossy link or a full queue between the machines (ethtool -S, tc -s qdisc)"})
	}
	if mean := g.Latency; share(n.RoundTrip, mean) > travelled {
		notes = append(notes, record.Note{Rule: "network-round-trip",
			Text: fmt.Sprintf("a round trip to the server takes %s of %s, the mean latency: the network is most of what was measured",
				milliseconds(n.RoundTrip), milliseconds(mean)),
			Hint: "drive the load from a machine nearer to the server, unless the network is part of the question"})
	}
	return notes
}

func milliseconds(nanoseconds float64) string {
	return plain(nanoseconds/float64(time.Millisecond)) + " ms"
}
