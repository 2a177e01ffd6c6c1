package kernel

import (
	"errors"

	"plinth/internal/telemetry"
)

// groupMemoryPart is the memory of a control group.
type groupMemoryPart struct {
	current *file
	limits  []*file // of the group and of all above it
	slots   []telemetry.Slot
	limited bool // whether there was a limit at the last reading
}

// noLimit is beyond all memory. Version 1 has no word for no limit, but the
// greatest number of whole pages.
const noLimit = 1 << 62

func openGroupMemory(tree groupTree) (*groupMemoryPart, error) {
	dirs, first := tree.dirs("memory")
	current, limit := "memory.current", "memory.max"
	if first {
		current, limit = "memory.usage_in_bytes", "memory.limit_in_bytes"
	}
	f, err := tree.nearest(dirs, current)
	if err != nil {
		return nil, err
	}
	limits, _ := tree.files(dirs, limit) // none: there is no limit
	return &groupMemoryPart{current: f, limits: limits}, nil
}

func (g *groupMemoryPart) close() {
	g.current.close()
	closeAll(g.limits)
}

var errNoNumber = errors.New("the memory of the control group is no number")

func (g *groupMemoryPart) readTo(b *telemetry.Board) error {
	current, ok, err := g.current.readNumber()
	if err == nil && !ok {
		err = errNoNumber
	}
	if err != nil {
		return err
	}
	limit, err := g.limit()
	if err != nil {
		return err
	}
	g.bind(b, limit < noLimit)
	b.Put(g.slots[0], float64(current))
	if g.limited {
		b.Put(g.slots[1], float64(limit))
	}
	return nil
}

// limit is the tightest.
func (g *groupMemoryPart) limit() (least uint64, err error) {
	least = noLimit
	for _, f := range g.limits {
		limit, ok, err := f.readNumber()
		if err != nil {
			return 0, err
		}
		if ok {
			least = min(least, limit)
		}
	}
	return least, nil
}

// bind makes the columns. That there is no limit is known, and no gap in a number.
func (g *groupMemoryPart) bind(b *telemetry.Board, limited bool) {
	if g.slots == nil {
		g.slots = []telemetry.Slot{b.Column(groupMemory), b.Column(groupLimit)}
		g.limited = !limited
	}
	switch {
	case limited && !g.limited:
		b.Absent(groupLimit, "")
	case !limited && g.limited:
		b.Absent(groupLimit, "the control group has no limit of memory")
	}
	g.limited = limited
}
