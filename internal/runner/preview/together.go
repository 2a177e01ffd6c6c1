package preview

import (
	"slices"

	"plinth/internal/experiment"
)

// Together returns the preview of an experiment on several machines from the previews of each
// machine's environments. Memory is that of the machine with the least to spare.
func Together(e *experiment.Experiment, parts []Preview) Preview {
	all := Preview{Schedule: e.Schedule(), SideBySide: true}
	for i, p := range parts {
		all.Needs = append(all.Needs, p.Needs...)
		all.Disks = append(all.Disks, p.Disks...)
		if i == 0 || p.Available-p.Memory < all.Available-all.Memory {
			all.Memory, all.Available = p.Memory, p.Available
		}
		all.SideBySide = all.SideBySide && p.SideBySide
		all.Differs = all.Differs || p.Differs
		all.Switches += p.Switches
		all.SwitchTime += p.SwitchTime
		all.LoadTime += p.LoadTime
		all.Tuned = append(all.Tuned, p.Tuned...)
		all.LeftOut = append(all.LeftOut, p.LeftOut...)
		all.Bursts = append(all.Bursts, p.Bursts...)
		for _, w := range p.Warnings {
			if !slices.Contains(all.Warnings, w) {
				all.Warnings = append(all.Warnings, w)
			}
		}
	}
	load := all.LoadTime
	all.estimate(e)
	if e.Dataset.Reload == "repeat" { // the parts have counted each repeat
		all.Total -= all.LoadTime - load
		all.LoadTime = load
	}
	return all
}
