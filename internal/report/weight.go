package report

import (
	"slices"

	"plinth/internal/report/compare"
)

// weights are the rules of warnings, what can shift an answer most first: that the
// stacks differ in more than was asked, that the answer was chosen after the fact,
// that chance had too few turns or runs were too short to show what a server does, and
// that the machine was not quiet. Rules that are not here come after all of them.
var weights = []string{
	"no-number", "experiment-unread", "no-verdict", "blocks-lost", "experiment-edited", "not-declared", "stopped-early", "unpaired",
	"parity-engine", "parity-version", "parity-persistence", "parity-memory", "parity-settings", "parity-transport", "parity-dataset", "parity-tablespaces", "parity-round-trip", "telemetry-differs",
	"settings-not-in-force", "settings-unknown", "eviction", "smaller-dataset", "unbalanced",
	"unsafe", "unlike-paths", "rates-scaled", "memory-shared", "asleep", "pressure-short", "event-outlasted",
	"checkpoint-one-side", "autovacuum-one-side", "rewrite-one-side", "save-one-side", compare.RuleOneLoad, "one-unit", "short", "no-checkpoint",
	"no-checkpoint-in-load", "no-rewrite-in-load", "keys-evicted", "reads-missed", "server-refused",
	"few-units", "autocorrelation", "heavy-tails", "ties", "unequal-spread",
	"machine-noise", "machine-touched", "thermal", "steal", "quota", "swapping", "memory-pressure",
	"generator-saturated", "generator-busy", "generator-held-back", "gap-understates", "generator-stalled", "rate-missed", "trend", "warmup-of-transactions",
	"others-cpu", "others-io", "emulator-competes", "emulation-tail", "autovacuum", "autovacuum-neighbour", "checkpoint-neighbour",
	"rewrite-neighbour", "save-neighbour", "dataset-in-buffers",
	"interleave-repeat", "interleave-block", "evidence-missing", "window-not-covered", "no-percentiles", "latencies-missing", "log-clock", "scale-below-clients", "unknown-version",
}

// weight is the place of a rule in that order.
func weight(rule string) int {
	if at := slices.Index(weights, rule); at >= 0 {
		return at
	}
	return len(weights)
}
