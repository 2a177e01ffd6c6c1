package runner

import (
	"context"
	"time"

	"plinth/internal/record"
)

// company is what goes on beside a load: emulated devices, a neighbour, events.
type company struct {
	keeper     *timekeeper
	neighbour  *presser // nil where nobody presses
	happenings *happenings
}

func (r *Runner) accompany(ctx context.Context, p *place) (*company, *failure) {
	c := &company{happenings: r.happen(ctx, p)}
	var err error
	if pressureOf(p.environment) != nil {
		// A neighbour first fills its file, which is no part of what it is asked for.
		err = p.freely(ctx, func() error { c.neighbour, err = r.builder.press(ctx, p, r.summary.Machine.Memory); return err })
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
		var err error
		if run.Pressure, err = c.neighbour.reached(); err != nil {
			return failed("pressure", err)
		}
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
		c.neighbour.stop()
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
		all["neighbour"] = c.neighbour.load.PID()
	}
	return all
}
