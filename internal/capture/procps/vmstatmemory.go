package procps

import (
	"slices"
	"strconv"

	"plinth/internal/capture"
)

// Columns of memory, in each version.
const (
	swpd  = 2
	cache = 5
)

// stuck is how many rows with the same memory are not a coincidence.
const stuck = 5

// watch notices whether memory ever changes.
func (v *vmstat) watch(memory []string) {
	v.read++
	if v.memory == nil {
		v.memory = slices.Clone(memory)
	}
	v.moved = v.moved || !slices.Equal(memory, v.memory)
}

// readOnce reports whether vmstat read the memory only once, as that of procps 4.0.2 does, which selects
// MEMINFO items before its loop.
func (v *vmstat) readOnce() bool { return !v.moved && v.read >= stuck }

// smallest is the memory, in KiB, below which a machine is not one that runs a database: the numbers are
// in another unit.
const smallest = 64 << 10

// unit returns the bytes of the unit of memory, or 0 if it is unknown.
func (v *vmstat) unit() float64 {
	if v.command.seen {
		return units[v.command.unit]
	}
	var memory uint64
	for i, column := range v.columns {
		if v.first != nil && (column == "free" || column == "buff" || column == "cache" || column == "inact" || column == "active") {
			value, _ := strconv.ParseUint(v.first[i], 10, 64) // row checked it
			memory += value
		}
	}
	if memory < smallest {
		return 0
	}
	return units[""]
}

// dropMemory leaves out the columns of memory.
func (v *vmstat) dropMemory(found *capture.Found) {
	series := &found.Series[0]
	series.Columns = slices.Delete(series.Columns, swpd, cache+1)
	found.Notes = append(found.Notes, leftOut("memory and swap are the same in all %d rows and are left out: vmstat of procps 4.0.2 reads them only once", v.read))
}
