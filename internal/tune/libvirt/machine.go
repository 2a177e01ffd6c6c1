package libvirt

import (
	"fmt"
	"slices"

	"libvirt.org/go/libvirtxml"

	"plinth/internal/unit"
)

// machine is that of libvirt, by its NUMA nodes; empty where it tells nothing of them.
// What libvirt says counts, not what this machine is: it may be another one (qemu+ssh).
type machine []node

type node struct {
	id     int
	memory unit.Size
	cpus   cpus
	pages  map[unit.Size]unit.Size // memory reserved in huge pages, by their size
}

// parseMachine reads what virsh capabilities prints.
func parseMachine(text string) (machine, error) {
	var caps libvirtxml.Caps
	if err := caps.Unmarshal(text); err != nil {
		return nil, fmt.Errorf("cannot read what libvirt says of its machine: %w", err)
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

// smallPage is the largest size of a page that is no huge one: 64 KiB on some ARM.
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

// nodes are the numbers of all nodes.
func (m machine) nodes() (all cpus) {
	for _, n := range m {
		all = append(all, n.id)
	}
	slices.Sort(all)
	return all
}

// of are some of the nodes.
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

// hugePage is the smallest size of huge pages that the machine has, which is what it
// calls its default unless it was booted otherwise; 0 for none.
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
