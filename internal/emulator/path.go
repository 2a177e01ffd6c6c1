package emulator

import "time"

// Path is what the way to the emulator and back costs one operation of 8 KiB when
// nothing else goes on.
type Path struct {
	Read  time.Duration `json:"read"`
	Write time.Duration `json:"write"`
}

// PathCost is what the path through filesystem, loop device and emulator costs by
// itself, without any delay, and how much it lets through: operations of 8 KiB with
// direct I/O.
type PathCost struct {
	Path                        // one operation after the other: medians of a quiet moment
	ReadIOPS, WriteIOPS float64 // the ceiling: with 32 at once
}

// beyond is by how much operations took longer than the delays; an operation cannot take
// less, but for the error of the measurement.
func (p Path) beyond(read, write time.Duration) Path {
	return Path{Read: max(0, p.Read-read), Write: max(0, p.Write-write)}
}
