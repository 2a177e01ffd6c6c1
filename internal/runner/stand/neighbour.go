package stand

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

// PressureOf returns the neighbour's load that an environment asks for; nil for none.
func PressureOf(e experiment.Environment) *record.Pressure {
	s := e.Pressure
	if s == (experiment.Pressure{Volume: s.Volume}) {
		return nil
	}
	asked := &record.Pressure{Write: float64(s.Write), Read: float64(s.Read), Memory: float64(s.Memory), CPU: float64(s.CPU)}
	if s.Write > 0 || s.Read > 0 {
		asked.Volume = cmp.Or(s.Volume, experiment.RoleData)
	}
	return asked
}

// Pressure returns the neighbour's target load. On an emulated volume with scaled rates it is
// scaled by the same factor, so that the neighbour uses the same share of the volume.
func (s *Stand) Pressure(scale float64) *record.Pressure {
	asked := PressureOf(s.Environment)
	if asked == nil || asked.Volume == "" {
		return asked
	}
	if v := s.volume(asked.Volume); v.Facts().Emulation != nil {
		asked.Write, asked.Read = asked.Write*scale, asked.Read*scale
	}
	return asked
}

// Neighbour is the load that runs beside the benchmark in an environment.
type Neighbour struct {
	Load   *neighbour.Load
	asked  *record.Pressure
	memory float64      // of the machine, in bytes
	group  *limit.Group // nil if it only loads a volume
}

// Press starts the neighbour of an environment, which loads its volume, memory and CPUs until
// it is stopped. Its file is removed with the volume. Memory is the machine's, in bytes.
func (b *Builder) Press(ctx context.Context, s *Stand, memory int64) (*Neighbour, error) {
	n := &Neighbour{asked: s.Pressure(b.Rates.Scale), memory: float64(memory)}
	o := neighbour.Options{Write: unit.Rate(n.asked.Write), Read: unit.Rate(n.asked.Read),
		Memory: unit.Size(n.asked.Memory * n.memory), CPU: int(n.asked.CPU)}
	if n.asked.Volume != "" {
		o.Directory = filepath.Dir(s.volume(n.asked.Volume).Path)
	}
	var err error
	if o.Memory > 0 || o.CPU > 0 {
		// On the server's CPUs, if the load generator has CPUs reserved for it.
		var cpus []int
		if s.Group != nil && len(s.Group.Rest()) > 0 {
			cpus = s.Group.CPUs()
		}
		if n.group, err = limit.MakeBeside(b.journal, s.Environment.Name+"-neighbour", cpus...); err != nil {
			return nil, err
		}
		o.Groups = n.group.Directories()
	}
	if n.Load, err = neighbour.Start(ctx, b.launcher, o); err != nil {
		n.Stop()
		return nil, err
	}
	return n, nil
}

// Reached returns the load that was reached, or an error if the neighbour exited early. With a
// memory load, being killed is not an error: it is the first process to be killed when memory
// runs out.
func (n *Neighbour) Reached() (*record.Pressure, error) {
	err := n.Load.Err()
	killed := n.asked.Memory > 0 && errors.Is(err, neighbour.ErrKilled)
	if err != nil && !killed {
		return nil, err
	}
	r := n.Load.Reached()
	return &record.Pressure{Volume: n.asked.Volume, Write: r.Write, Read: r.Read,
		Memory: float64(r.Memory) / n.memory, Swapped: float64(r.Swapped) / n.memory,
		CPU: r.CPU, Waiting: r.Waiting, Killed: killed}, nil
}

// Stop stops the neighbour. It may be called twice. If it fails, the neighbour ends with plinth
// at the latest, and its group is in the journal.
func (n *Neighbour) Stop() {
	if n.Load != nil {
		_ = n.Load.Stop()
	}
	if n.group != nil {
		_ = n.group.Remove(context.Background())
	}
}
