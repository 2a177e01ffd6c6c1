package compare

import (
	"slices"

	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

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
func (c *Report) counts() []string {
	var lines []string
	if slices.Contains(c.loops, "closed") {
		lines = append(lines, phrase.ClosedLoop)
	}
	if slices.Contains(c.loops, "open") {
		lines = append(lines, phrase.OpenLoop(c.Words))
	}
	return lines
}
