package validity

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/record"
)

// storageWarnings stand beside every number of an environment.
var storageWarnings = []rule{
	{
		name: "unsafe",
		hint: "leave the options out to see what safety costs",
		when: func(c Case) bool { return len(unsafeOptions(c.Environment)) > 0 },
		check: func(c Case) string {
			return "unsafe: in a power cut this storage can lose what was acknowledged (" +
				strings.Join(unsafeOptions(c.Environment), "; ") + ")"
		},
	},
	{
		name: "rates-scaled",
		hint: "compare ratios, not rates; a faster machine emulates them in full",
		when: func(c Case) bool { return rateScale(c.Environment) != 1 },
		check: func(c Case) string {
			return fmt.Sprintf("the IOPS and throughput of all emulated devices are %s of what they name, their latencies are whole",
				percent(rateScale(c.Environment)))
		},
	},
}

// unsafeOptions are those of all volumes, each with its role.
func unsafeOptions(e record.Environment) []string {
	var all []string
	for _, v := range e.Volumes {
		for _, option := range v.Unsafe {
			all = append(all, v.Role+": "+option)
		}
	}
	return all
}

// rateScale is the factor of the rates of emulated devices, 1 where there are none.
func rateScale(e record.Environment) float64 {
	at := slices.IndexFunc(e.Volumes, func(v record.Volume) bool { return v.Emulation != nil })
	if at < 0 {
		return 1
	}
	return e.Volumes[at].Emulation.RateScale
}
