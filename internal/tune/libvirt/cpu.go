package libvirt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"libvirt.org/go/libvirtxml"

	"plinth/internal/hint"
	"plinth/internal/host"
)

// cpuModes are those of <cpu> that need no model of a CPU beside them.
var cpuModes = []string{"host-passthrough", "host-model", "maximum"}

// cpuMode is the mode attribute of <cpu>.
func cpuMode(d *libvirtxml.Domain) string {
	switch {
	case d.CPU == nil:
		return ""
	case d.CPU.Mode == "" && d.CPU.Model != nil: // as libvirt fills it in
		return "custom"
	}
	return d.CPU.Mode
}

// setCPUMode keeps how the guest's CPUs are laid out, its topology, caches and NUMA
// cells, and drops what told one model from another: with the machine's own CPU that
// would be refused, or be without effect.
func setCPUMode(d *libvirtxml.Domain, value string) error {
	was := cpuMode(d)
	if value == was {
		return nil
	}
	if value != "" && !slices.Contains(cpuModes, value) {
		return hint.Errorf(hint.DidYouMean(value, cpuModes, "a CPU of its own (custom) takes virsh edit"),
			"%q is not a mode of <cpu> that can be set: %s", value, strings.Join(cpuModes, ", "))
	}
	if d.CPU == nil {
		d.CPU = &libvirtxml.DomainCPU{}
	}
	c := d.CPU
	d.CPU = &libvirtxml.DomainCPU{Mode: value, Topology: c.Topology, Cache: c.Cache, MaxPhysAddr: c.MaxPhysAddr, Numa: c.Numa}
	if value == "host-passthrough" {
		d.CPU.Check = "none"
	}
	if value == "" && d.CPU.Topology == nil && d.CPU.Cache == nil && d.CPU.MaxPhysAddr == nil && d.CPU.Numa == nil {
		d.CPU = nil
	}
	return nil
}

// ioThreads is how many there are.
func ioThreads(d *libvirtxml.Domain) string {
	return strconv.FormatUint(uint64(d.IOThreads), 10)
}

// setIOThreads keeps the ids of those that stay.
func setIOThreads(d *libvirtxml.Domain, value string) error {
	number := uint64(0)
	if value != "" {
		var err error
		if number, err = strconv.ParseUint(value, 10, 16); err != nil {
			return hint.Errorf("write it as 2; 0 for none", "%q is not a number of I/O threads", value)
		}
	}
	d.IOThreads = uint(number)
	if ids := d.IOThreadIDs; ids != nil && len(ids.IOThreads) > int(number) {
		ids.IOThreads = ids.IOThreads[:number]
		if number == 0 {
			d.IOThreadIDs = nil
		}
	}
	return nil
}

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
