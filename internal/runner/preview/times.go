package preview

import (
	"time"

	"plinth/internal/experiment"
)

// Durations of volume operations, as measured during development.
const (
	proofTime    = 450 * time.Millisecond // to verify one emulated volume, before each run
	emulatedTime = 3 * time.Second        // to create one: its path is measured and fitted
	madeTime     = 500 * time.Millisecond // to create a filesystem on another disk
	ceilingTime  = 3 * time.Second        // to measure the maximum rate that this machine emulates
)

// proving returns the time to verify emulated volumes before a run, averaged over the
// environments.
func proving(e *experiment.Experiment) time.Duration {
	emulated, _ := volumesMade(e)
	return time.Duration(emulated) * proofTime / time.Duration(max(1, len(e.WithOwnData())))
}

// making returns the time to create all volumes.
func making(e *experiment.Experiment) time.Duration {
	emulated, others := volumesMade(e)
	total := time.Duration(emulated)*emulatedTime + time.Duration(others)*madeTime
	if emulated > 0 {
		total += ceilingTime
	}
	return total
}

// volumesMade counts the volumes that are more than a directory.
func volumesMade(e *experiment.Experiment) (emulated, others int) {
	for _, environment := range e.WithOwnData() {
		for _, part := range environment.Parts() {
			switch {
			case part.Volume.Emulated():
				emulated++
			case part.Volume.Directory == "":
				others++
			}
		}
	}
	return emulated, others
}

// injecting returns the time for all injected faults.
func injecting(e *experiment.Experiment) time.Duration {
	if e.Durability.Fault == "" {
		return 0
	}
	pods := len(e.OnKubernetes())
	round := time.Duration(len(e.Environments)-pods)*strikeTime + time.Duration(pods)*failoverTime
	return time.Duration(e.Durability.Times) * round
}

// strikeTime is the estimate for one injected fault with its preparation and recovery.
const strikeTime = 6 * time.Second

// failoverTime is the estimate on Kubernetes, where the cluster notices the fault, and makes a replica anew.
const failoverTime = 45 * time.Second
