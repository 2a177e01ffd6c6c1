package redisload

import (
	"fmt"
	"slices"

	"plinth/internal/record"
)

// warnings are what weakens the numbers of a run, as far as only a driver can know.
// Failures and a missed rate are in the result, for the rules of validity.
func (r *run) warnings() []record.Note {
	var notes []record.Note
	if r.refusal != "" {
		notes = append(notes, record.Note{Rule: "server-refused", Text: "the server's first error: " + r.refusal})
	}
	if share := r.busiest(); r.config.Rate == 0 && share > busy {
		notes = append(notes, record.Note{Rule: "generator-busy",
			Text: fmt.Sprintf("the busiest of %d threads of the load generator used %.3g %% of a CPU: part of what is measured is the generator",
				len(r.cpu), 100*share),
			Hint: "use more threads, where the machine has CPUs for them; numbers of another load generator are not comparable"})
	}
	return notes
}

// busy is the share of a CPU above which a thread of the generator has little time
// left in which it waits for the server.
const busy = 0.8

// busiest is the greatest share of the window that a thread was running for.
func (r *run) busiest() float64 {
	if r.nanos <= 0 || len(r.cpu) == 0 {
		return 0
	}
	return float64(slices.Max(r.cpu)) / float64(r.nanos)
}
