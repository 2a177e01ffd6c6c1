package inspect

import (
	"context"
	"os"
	"time"

	"plinth/internal/record"
	"plinth/internal/telemetry"
	"plinth/internal/telemetry/kernel"
)

// lead is how long is read before the first second of a watch: the inspection's
// session and the first round of questions make transactions of their own, which the
// server may tell of a second later.
const lead = 1200 * time.Millisecond

// Watch reads what was inspected once a second, for a while of whole seconds; tick
// is told how long it has. It costs the machine and the server what telemetry does.
// Where ctx ends before, there is its error, and what was seen in the whole seconds
// until then; nil where there was none.
func Watch(ctx context.Context, target Target, seen Inspection, length time.Duration, tick func(done time.Duration)) (*Watched, error) {
	lanes, err := lanesOf(target, seen)
	if err != nil {
		return nil, err
	}
	begin := time.Now().Add(lead).UTC().Truncate(time.Millisecond)
	// What is read in the second in which ctx ends is still to be read.
	collector := telemetry.Start(context.WithoutCancel(ctx), lanes...)
	defer collector.Stop()
	collector.Align(begin)
	err = sit(ctx, begin.Add(length+50*time.Millisecond), length, tick)
	whole := int(min(length, time.Since(begin)) / time.Second)
	collector.Stop()
	if whole < 1 {
		return nil, err
	}
	w := &Watched{
		Run:         record.Run{Schema: record.RunSchema, Status: record.Valid, Started: begin},
		Environment: environmentOf(target, seen), Asked: int(length / time.Second),
	}
	w.fill(collector, begin, whole, &seen.Machine, target.engine().done)
	return w, err
}

// sit waits until the end, or until ctx does.
func sit(ctx context.Context, end time.Time, length time.Duration, tick func(time.Duration)) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	over := time.NewTimer(time.Until(end))
	defer over.Stop()
	for {
		tick(min(length, max(0, length-time.Until(end))))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-over.C:
			return nil
		case <-ticker.C:
		}
	}
}

// lanesOf are the readers of this machine, and of the server that is inspected.
func lanesOf(target Target, seen Inspection) ([]telemetry.Lane, error) {
	o := kernel.Options{
		Root: "/", Disks: record.Devices(environmentOf(target, seen).Volumes), Owners: map[string]func() int{"plinth": os.Getpid},
	}
	if seen.PID > 0 {
		o.Owners["server"] = func() int { return seen.PID }
	}
	lanes := []telemetry.Lane{kernel.Lane(o)}
	if target.Server == "" {
		return lanes, nil
	}
	lane, err := target.engine().lane(target.Server, seen)
	if err != nil {
		return nil, err
	}
	return append(lanes, lane), nil
}

// environmentOf is what was inspected as an experiment would describe it.
func environmentOf(target Target, seen Inspection) record.Environment {
	var e record.Environment
	for _, p := range seen.Machine.Places {
		e.Volumes = append(e.Volumes, record.Volume{
			Role: p.Role, Path: p.Path, Filesystem: p.Filesystem, Options: p.Options, Source: p.Source,
			Size: p.Size, Free: p.Free, Device: p.Device(), Disks: p.Disks,
		})
	}
	if !seen.OfServer() {
		return e
	}
	target.engine().describe(seen, &e)
	if seen.Here {
		e.Dataset.Memory = seen.Machine.Memory.Total
	}
	return e
}
