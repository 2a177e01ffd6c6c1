package site

import (
	"context"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/limit"
	"plinth/internal/record"
	"plinth/internal/runner/stand"
)

// background holds what runs beside a load: emulated devices, a neighbour, CPU credits, events.
type background struct {
	keeper    *stand.Timekeeper
	neighbour *stand.Neighbour // nil without a neighbour
	meter     *limit.Meter     // nil without CPU credits
	window    time.Time        // the beginning of the measured window
	events    *eventRunner
	proofs    []record.Calibration // of the emulated devices before the load
}

func (l *Local) startBackground(ctx context.Context, p *stand.Stand) (*background, error) {
	c := &background{events: &eventRunner{events: l.experiment.Events, ctx: ctx, do: func(ctx context.Context, e experiment.Event) error {
		return l.carryOut(ctx, p, e)
	}}}
	var err error
	if stand.PressureOf(p.Environment) != nil {
		// A neighbour first fills its file, which is not part of the requested load.
		err = p.Freely(ctx, func() error { c.neighbour, err = l.builder.Press(ctx, p, l.facts.Memory); return err })
	}
	if err != nil {
		c.leave()
		return nil, failed("pressure", err)
	}
	if c.keeper, err = p.NewTimekeeper(ctx); err != nil {
		c.leave()
		return nil, failed("emulated-device", err)
	}
	if c.meter, err = p.Group.StartMeter(); err != nil {
		c.leave()
		return nil, failed("cpu-credits", err)
	}
	return c, nil
}

// begun starts the events' clock at the beginning of the measured window.
func (c *background) begun(window time.Time) {
	c.window = window
	c.events.begun(window)
}

// end waits for events that have begun, and records what ran beside the load.
func (c *background) end(ctx context.Context, account *Account) error {
	if c.neighbour != nil {
		var err error
		if account.Pressure, err = c.neighbour.Reached(); err != nil {
			return failed("pressure", err)
		}
	}
	if err := c.keeper.Enter(ctx, c.proofs); err != nil {
		return failed("emulated-device", err)
	}
	if c.meter != nil {
		spent, err := c.meter.Stop(c.window)
		if err != nil {
			return failed("cpu-credits", err)
		}
		account.Credits = &spent
	}
	account.Calibrations = c.proofs
	account.Events = c.events.end()
	return nil
}

// leave stops the neighbour, the meter and the events. It may be called after end, too.
func (c *background) leave() {
	if c.neighbour != nil {
		c.neighbour.Stop()
	}
	if c.meter != nil {
		_, _ = c.meter.Stop(c.window) // end reports its error
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
