package probe

import (
	"time"

	"plinth/internal/host"
	"plinth/internal/unit"
)

// MemorySchema is the schema of a Memory as JSON.
const MemorySchema = "plinth/probe-memory/v1"

// Memory is how long memory takes, from each node with CPUs to each with memory:
// one cache line after the other, where each says where the next one is.
type Memory struct {
	Schema  string        `json:"schema"`
	Taken   time.Time     `json:"taken"`
	Machine host.Facts    `json:"machine"`
	Nodes   int           `json:"numa_nodes"`
	Size    unit.Size     `json:"size"` // of the memory that is walked through
	Cells   []MemoryCell  `json:"latencies"`
	Notes   []Note        `json:"notes"`
	Slice   unit.Duration `json:"slice"`
	Slices  int           `json:"slices"`
}

// MemoryCell is one pair of nodes, and one size of pages.
type MemoryCell struct {
	CPU    int       `json:"cpu_node"`
	Memory int       `json:"memory_node"`
	Page   unit.Size `json:"page"`
	// Huge is the share of the memory that really is in pages of 2 MiB.
	Huge    float64 `json:"huge_share"`
	Latency Figure  `json:"seconds"` // of one load
}

const (
	smallPage = 4 * unit.KiB
	hugePage  = 2 * unit.MiB
	cacheLine = 64

	memorySlice = 100 * time.Millisecond
	// leastMemory is walked through where caches are small.
	leastMemory = 128 * unit.MiB
	// timesCache is by how much memory exceeds the largest cache, so that few of its
	// lines are in there.
	timesCache = 4
)

// memorySize is how much memory each buffer has: well beyond all caches unless said,
// and little of what is available.
func memorySize(size unit.Size, caches []host.Cache, available int64, buffers int) unit.Size {
	if size == 0 {
		size = leastMemory
		for _, c := range caches {
			size = max(size, timesCache*unit.Size(c.Size))
		}
	}
	size = min(size, unit.Size(available)/4/unit.Size(max(buffers, 1)))
	return size / hugePage * hugePage
}

// Cell finds the latency of a pair of nodes; false where it was not measured.
func (m *Memory) Cell(cpu, memory int, page unit.Size) (MemoryCell, bool) {
	for _, c := range m.Cells {
		if c.CPU == cpu && c.Memory == memory && c.Page == page {
			return c, true
		}
	}
	return MemoryCell{}, false
}
