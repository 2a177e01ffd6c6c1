package probe

import (
	"time"

	"plinth/internal/device"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
	"plinth/internal/unit"
)

// Options is what is probed, and how.
type Options struct {
	Path string        // a directory that is there, or a block device
	For  time.Duration // how long the steps are measured; Shortest or more
	Size unit.Size     // of the test file, or the part of a device that is used; 0 for DefaultSize or what there is
	// Erase allows to write to a block device, which destroys what is on it.
	Erase bool
	// Sustained is for how long writes go on after the steps, until bursts and caches
	// are exhausted; 0 for not at all.
	Sustained time.Duration
	Expect    *device.Device // what theory says; nil for none
	Name      string         // of the device that comes out; made from the disk's name unless said
	Seed      uint64

	Launcher launch.Launcher
	Journal  *journal.Journal
	// Tell is told what goes on, more of it in detail, and how long all of it still
	// takes; a few times a second.
	Tell func(step, detail string, left time.Duration)
	// Say is told what must be known before it happens.
	Say func(text string)
}

// DefaultSize is how much of a disk is used unless said.
const DefaultSize = unit.GiB

// sustainedSize is that of a probe that wants to see the end of caches.
const sustainedSize = 4 * unit.GiB

// LeastSize is the least that makes sense: of less, much is the same block again.
const LeastSize = 16 * unit.MiB
