package runner

import (
	"context"
	"os"

	"plinth/internal/driver"
	"plinth/internal/figure"
	"plinth/internal/record"
	"plinth/internal/telemetry"
	"plinth/internal/telemetry/kernel"
)

// observe begins to read the machine and the driven server once a second; nil where
// the environment is not to be observed.
func (r *Runner) observe(ctx context.Context, w *witness) *telemetry.Collector {
	if r.experiment.TelemetryOf(w.driven.environment) == "off" {
		return nil
	}
	return telemetry.Start(ctx, r.lanes(w)...)
}

// lanesOf are the readers of this machine and of the server that is driven.
func lanesOf(w *witness) []telemetry.Lane {
	lanes := []telemetry.Lane{kernel.Lane(kernel.Options{
		Root: "/", Disks: record.Devices(w.driven.described.Volumes),
		Owners: map[string]func() int{
			"server":    func() int { return w.before.servers[w.driven].PID },
			"generator": w.generator,
			"plinth":    os.Getpid,
		},
	})}
	if lane, there := serverLane(w.driven.server); there {
		lanes = append(lanes, lane)
	}
	return lanes
}

// observed lays what was read beside the seconds of the run, and makes the figures
// of the whole from both.
func (r *Runner) observed(c *telemetry.Collector, p *place, run *record.Run, outcome *driver.Outcome) {
	if c != nil {
		c.Stop()
		columns, told := c.Columns(outcome.Begin, secondsOf(outcome.Points))
		outcome.Points.Columns = append(outcome.Points.Columns, columns...)
		run.Telemetry = &told
	}
	run.Figures, run.FigureGaps, run.Resources = figure.Of(figure.Input{
		Run: run, Points: outcome.Points, Environment: p.described, Inventory: r.inventory,
	})
}

func secondsOf(points record.Points) []float64 {
	if len(points.Columns) == 0 {
		return nil
	}
	return points.Columns[0].Values
}

// takeInventory writes down what the machine is. What can't be read is a gap; none
// at all costs no experiment, only what is known of it.
func (r *Runner) takeInventory(ctx context.Context) error {
	inventory, err := r.look(ctx, r.stage.directories())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		r.summary.Warnings = append(r.summary.Warnings, record.Note{Rule: "no-inventory", Text: err.Error()})
		return nil
	}
	r.inventory = &inventory
	return r.writer.WriteMachine(inventory)
}

// directories are the directories of the experiment's storage, by environment and role.
func (s *stage) directories() map[string]string {
	all := map[string]string{}
	for _, p := range s.places {
		for _, v := range p.described.Volumes {
			all[p.environment.Name+" "+v.Role] = v.Path
		}
	}
	return all
}
