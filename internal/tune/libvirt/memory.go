package libvirt

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"libvirt.org/go/libvirtxml"

	"plinth/internal/hint"
)

// The memory knobs: <numatune>, <memoryBacking> with <hugepages> and <locked>, and
// <memballoon>.

// numaModes holds the modes of <numatune>'s <memory>.
var numaModes = []string{"strict", "preferred", "interleave", "restrictive"}

// numaTune returns the allocation mode and the nodes of the host: "strict 1".
func numaTune(d *libvirtxml.Domain) string {
	if d.NUMATune == nil || d.NUMATune.Memory == nil {
		return none
	}
	m := d.NUMATune.Memory
	if m.Placement == automatic {
		return m.Mode + " " + automatic
	}
	return m.Mode + " " + plainCPUs(m.Nodeset)
}

// none means no <numatune>: the kernel chooses the nodes.
const none = "none"

// automatic means that libvirt asks numad for the nodes.
const automatic = "auto"

func setNUMATune(d *libvirtxml.Domain, value string) error {
	if value == none || value == "" {
		if d.NUMATune != nil && len(d.NUMATune.MemNodes) > 0 {
			return hint.Errorf("change it by hand, with virsh edit",
				"it cannot be removed: individual cells of the guest have their own nodes (memnode)")
		}
		d.NUMATune = nil
		return nil
	}
	mode, nodes, _ := strings.Cut(value, " ")
	if !slices.Contains(numaModes, mode) {
		return hint.Errorf(hint.DidYouMean(mode, numaModes, "write a mode and the nodes, such as strict 1"),
			"%q is not a mode of <numatune>: %s", mode, strings.Join(numaModes, ", "))
	}
	memory := &libvirtxml.DomainNUMATuneMemory{Mode: mode}
	if nodes = strings.TrimSpace(nodes); nodes == automatic {
		memory.Placement = automatic
	} else {
		list, err := parseCPUs(nodes)
		if nodes == "" {
			return hint.Errorf("write a mode and the nodes, such as strict 1", "%q has no nodes", value)
		}
		if err != nil {
			return hint.Errorf("write a mode and the nodes, such as strict 1", "%q is not a list of NUMA nodes", nodes)
		}
		memory.Nodeset = list.String()
	}
	if d.NUMATune == nil {
		d.NUMATune = &libvirtxml.DomainNUMATune{}
	}
	d.NUMATune.Memory = memory
	return nil
}

// Words for an element that is present or absent.
const (
	on  = "on"
	off = "off"
)

func word(there bool) string {
	if there {
		return on
	}
	return off
}

func isOn(value string) (bool, error) {
	switch value {
	case on:
		return true, nil
	case off, "":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither on nor off", value)
}

func hugePages(d *libvirtxml.Domain) string {
	return word(d.MemoryBacking != nil && d.MemoryBacking.MemoryHugePages != nil)
}

// setHugePages keeps the page sizes if some are set.
func setHugePages(d *libvirtxml.Domain, value string) error {
	there, err := isOn(value)
	if err != nil || value == hugePages(d) {
		return err
	}
	backing := backingOf(d)
	backing.MemoryHugePages = nil
	if there {
		backing.MemoryHugePages = &libvirtxml.DomainMemoryHugepages{}
	}
	keepBacking(d, backing)
	return nil
}

func locked(d *libvirtxml.Domain) string {
	return word(d.MemoryBacking != nil && d.MemoryBacking.MemoryLocked != nil)
}

func setLocked(d *libvirtxml.Domain, value string) error {
	there, err := isOn(value)
	if err != nil {
		return err
	}
	backing := backingOf(d)
	backing.MemoryLocked = nil
	if there {
		backing.MemoryLocked = &libvirtxml.DomainMemoryLocked{}
	}
	keepBacking(d, backing)
	return nil
}

func backingOf(d *libvirtxml.Domain) *libvirtxml.DomainMemoryBacking {
	if d.MemoryBacking == nil {
		return &libvirtxml.DomainMemoryBacking{}
	}
	return d.MemoryBacking
}

// keepBacking drops the element if it is empty.
func keepBacking(d *libvirtxml.Domain, backing *libvirtxml.DomainMemoryBacking) {
	d.MemoryBacking = backing
	if reflect.ValueOf(*backing).IsZero() {
		d.MemoryBacking = nil
	}
}

// balloonModels holds the models of <memballoon>.
var balloonModels = []string{"none", "virtio", "virtio-transitional", "virtio-non-transitional", "xen"}

func memBalloon(d *libvirtxml.Domain) string {
	if balloon := balloonOf(d); balloon != nil {
		return balloon.Model
	}
	return ""
}

// setMemBalloon replaces the device if the model changes: the old device's attributes, above all
// its address, do not fit. "" leaves the device to libvirt, which adds one.
func setMemBalloon(d *libvirtxml.Domain, value string) error {
	if value != "" && !slices.Contains(balloonModels, value) {
		return hint.Errorf(hint.DidYouMean(value, balloonModels, "use none to remove it"),
			"%q is not a model of <memballoon>: %s", value, strings.Join(balloonModels, ", "))
	}
	if value == memBalloon(d) {
		return nil
	}
	if d.Devices == nil {
		d.Devices = &libvirtxml.DomainDeviceList{}
	}
	d.Devices.MemBalloon = nil
	if value != "" {
		d.Devices.MemBalloon = &libvirtxml.DomainMemBalloon{Model: value}
	}
	return nil
}

// units holds libvirt's units of memory sizes, in bytes ("Domain XML format", memory).
var units = map[string]int64{
	"b": 1, "bytes": 1,
	"": 1 << 10, "k": 1 << 10, "KiB": 1 << 10, "KB": 1e3,
	"M": 1 << 20, "MiB": 1 << 20, "MB": 1e6,
	"G": 1 << 30, "GiB": 1 << 30, "GB": 1e9,
	"T": 1 << 40, "TiB": 1 << 40, "TB": 1e12,
}

// bytesIn returns the number of bytes in a unit; libvirt's default unit is KiB.
func bytesIn(unit string) int64 { return units[unit] }
