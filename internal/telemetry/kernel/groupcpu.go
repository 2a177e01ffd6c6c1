package kernel

import (
	"fmt"

	"plinth/internal/host/proc"
	"plinth/internal/telemetry"
)

// groupCPU is the CPU time of a control group.
type groupCPU struct {
	usage  *file   // version 1 only: cpuacct.usage, of nanoseconds
	stats  []*file // cpu.stat of the group and of all above it
	keys   proc.Keyed
	values [3]proc.Value // usage, nr_throttled, throttled
	scale  float64       // of a second in cpu.stat
	slots  []telemetry.Slot
}

func openGroupCPU(tree groupTree) (*groupCPU, error) {
	dirs, first := tree.dirs("cpu")
	g := &groupCPU{keys: proc.NewKeyed("usage_usec", "nr_throttled", "throttled_usec"), scale: 1e6}
	var err error
	if first {
		g.keys, g.scale = proc.NewKeyed("", "nr_throttled", "throttled_time"), 1e9
		accounted, _ := tree.dirs("cpuacct")
		if g.usage, err = tree.nearest(accounted, "cpuacct.usage"); err != nil {
			return nil, err
		}
	}
	if g.stats, err = tree.files(dirs, "cpu.stat"); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

func (g *groupCPU) close() {
	closeAll(g.stats)
	if g.usage != nil {
		g.usage.close()
	}
}

// readTo sums up what held the group back: each group counts what its own quota
// did. One that can have none, as the topmost, counts nothing and never did.
func (g *groupCPU) readTo(b *telemetry.Board) error {
	var usage proc.Value
	var periods, throttled uint64
	for i, f := range g.stats {
		text, err := f.readShort()
		if err != nil {
			return err
		}
		_ = g.keys.Parse(text, g.values[:]) // nothing there is nothing counted
		if i == 0 {
			usage = g.values[0]
		}
		periods, throttled = periods+g.values[1].N, throttled+g.values[2].N
	}
	seconds, err := g.seconds(usage)
	if err != nil {
		return err
	}
	if g.slots == nil {
		g.slots = []telemetry.Slot{b.Column(groupUsage), b.Column(groupNrThrottled), b.Column(groupThrottled)}
	}
	b.Put(g.slots[0], seconds)
	b.Put(g.slots[1], float64(periods))
	b.Put(g.slots[2], float64(throttled)/g.scale)
	return nil
}

// seconds is the CPU time of the group; inStat is what cpu.stat tells of it.
func (g *groupCPU) seconds(inStat proc.Value) (float64, error) {
	if g.usage == nil && inStat.There {
		return float64(inStat.N) / 1e6, nil
	}
	if g.usage == nil {
		return 0, fmt.Errorf("%s tells no usage", g.stats[0].path)
	}
	n, ok, err := g.usage.readNumber()
	if err == nil && !ok {
		err = fmt.Errorf("%s is no number", g.usage.path)
	}
	return float64(n) / 1e9, err
}
