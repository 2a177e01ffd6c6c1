package disk

import (
	"fmt"
	"strconv"

	"plinth/internal/probe"
	"plinth/internal/prose"
	"plinth/internal/unit"
)

// Memory reports a probe of memory.
func Memory(m *probe.Memory) prose.Document {
	var d prose.Document
	d.Add(prose.Heading("Memory latency"))
	d.Add(prose.Paragraph(fmt.Sprintf("Dependent loads from %s, in nanoseconds: each cache line holds the address of the next; %d slices of %s.", m.Size, m.Slices, m.Slice)))
	d.Add(memoryTable(m))
	d.Add(memoryMeaning(m))
	if len(m.Notes) > 0 {
		d.Add(prose.Heading("Notes"), noteList(m.Notes))
	}
	return d
}

func memoryTable(m *probe.Memory) prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "CPU node", Right: true}, {Title: "memory node", Right: true}, {Title: "page"},
		{Title: "ns", Right: true}, {Title: "95 % interval", Right: true}, {Title: "in huge pages", Right: true}}}
	for _, c := range m.Cells {
		ns := func(s float64) string { return strconv.FormatFloat(s*1e9, 'f', 1, 64) }
		t.Rows = append(t.Rows, []string{strconv.Itoa(c.CPU), strconv.Itoa(c.Memory), c.Page.String(),
			ns(c.Latency.Value), ns(c.Latency.Low) + " to " + ns(c.Latency.High), fmt.Sprintf("%.0f %%", 100*c.Huge)})
	}
	return t
}

// memoryMeaning compares page sizes on each pair of nodes, and other nodes with a node's own.
func memoryMeaning(m *probe.Memory) prose.List {
	var lines prose.List
	var small, huge unit.Size
	for i, c := range m.Cells {
		if i == 0 || c.Page < small {
			small = c.Page
		}
		huge = max(huge, c.Page)
	}
	for _, c := range m.Cells {
		if c.Page != small {
			continue
		}
		if h, ok := m.Cell(c.CPU, c.Memory, huge); ok && huge > small && h.Huge > 0.9 {
			lines = append(lines, fmt.Sprintf("node %d to %d: pages of %s take %s", c.CPU, c.Memory, huge, change(c.Latency.Value, h.Latency.Value)))
		}
		if own, ok := m.Cell(c.CPU, c.CPU, small); ok && c.CPU != c.Memory {
			lines = append(lines, fmt.Sprintf("node %d to %d: %s than to its own memory", c.CPU, c.Memory, change(own.Latency.Value, c.Latency.Value)))
		}
	}
	return lines
}

// change formats a change: "31 % less time", "12 % more time".
func change(from, to float64) string {
	share := 100 * (to/from - 1)
	if share < 0 {
		return fmt.Sprintf("%.0f %% less time", -share)
	}
	return fmt.Sprintf("%.0f %% more time", share)
}
