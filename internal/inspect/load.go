package inspect

import (
	"cmp"
	"fmt"
	"slices"

	"plinth/internal/host"
)

var loadRules = []rule{
	{
		name: "other-load", weight: 64, about: ofGenerator, check: otherLoad,
		benchmark: "what others use is missing, at times that nobody chose: the noise hides small effects",
		do:        "stop them or measure later; systemctl list-timers says what starts by itself",
	},
}

// How much of a machine may be busy before it counts: a load average for each CPU,
// and the share of all CPUs that processes used while plinth looked.
const (
	loadToNotice = 0.5
	busyToNotice = 0.1
)

func otherLoad(in *Input) evidence {
	cpus := float64(in.Machine.CPU.Online)
	if cpus == 0 {
		return nothing
	}
	used := 0.0
	var names []string
	for _, p := range ByName(in.Machine.Busiest) {
		used += p.CPU
		if p.CPU >= 0.05 {
			names = append(names, fmt.Sprintf("%s %.1f", p.Command, p.CPU))
		}
	}
	if in.Machine.Load.One/cpus < loadToNotice && used/cpus < busyToNotice {
		return nothing
	}
	e := found("the load average is %.1f on %s", in.Machine.Load.One, several(int(cpus), "CPU"))
	if names != nil {
		e.text += "; who uses CPUs now: " + list(names)
	}
	return e
}

// ByName is busy processes with those of one name as one, the busiest first: a server
// is many processes.
func ByName(all []host.BusyProcess) []host.BusyProcess {
	var named []host.BusyProcess
	for _, p := range all {
		same := func(n host.BusyProcess) bool { return n.Command == p.Command }
		if i := slices.IndexFunc(named, same); i >= 0 {
			named[i].CPU += p.CPU
		} else {
			named = append(named, p)
		}
	}
	slices.SortStableFunc(named, func(a, b host.BusyProcess) int { return cmp.Compare(b.CPU, a.CPU) })
	return named
}
