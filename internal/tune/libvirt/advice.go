package libvirt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"libvirt.org/go/libvirtxml"

	"plinth/internal/record"
	"plinth/internal/unit"
)

// Advice checks values before they are set, and changes nothing. Its notes report a guest that
// does not fit into its NUMA nodes or their huge pages, CPUs that the host does not have or that
// are far from the guest's memory, and a running domain. The host is the one of libvirt. The
// error says why the values cannot be set at all.
func (d *Domain) Advice(ctx context.Context, values map[string]string) ([]record.Note, error) {
	definition, err := d.XML(ctx)
	if err == nil {
		definition, err = Edit(definition, values)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot change the domain %s: %w", d.name, err)
	}
	text, err := d.virsh.run(ctx, "capabilities")
	if err != nil {
		return nil, fmt.Errorf("cannot query the capabilities of libvirt's host: %w", err)
	}
	m, err := parseMachine(text)
	if err != nil {
		return nil, err
	}
	guest, err := parse(definition)
	if err != nil {
		return nil, err
	}
	notes := m.notes(guest)
	runs, err := d.runs(ctx)
	if runs && len(values) > 0 {
		notes = append(notes, record.Note{Rule: "domain-runs",
			Text: fmt.Sprintf("the domain %s is running: changes take effect at its next start", d.name),
			Hint: "shut it down with virsh shutdown and start it; a reboot inside the guest is not enough"})
	}
	return notes, err
}

// notes reports what does not fit between a guest and this host. It returns none for a host whose
// NUMA nodes libvirt does not report.
func (m machine) notes(d *libvirtxml.Domain) []record.Note {
	if len(m) == 0 {
		return nil
	}
	var notes []record.Note
	add := func(rule, hint, format string, args ...any) {
		notes = append(notes, record.Note{Rule: rule, Text: fmt.Sprintf(format, args...), Hint: hint})
	}
	pinned, all := pinnedOf(d), m.cpus(m.nodes())
	if gone := without(pinned, all); len(gone) > 0 {
		add("domain-no-cpu", "pin it to CPUs among "+all.String(), "the domain is pinned to CPU %s, which the machine does not have", gone)
	}
	nodes := nodesOf(d)
	if gone := without(nodes, m.nodes()); len(gone) > 0 {
		add("domain-no-node", "choose nodes among "+m.nodes().String(), "the domain takes its memory from NUMA node %s, which the machine does not have", gone)
		return notes
	}
	if len(nodes) == 0 {
		return notes
	}
	if far := without(without(pinned, m.cpus(nodes)), without(pinned, all)); len(far) > 0 {
		add("domain-far-cpu", "pin it to CPUs among "+m.cpus(nodes).String(),
			"CPU %s is not on node %s, from which the domain takes its memory: each access crosses nodes", far, nodes)
	}
	if !strings.HasPrefix(numaTune(d), "strict") {
		return notes
	}
	guest := memoryOf(d)
	if there := m.memory(nodes); guest > there {
		add("domain-node-memory", "give the guest less memory, or more nodes",
			"the guest has %v, more than node %s has (%v), and mode strict takes memory from no other node", guest, nodes, there)
	}
	if size := pagesOf(d, m); size > 0 {
		if there := m.pages(nodes, size); guest > there {
			add("domain-node-pages", fmt.Sprintf("reserve %d pages through the node's nr_hugepages", int64((guest+size-1)/size)),
				"the guest has %v, but the huge pages of node %s (%v each) hold only %v", guest, nodes, size, there)
		}
	}
	return notes
}

// pinnedOf returns all CPUs that any part of the domain is pinned to.
func pinnedOf(d *libvirtxml.Domain) cpus {
	tune := tuneOf(d)
	var lists []string
	for _, p := range tune.VCPUPin {
		lists = append(lists, p.CPUSet)
	}
	for _, p := range tune.IOThreadPin {
		lists = append(lists, p.CPUSet)
	}
	if tune.EmulatorPin != nil {
		lists = append(lists, tune.EmulatorPin.CPUSet)
	}
	all, _ := parseCPUs(strings.Join(lists, ",")) // "" returns nil
	return all
}

// nodesOf returns the nodes of <numatune>'s <memory>; nil if libvirt chooses them.
func nodesOf(d *libvirtxml.Domain) cpus {
	if d.NUMATune == nil || d.NUMATune.Memory == nil {
		return nil
	}
	list, _ := parseCPUs(d.NUMATune.Memory.Nodeset) // "" returns nil
	return list
}

func memoryOf(d *libvirtxml.Domain) unit.Size {
	if d.Memory == nil {
		return 0
	}
	return unit.Size(int64(d.Memory.Value) * bytesIn(d.Memory.Unit))
}

// pagesOf returns the size of the huge pages that back a guest; 0 for none.
func pagesOf(d *libvirtxml.Domain, m machine) unit.Size {
	if hugePages(d) == off {
		return 0
	}
	for _, p := range d.MemoryBacking.MemoryHugePages.Hugepages {
		if p.Nodeset == "" { // otherwise only for some of the guest's cells
			return unit.Size(int64(p.Size) * bytesIn(p.Unit))
		}
	}
	return m.hugePage()
}

// without returns the items of a list that another list lacks.
func without(list, other cpus) cpus {
	return slices.DeleteFunc(slices.Clone(list), func(n int) bool { return slices.Contains(other, n) })
}
