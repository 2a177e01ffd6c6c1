package report

import "slices"

// weights are the rules of warnings, what can shift an answer most first: that the
// stacks differ in more than was asked, that the answer was chosen after the fact,
// that chance had too few turns or runs were too short to show what a server does, and
// that the machine was not quiet. Rules that are not here come after all of them.
var weights = []string{
	"invalid", "no-verdict", "blocks-lost", "experiment-edited", "not-declared", "stopped-early", "unpaired",
	"parity", "parity-version", "parity-settings", "parity-round-trip", "settings-not-in-force", "smaller-dataset", "unbalanced",
	"checkpoint-one-side", "autovacuum-one-side", "one-load", "one-unit", "short", "no-checkpoint-in-load",
	"few-units", "autocorrelation", "heavy-tails", "ties", "unequal-spread",
	"machine-noise", "machine-touched", "busy", "governor", "cpu-governor", "thermal", "steal", "quota", "swapping", "memory-pressure",
	"generator-saturated", "generator-held-back", "rate-missed", "trend",
	"others-cpu", "others-io", "autovacuum", "autovacuum-neighbour", "checkpoint-neighbour",
	"evidence-missing", "window-not-covered", "log-clock", "scale-below-clients", "unknown-version",
}

// weight is the place of a rule in that order.
func weight(rule string) int {
	if at := slices.Index(weights, rule); at >= 0 {
		return at
	}
	return len(weights)
}
