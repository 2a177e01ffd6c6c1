package validity

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/record"
)

// storageWarnings apply to every run of an environment.
var storageWarnings = []rule{
	{
		name: "unsafe",
		hint: "remove these options to measure the cost of safety",
		when: func(c Case) bool { return len(unsafeOptions(c.Environment)) > 0 },
		check: func(c Case) string {
			return "unsafe: a power failure can lose writes that this storage acknowledged (" +
				strings.Join(unsafeOptions(c.Environment), "; ") + ")"
		},
	},
	{
		name: "rates-scaled",
		hint: "compare ratios, not rates; a faster machine can emulate the full rates",
		when: func(c Case) bool { return rateScale(c.Environment) != 1 },
		check: func(c Case) string {
			return fmt.Sprintf("IOPS and throughput of all emulated devices are scaled to %s of their models; latencies are not scaled",
				percent(rateScale(c.Environment)))
		},
	},
}

// unsafeOptions returns the unsafe options of all volumes, each with the role of its volume.
func unsafeOptions(e record.Environment) []string {
	var all []string
	for _, v := range e.Volumes {
		for _, option := range v.Unsafe {
			all = append(all, v.Role+": "+option)
		}
	}
	return all
}

// rateScale returns the factor applied to the rates of emulated devices; 1 if there are none.
func rateScale(e record.Environment) float64 {
	at := slices.IndexFunc(e.Volumes, func(v record.Volume) bool { return v.Emulation != nil })
	if at < 0 {
		return 1
	}
	return e.Volumes[at].Emulation.RateScale
}
