package probe

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"plinth/internal/host"
	"plinth/internal/unit"
)

// MemorySchema is the schema of a Memory as JSON.
const MemorySchema = "plinth/probe-memory/v1"

// Memory holds the latency of memory, from each node with CPUs to each node with memory: pointer
// chasing, in which each cache line holds the offset of the next one.
type Memory struct {
	Schema  string        `json:"schema"`
	Taken   time.Time     `json:"taken"`
	Machine host.Facts    `json:"machine"`
	Nodes   int           `json:"numa_nodes"`
	Size    unit.Size     `json:"size"` // of the memory that is read
	Cells   []MemoryCell  `json:"latencies"`
	Notes   []Note        `json:"notes"`
	Slice   unit.Duration `json:"slice"`
	Slices  int           `json:"slices"`
}

// MemoryCell holds the latency for one pair of nodes and one page size.
type MemoryCell struct {
	CPU    int       `json:"cpu_node"`
	Memory int       `json:"memory_node"`
	Page   unit.Size `json:"page"`
	// Huge is the share of the memory that is really in huge pages.
	Huge    float64 `json:"huge_share"`
	Latency Figure  `json:"seconds"` // of one load
}

const (
	cacheLine = 64

	memorySlice = 100 * time.Millisecond
	// leastMemory is the size of a buffer if caches are small.
	leastMemory = 128 * unit.MiB
	// leastUseful is the smallest buffer that is measured.
	leastUseful = 2 * unit.MiB
	// timesCache is the ratio of a buffer to the largest cache, so that few of its lines are
	// cached.
	timesCache = 4
)

// smallPage and hugePage are the sizes of a page and of a transparent huge page: 4 KiB and 2 MiB, or
// 64 KiB and 512 MiB on some kernels for arm64 (Documentation/admin-guide/mm/transhuge.rst).
var smallPage, hugePage = unit.Size(os.Getpagesize()), hugePageSize(word("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"))

// hugePageSize returns the size of a transparent huge page as the kernel writes it; if it does not, 2 MiB.
func hugePageSize(text string) unit.Size {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		return 2 * unit.MiB
	}
	return unit.Size(n)
}

// pageSizes returns the sizes of pages to measure with buffers of this size.
func pageSizes(buffer unit.Size) []unit.Size {
	if hugePage > buffer {
		return []unit.Size{smallPage}
	}
	return []unit.Size{smallPage, hugePage}
}

// memorySize returns the size of each buffer: by default well beyond all caches, and at most a
// small part of the available memory.
func memorySize(size unit.Size, caches []host.Cache, available int64, buffers int) unit.Size {
	if size == 0 {
		size = max(leastMemory, hugePage)
		for _, c := range caches {
			size = max(size, timesCache*unit.Size(c.Size))
		}
	}
	size = min(size, unit.Size(available)/4/unit.Size(max(buffers, 1)))
	switch {
	case size >= hugePage:
		return size / hugePage * hugePage
	case size >= leastUseful:
		return size / smallPage * smallPage
	}
	return 0
}

// Cell returns the latency of a pair of nodes; false if it was not measured.
func (m *Memory) Cell(cpu, memory int, page unit.Size) (MemoryCell, bool) {
	for _, c := range m.Cells {
		if c.CPU == cpu && c.Memory == memory && c.Page == page {
			return c, true
		}
	}
	return MemoryCell{}, false
}

// thread links all cache lines of memory into a single ring, in random order (Sattolo's
// algorithm): the first 8 bytes of each line hold the offset of the next. The prefetcher cannot
// predict the order, so each load waits for the previous one.
func thread(memory []byte, random *rand.Rand) {
	lines := len(memory) / cacheLine
	for i := range lines {
		put(memory, i, uint64(i*cacheLine))
	}
	for i := lines - 1; i > 0; i-- {
		j := random.IntN(i)
		a, b := get(memory, i), get(memory, j)
		put(memory, i, b)
		put(memory, j, a)
	}
}

func get(memory []byte, line int) uint64 {
	return binary.LittleEndian.Uint64(memory[line*cacheLine:])
}

func put(memory []byte, line int, next uint64) {
	binary.LittleEndian.PutUint64(memory[line*cacheLine:], next)
}

// chase follows the ring for the given time, at least one stretch, and returns the duration of
// one load, in seconds, and the last offset.
func chase(memory []byte, from uint64, length time.Duration) (seconds float64, to uint64) {
	const stretch = 1 << 14 // loads between readings of the clock
	begin, n := time.Now(), 0
	for n == 0 || time.Since(begin) < length {
		for range stretch {
			from = binary.LittleEndian.Uint64(memory[from:])
		}
		n += stretch
	}
	return time.Since(begin).Seconds() / float64(n), from
}

// hugeShare returns the share of the mapping at an address that is in transparent huge pages,
// from /proc/PID/smaps (Documentation/filesystems/proc.rst); 0 if unknown.
func hugeShare(smaps string, address uint64) float64 {
	within := false
	var size, huge float64
	for line := range strings.Lines(smaps) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if begin, end, ok := addresses(fields[0]); ok {
			within = begin <= address && address < end
			continue
		}
		if !within || len(fields) < 2 {
			continue
		}
		n, _ := strconv.ParseFloat(fields[1], 64)
		switch fields[0] {
		case "Size:":
			size = n
		case "AnonHugePages:":
			huge = n
		}
	}
	if !(size > 0) || !(huge >= 0) || huge > size {
		return 0
	}
	return huge / size
}

// addresses parses "7f5c00000000-7f5c10000000", which begins a mapping.
func addresses(text string) (begin, end uint64, ok bool) {
	first, last, found := strings.Cut(text, "-")
	begin, err := strconv.ParseUint(first, 16, 64)
	end, err2 := strconv.ParseUint(last, 16, 64)
	return begin, end, found && err == nil && err2 == nil
}
