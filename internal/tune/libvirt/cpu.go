package libvirt

import (
	"slices"
	"strconv"
	"strings"

	"libvirt.org/go/libvirtxml"

	"plinth/internal/hint"
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
