package preview

import (
	"cmp"
	"strings"

	"plinth/internal/experiment"
)

// DemandOf returns the highest sum of IOPS that one environment's emulated devices demand, in a burst
// if they have one, the names of those devices, and the backing directory of one of them: "" if
// nothing is emulated. A device without a limit demands nothing.
func DemandOf(e *experiment.Experiment) (demand float64, names, backing string, err error) {
	for _, environment := range e.Environments {
		sum, of, at := 0.0, []string{}, ""
		for _, part := range environment.Parts() {
			models, err := part.Volume.Models()
			if err != nil {
				return 0, "", "", err
			}
			for _, m := range models {
				sum += m.PeakIOPS()
				of = append(of, m.Name)
				at = backingOf(part.Volume)
			}
		}
		if sum >= demand && len(of) > 0 {
			demand, names, backing = sum, strings.Join(of, " and ")+" in "+environment.Name, at
		}
	}
	return demand, names, backing, nil
}

// backingOf returns the backing directory of a volume's first emulated disk.
func backingOf(v experiment.Volume) string {
	for _, m := range v.Members {
		if m.Emulated() {
			return cmp.Or(m.Backing, ".")
		}
	}
	return cmp.Or(v.Backing, ".")
}

// EmulatedDisks returns the number of emulated devices in the volumes of all environments, which
// exist at the same time.
func EmulatedDisks(e *experiment.Experiment) (n int) {
	for _, environment := range e.WithOwnData() {
		for _, part := range environment.Parts() {
			if models, err := part.Volume.Models(); err == nil { // otherwise the error was reported before
				n += len(models)
			}
		}
	}
	return n
}

// PassThrough returns a volume on an emulated device that adds no delay.
func PassThrough(backing string) experiment.Volume {
	return experiment.Volume{Disk: experiment.Disk{Emulate: experiment.Emulation{Name: "pass-through"}, Backing: backing}}
}
