package libvirt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/host"
)

// cpus are CPUs or memory nodes of the machine, in order, each once.
type cpus []int

// mostCPUs is more than libvirt takes (VIR_DOMAIN_CPUMASK_LEN).
const mostCPUs = 16384

// parseCPUs reads a list as libvirt has it: "0-3,^2,8", where ^2 takes 2 out again.
func parseCPUs(text string) (cpus, error) {
	var list cpus
	for item := range strings.SplitSeq(text, ",") {
		item, out := strings.CutPrefix(strings.TrimSpace(item), "^")
		first, last, isRange := strings.Cut(item, "-")
		from, err := strconv.Atoi(first)
		to := from
		if err == nil && isRange {
			to, err = strconv.Atoi(last)
		}
		if err != nil || from < 0 || to < from || to >= mostCPUs {
			return nil, hint.Errorf("write it as 8-13,28", "%q is not a list of CPUs", text)
		}
		for n := from; n <= to; n++ {
			list = slices.DeleteFunc(list, func(other int) bool { return other == n })
			if !out {
				list = append(list, n)
			}
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%q leaves no CPU", text)
	}
	slices.Sort(list)
	return list, nil
}

// String is the list as libvirt and the kernel print it: "0-1,3,8".
func (c cpus) String() string { return host.Ranges(c) }

// plainCPUs is a list as String has it; text itself where it is none, such as one that
// libvirt writes in words.
func plainCPUs(text string) string {
	list, err := parseCPUs(text)
	if err != nil {
		return text
	}
	return list.String()
}
