package runner

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"plinth/internal/experiment"
	"plinth/internal/limit"
	"plinth/internal/neighbour"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// pressureOf is the neighbour's load that an environment asks for; nil for none.
func pressureOf(e experiment.Environment) *record.Pressure {
	p := e.Pressure
	if p == (experiment.Pressure{Volume: p.Volume}) {
		return nil
	}
	asked := &record.Pressure{Write: float64(p.Write), Read: float64(p.Read), Memory: float64(p.Memory), CPU: float64(p.CPU)}
	if p.Write > 0 || p.Read > 0 {
		asked.Volume = cmp.Or(p.Volume, experiment.RoleData)
	}
	return asked
}

// pressure is what the neighbour of a place has to reach: of an emulated volume whose
// rates are scaled the same part, so that it takes as much of it as it would of the whole.
func (p *place) pressure(scale float64) *record.Pressure {
	asked := pressureOf(p.environment)
	if asked == nil || asked.Volume == "" {
		return asked
	}
	if v := p.volume(asked.Volume); v.Facts().Emulation != nil {
		asked.Write, asked.Read = asked.Write*scale, asked.Read*scale
	}
	return asked
}

// presser is the neighbour of an environment while it is driven.
type presser struct {
	load   *neighbour.Load
	asked  *record.Pressure
	memory float64      // of the machine, in bytes
	group  *limit.Group // nil where it has only a volume to load
}

// press starts the neighbour of an environment, which loads its volume, memory and CPUs
// until it is stopped. Its file goes with the volume. Memory is the machine's, in bytes.
func (b *builder) press(ctx context.Context, p *place, memory int64) (*presser, error) {
	n := &presser{asked: p.pressure(b.rates.scale), memory: float64(memory)}
	o := neighbour.Options{Write: unit.Rate(n.asked.Write), Read: unit.Rate(n.asked.Read),
		Memory: unit.Size(n.asked.Memory * n.memory), CPU: int(n.asked.CPU)}
	if n.asked.Volume != "" {
		o.Directory = filepath.Dir(p.volume(n.asked.Volume).Path)
	}
	var err error
	if o.Memory > 0 || o.CPU > 0 {
		// With the server, off the CPUs that the load generator has for itself.
		var cpus []int
		if p.group != nil && len(p.group.Rest()) > 0 {
			cpus = p.group.CPUs()
		}
		if n.group, err = limit.MakeBeside(b.journal, p.environment.Name+"-neighbour", cpus...); err != nil {
			return nil, err
		}
		o.Groups = n.group.Directories()
	}
	if n.load, err = neighbour.Start(ctx, b.launcher, o); err != nil {
		n.stop()
		return nil, err
	}
	return n, nil
}

// reached is what it came to; an error where it ended by itself. That it was killed is
// none where it fills memory: it is the first to be, when memory ends.
func (n *presser) reached() (*record.Pressure, error) {
	err := n.load.Err()
	killed := n.asked.Memory > 0 && errors.Is(err, neighbour.ErrKilled)
	if err != nil && !killed {
		return nil, err
	}
	r := n.load.Reached()
	return &record.Pressure{Volume: n.asked.Volume, Write: r.Write, Read: r.Read,
		Memory: float64(r.Memory) / n.memory, Swapped: float64(r.Swapped) / n.memory,
		CPU: r.CPU, Waiting: r.Waiting, Killed: killed}, nil
}

// stop ends it. It may be called twice. Where it fails, it ends with plinth at the
// latest, and its group is in the journal.
func (n *presser) stop() {
	if n.load != nil {
		_ = n.load.Stop()
	}
	if n.group != nil {
		_ = n.group.Remove(context.Background())
	}
}
