package runner

import (
	"context"
	"time"

	"plinth/internal/neighbour"
	"plinth/internal/record"
)

// company is what goes on beside a load: emulated devices, a neighbour, events.
type company struct {
	keeper     *timekeeper
	neighbour  *neighbour.Load // nil where nobody presses
	pressed    string          // the role of its volume
	happenings *happenings
}

func (r *Runner) accompany(ctx context.Context, p *place) (*company, *failure) {
	c := &company{happenings: r.happen(ctx, p)}
	var err error
	if asked := pressureOf(p.environment); asked != nil {
		c.pressed = asked.Volume
		// A neighbour first fills its file, which is no part of what it is asked for.
		err = p.load(ctx, func() error { c.neighbour, err = r.press(ctx, p); return err })
	}
	if err != nil {
		c.leave()
		return nil, failed("pressure", err)
	}
	if c.keeper, err = p.newTimekeeper(ctx); err != nil {
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
		if err := c.neighbour.Err(); err != nil {
			return failed("pressure", err)
		}
		write, read := c.neighbour.Reached()
		run.Pressure = &record.Pressure{Volume: c.pressed, Write: write, Read: read}
	}
	if err := c.keeper.enter(ctx, run.Proofs); err != nil {
		return failed("emulated-device", err)
	}
	run.Events = c.happenings.end()
	return nil
}

// leave ends what still goes on. It may be called after end, too.
func (c *company) leave() {
	if c.neighbour != nil {
		_ = c.neighbour.Stop() // it ends with plinth at the latest
	}
	_ = c.happenings.end()
}

// processes are those of the company, by the names under which their CPU time is told
// apart from plinth's own.
func (c *company) processes(ctx context.Context, p *place) map[string]int {
	all := map[string]int{}
	for _, v := range p.emulated() {
		for i, e := range v.Emulators() {
			all[emulatorName(v, i)] = e.PID()
		}
	}
	if p.replica != nil {
		all["replica"] = p.replicaProcess(ctx)
	}
	if c.neighbour != nil {
		all["neighbour"] = c.neighbour.PID()
	}
	return all
}
