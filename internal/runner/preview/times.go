package preview

import (
	"time"

	"plinth/internal/experiment"
)

// What volumes cost before anything is measured, as seen here.
const (
	proofTime    = 450 * time.Millisecond // of one emulated volume, before each run
	emulatedTime = 3 * time.Second        // to make one: its path is measured and fitted
	madeTime     = 500 * time.Millisecond // to make a filesystem on another disk
	ceilingTime  = 3 * time.Second        // to measure what this machine emulates
)

// proving is what emulated volumes take to prove themselves before a run, on average
// over the environments.
func proving(e *experiment.Experiment) time.Duration {
	emulated, _ := volumesMade(e)
	return time.Duration(emulated) * proofTime / time.Duration(max(1, len(e.Environments)))
}

// making is what all volumes take to be made.
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
	for _, environment := range e.Environments {
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

// striking is how long all strikes together will take.
func striking(e *experiment.Experiment) time.Duration {
	if e.Durability.Fault == "" {
		return 0
	}
	return time.Duration(e.Durability.Times*len(e.Environments)) * strikeTime
}

// strikeTime is what a strike takes with all that is around it, before any was seen.
const strikeTime = 6 * time.Second
