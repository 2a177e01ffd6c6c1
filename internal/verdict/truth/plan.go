package truth

import (
	"fmt"

	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
)

// These are parts of experiment files.
const (
	oneWorkload    = "workloads: [tpcb-like]\n"
	threeWorkloads = "workloads: [select-only, simple-update, tpcb-like]\n"
	two            = "environments: {a: {}, b: {}}\n"
	three          = "environments: {a: {}, b: {}, c: {}}\n"

	fourCells     = "clients: [1, 10, 25, 50]\n"
	thirteenCells = "clients: [1, 10, 25, 50, 100]\nthreads: [1, 4, 8]\n" // those with more threads than clients are skipped

	byRepeat = "interleave: repeat\n"
	reload   = "dataset: {reload: repeat}\n"
	decided  = "stop: decided\n"
	latency  = "metric: latency\n"
)

// plan parses an experiment of that many repeats; it returns nil on a mistake.
func plan(repeats int, parts ...string) *experiment.Experiment {
	text := fmt.Sprintf("name: truth\nseed: 1\nrepeats: %d\n", repeats)
	for _, part := range parts {
		text += part
	}
	e, _, err := decode.Parse("truth.yaml", []byte(text), "", nil)
	if err != nil {
		return nil // simulate reports it
	}
	return e
}
