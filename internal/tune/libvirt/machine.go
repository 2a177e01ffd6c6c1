package libvirt

import (
	"fmt"
	"slices"

	"libvirt.org/go/libvirtxml"

	"plinth/internal/unit"
)

// machine holds the NUMA nodes of libvirt's host; empty if libvirt does not report them. libvirt
// is asked, not this machine: the host may be another one (qemu+ssh).
type machine []node

type node struct {
	id     int
	memory unit.Size
	cpus   cpus
	pages  map[unit.Size]unit.Size // memory reserved in huge pages, by page size
}

// parseMachine parses the output of virsh capabilities.
func parseMachine(text string) (machine, error) {
	var caps libvirtxml.Caps
	if err := caps.Unmarshal(text); err != nil {
		return nil, fmt.Errorf("cannot read libvirt's description of its host: %w", err)
	}
	if caps.Host.NUMA == nil || caps.Host.NUMA.Cells == nil {
		return nil, nil
	}
	var m machine
	for _, cell := range caps.Host.NUMA.Cells.Cells {
		m = append(m, nodeOf(cell))
	}
	return m, nil
}

// smallPage is the largest size of a normal page: 64 KiB on some ARM.
const smallPage = 64 * unit.KiB

func nodeOf(cell libvirtxml.CapsHostNUMACell) node {
	n := node{id: cell.ID, pages: map[unit.Size]unit.Size{}}
	if cell.Memory != nil {
		n.memory = unit.Size(int64(cell.Memory.Size) * bytesIn(cell.Memory.Unit))
	}
	for _, p := range cell.PageInfo {
		if size := unit.Size(int64(p.Size) * bytesIn(p.Unit)); size > smallPage {
			n.pages[size] = size * unit.Size(p.Count)
		}
	}
	if cell.CPUS != nil {
		for _, cpu := range cell.CPUS.CPUs {
			n.cpus = append(n.cpus, cpu.ID)
		}
	}
	return n
}

// nodes returns the numbers of all nodes.
func (m machine) nodes() (all cpus) {
	for _, n := range m {
		all = append(all, n.id)
	}
	slices.Sort(all)
	return all
}

// of returns the given nodes.
func (m machine) of(nodes cpus) machine {
	return slices.DeleteFunc(slices.Clone(m), func(n node) bool { return !slices.Contains(nodes, n.id) })
}

func (m machine) cpus(nodes cpus) (all cpus) {
	for _, n := range m.of(nodes) {
		all = append(all, n.cpus...)
	}
	slices.Sort(all)
	return all
}

func (m machine) memory(nodes cpus) (sum unit.Size) {
	for _, n := range m.of(nodes) {
		sum += n.memory
	}
	return sum
}

func (m machine) pages(nodes cpus, size unit.Size) (sum unit.Size) {
	for _, n := range m.of(nodes) {
		sum += n.pages[size]
	}
	return sum
}

// hugePage returns the smallest huge page size of the host, which is its default unless a boot
// parameter changed it; 0 for none.
func (m machine) hugePage() (least unit.Size) {
	for _, n := range m {
		for size := range n.pages {
			if least == 0 || size < least {
				least = size
			}
		}
	}
	return least
}
