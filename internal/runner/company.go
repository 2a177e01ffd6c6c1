package runner

import (
	"context"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/runner/stand"
)

// company is what goes on beside a load: emulated devices, a neighbour, events.
type company struct {
	keeper     *stand.Timekeeper
	neighbour  *stand.Neighbour // nil where nobody presses
	happenings *happenings
}

func (r *Runner) accompany(ctx context.Context, p *stand.Stand) (*company, *failure) {
	c := &company{happenings: &happenings{events: r.experiment.Events, ctx: ctx, do: func(ctx context.Context, e experiment.Event) error {
		return r.carryOut(ctx, p, e)
	}}}
	var err error
	if stand.PressureOf(p.Environment) != nil {
		// A neighbour first fills its file, which is no part of what it is asked for.
		err = p.Freely(ctx, func() error { c.neighbour, err = r.builder.Press(ctx, p, r.book.summary.Machine.Memory); return err })
	}
	if err != nil {
		c.leave()
		return nil, failed("pressure", err)
	}
	if c.keeper, err = p.NewTimekeeper(ctx); err != nil {
		c.leave()
		return nil, failed("emulated-device", err)
	}
	return c, nil
}

// begun is told when the measured window begins.
func (c *company) begun(window time.Time) { c.happenings.begun(window) }

// end waits for events that have begun, and enters what the company did into the run.
func (c *company) end(ctx context.Context, run *record.Run) *failure {
	if c.neighbour != nil {
		var err error
		if run.Pressure, err = c.neighbour.Reached(); err != nil {
			return failed("pressure", err)
		}
	}
	if err := c.keeper.Enter(ctx, run.Proofs); err != nil {
		return failed("emulated-device", err)
	}
	run.Events = c.happenings.end()
	return nil
}

// leave ends what still goes on. It may be called after end, too.
func (c *company) leave() {
	if c.neighbour != nil {
		c.neighbour.Stop()
	}
	_ = c.happenings.end()
}

// processes are those of the company, by the names under which their CPU time is told
// apart from plinth's own.
func (c *company) processes(ctx context.Context, p *stand.Stand) map[string]int {
	all := map[string]int{}
	for _, v := range p.Emulated() {
		for i, e := range v.Emulators() {
			all[stand.EmulatorName(v, i)] = e.PID()
		}
	}
	if p.Replica != nil {
		all["replica"] = p.ReplicaProcess(ctx)
	}
	if c.neighbour != nil {
		all["neighbour"] = c.neighbour.Load.PID()
	}
	return all
}
