package report

import (
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// closedLoop is what latencies count from where clients wait for answers, and what
// that hides.
const closedLoop = "latency is service time (closed loop): it hides the wait that a stalled server inflicts on those who would have come meanwhile"

// openLoop is what they count from at a rate.
func openLoop(w experiment.Words) string {
	return "latency counts from when a " + w.Unit + " was due (open loop): a stall shows in all that had to wait"
}

// loopsOf are the kinds of load in records: "open", "closed" or both.
func loopsOf(records []*record.Record) []string {
	var loops []string
	for _, rec := range records {
		for _, run := range rec.Runs {
			if !slices.Contains(loops, run.Result.Loop) {
				loops = append(loops, run.Result.Loop)
			}
		}
	}
	return loops
}

// counts says what the latencies of a comparison count from.
func (c *comparison) counts() []string {
	var lines []string
	if slices.Contains(c.loops, "closed") {
		lines = append(lines, closedLoop)
	}
	if slices.Contains(c.loops, "open") {
		lines = append(lines, openLoop(c.words))
	}
	return lines
}
