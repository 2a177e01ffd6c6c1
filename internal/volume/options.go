package volume

import (
	"plinth/internal/emulator"
	"plinth/internal/experiment"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
)

// Options are what volumes are made with, whatever an experiment says of each.
type Options struct {
	Journal  *journal.Journal
	Launcher launch.Launcher // starts mkfs, mount, mdadm and emulators
	// Owner gets the directory; nil for plinth's own user.
	Owner *launch.User
	// Name is that of plinth's directory or files: "plinth-1a2b-env". What is not
	// the data volume has its role behind it.
	Name string
	// Size is how many bytes the volume has to hold, where its part does not say
	// how large it is. What a filesystem needs for itself comes on top.
	Size int64
	// RateScale multiplies IOPS and throughput of emulated devices; 0 is 1.
	RateScale float64
	// Form is that of emulated devices; the best that this machine has unless said.
	Form emulator.Form
	// Seed is where the randomness of emulated latencies begins.
	Seed uint64
}

// nameOf is the name for a part's directory and files.
func (o Options) nameOf(part experiment.Part) string {
	if part.Role == experiment.RoleData {
		return o.Name
	}
	return o.Name + "-" + part.Name
}

func (o Options) rateScale() float64 {
	if o.RateScale == 0 {
		return 1
	}
	return o.RateScale
}
