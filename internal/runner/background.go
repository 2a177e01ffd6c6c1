package runner

import (
	"context"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/runner/stand"
)

// background holds what runs beside a load: emulated devices, a neighbour, events.
type background struct {
	keeper    *stand.Timekeeper
	neighbour *stand.Neighbour // nil without a neighbour
	events    *eventRunner
}

func (r *Runner) startBackground(ctx context.Context, p *stand.Stand) (*background, *failure) {
	c := &background{events: &eventRunner{events: r.experiment.Events, ctx: ctx, do: func(ctx context.Context, e experiment.Event) error {
		return r.carryOut(ctx, p, e)
	}}}
	var err error
	if stand.PressureOf(p.Environment) != nil {
		// A neighbour first fills its file, which is not part of the requested load.
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

// begun starts the events' clock at the beginning of the measured window.
func (c *background) begun(window time.Time) { c.events.begun(window) }

// end waits for events that have begun, and records in the run what the background load did.
func (c *background) end(ctx context.Context, run *record.Run) *failure {
	if c.neighbour != nil {
		var err error
		if run.Pressure, err = c.neighbour.Reached(); err != nil {
			return failed("pressure", err)
		}
	}
	if err := c.keeper.Enter(ctx, run.Calibrations); err != nil {
		return failed("emulated-device", err)
	}
	run.Events = c.events.end()
	return nil
}

// leave stops the neighbour and the events. It may be called after end, too.
func (c *background) leave() {
	if c.neighbour != nil {
		c.neighbour.Stop()
	}
	_ = c.events.end()
}

// processes returns the PIDs of the processes beside the load, keyed by the name under which
// their CPU time is accounted separately from plinth's.
func (c *background) processes(ctx context.Context, p *stand.Stand) map[string]int {
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
