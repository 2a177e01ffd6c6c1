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

// cpuModes holds the modes of <cpu> that need no CPU model.
var cpuModes = []string{"host-passthrough", "host-model", "maximum"}

// cpuMode returns the mode attribute of <cpu>.
func cpuMode(d *libvirtxml.Domain) string {
	switch {
	case d.CPU == nil:
		return ""
	case d.CPU.Mode == "" && d.CPU.Model != nil: // as libvirt fills it in
		return "custom"
	}
	return d.CPU.Mode
}

// setCPUMode keeps the layout of the guest's CPUs: topology, caches and NUMA cells. It drops the
// details of the CPU model: with the host's CPU, libvirt would refuse or ignore them.
func setCPUMode(d *libvirtxml.Domain, value string) error {
	was := cpuMode(d)
	if value == was {
		return nil
	}
	if value != "" && !slices.Contains(cpuModes, value) {
		return hint.Errorf(hint.DidYouMean(value, cpuModes, "use virsh edit for a custom CPU"),
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

// ioThreads returns the number of I/O threads.
func ioThreads(d *libvirtxml.Domain) string {
	return strconv.FormatUint(uint64(d.IOThreads), 10)
}

// setIOThreads keeps the ids of the remaining I/O threads.
func setIOThreads(d *libvirtxml.Domain, value string) error {
	number := uint64(0)
	if value != "" {
		var err error
		if number, err = strconv.ParseUint(value, 10, 16); err != nil {
			return hint.Errorf("give a number, such as 2, or 0 for none", "%q is not a number of I/O threads", value)
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

// cpus is a sorted list of CPUs or memory nodes of the host, without duplicates.
type cpus []int

// mostCPUs exceeds libvirt's maximum (VIR_DOMAIN_CPUMASK_LEN).
const mostCPUs = 16384

// parseCPUs parses a list in libvirt's syntax: "0-3,^2,8", where ^2 excludes 2.
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
			return nil, hint.Errorf("write a list such as 8-13,28", "%q is not a list of CPUs", text)
		}
		for n := from; n <= to; n++ {
			list = slices.DeleteFunc(list, func(other int) bool { return other == n })
			if !out {
				list = append(list, n)
			}
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%q contains no CPU", text)
	}
	slices.Sort(list)
	return list, nil
}

// String formats the list as libvirt and the kernel do: "0-1,3,8".
func (c cpus) String() string { return host.Ranges(c) }

// plainCPUs normalises a list to the format of String. It returns other text unchanged, such as
// the words that libvirt may write.
func plainCPUs(text string) string {
	list, err := parseCPUs(text)
	if err != nil {
		return text
	}
	return list.String()
}
