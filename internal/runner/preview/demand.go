package preview

import (
	"cmp"
	"strings"

	"plinth/internal/experiment"
)

// DemandOf is the most IOPS for good that the emulated devices of one environment
// have together, whose they are, and where one of them keeps its data: "" where
// nothing is emulated. A device without a limit demands nothing: it takes what it gets.
func DemandOf(e *experiment.Experiment) (demand float64, names, backing string, err error) {
	for _, environment := range e.Environments {
		sum, of := 0.0, []string{}
		for _, part := range environment.Parts() {
			models, err := part.Volume.Models()
			if err != nil {
				return 0, "", "", err
			}
			for _, m := range models {
				iops, _ := m.Provisioned()
				sum += iops
				of = append(of, m.Name)
				backing = backingOf(part.Volume)
			}
		}
		if sum >= demand && len(of) > 0 {
			demand, names = sum, strings.Join(of, " and ")+" in "+environment.Name
		}
	}
	return demand, names, backing, nil
}

// backingOf is where the first emulated disk of a volume keeps its data.
func backingOf(v experiment.Volume) string {
	for _, m := range v.Members {
		if m.Emulated() {
			return cmp.Or(m.Backing, ".")
		}
	}
	return cmp.Or(v.Backing, ".")
}

// EmulatedDisks is how many emulated devices there are at the same time: the servers
// of all environments stay up side by side.
func EmulatedDisks(e *experiment.Experiment) (n int) {
	for _, environment := range e.Environments {
		for _, part := range environment.Parts() {
			if models, err := part.Volume.Models(); err == nil { // else it was told before
				n += len(models)
			}
		}
	}
	return n
}

// PassThrough is a volume on an emulated device that adds nothing.
func PassThrough(backing string) experiment.Volume {
	return experiment.Volume{Disk: experiment.Disk{Emulate: experiment.Emulation{Name: "pass-through"}, Backing: backing}}
}
