package stand

import (
	"context"
	"fmt"
	"strconv"

	"plinth/internal/device"
	"plinth/internal/emulator"
	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/runner/preview"
	"plinth/internal/volume"
)

// fitting is the share of the ceiling that emulated devices may use when their rates are
// fitted: the server and the load generator need CPU time, too.
const fitting = 0.5

// Rates holds the factor by which the rates of all emulated devices are multiplied, and their
// form. One value applies to all devices, which could not be compared otherwise.
type Rates struct {
	Scale float64
	Form  emulator.Form
}

// MeasureRates chooses the rates, and returns lines about the cost of an emulated device here.
// A device that this machine cannot emulate is an *engine.MistakeError.
func (b *Builder) MeasureRates(ctx context.Context) (said []string, err error) {
	b.Rates.Scale = 1
	demand, names, backing, err := preview.DemandOf(b.experiment)
	if err != nil || backing == "" {
		return nil, err
	}
	if b.Rates.Form, err = volume.FormFor(ctx, b.launcher, preview.EmulatedDisks(b.experiment)); err != nil {
		return nil, err
	}
	path, err := b.measurePath(ctx, backing)
	if err != nil {
		return nil, err
	}
	ceiling := min(path.CeilingRead, path.CeilingWrite)
	share, fit := b.experiment.RateShare()
	if fit {
		share = fitted(demand, fitting*ceiling)
	}
	b.Rates.Scale = share
	if share*demand > ceiling {
		return nil, &engine.MistakeError{Err: hint.Errorf("add emulated_rates: fit, which scales the rates of all emulated devices by one factor",
			"cannot emulate %s at %.0f IOPS: this machine can emulate at most %.0f", names, share*demand, ceiling)}
	}
	if err := slowEnough(b.experiment, path); err != nil {
		return nil, &engine.MistakeError{Err: err}
	}
	said = append(said, fmt.Sprintf("emulated devices (%s): round trip %d µs for a read, %d µs for a write; up to %.0f/s",
		b.Rates.Form, (path.PathRead+500)/1000, (path.PathWrite+500)/1000, ceiling))
	if share != 1 {
		said = append(said, fmt.Sprintf("IOPS and throughput of all emulated devices are multiplied by %.3g", share))
	}
	return said, nil
}

// UseRates uses given rates. Without a form, devices have the one that this machine supports.
func (b *Builder) UseRates(ctx context.Context, given Rates) (err error) {
	b.Rates = given
	if devices := preview.EmulatedDisks(b.experiment); given.Form == "" && devices > 0 {
		b.Rates.Form, err = volume.FormFor(ctx, b.launcher, devices)
	}
	return err
}

// slowEnough refuses models more than twice as fast as the round trip to an emulated device,
// since their latencies cannot be reached. That round trip is longer on a busy machine, so a
// device that is only a little faster is left to the verification before each run. For writes
// the durable write counts: the write plus a flush.
func slowEnough(e *experiment.Experiment, path record.Emulation) error {
	for _, environment := range e.Environments {
		for _, part := range environment.Parts() {
			models, err := part.Volume.Models()
			if err != nil {
				return err
			}
			for _, m := range models {
				for _, of := range []struct {
					kind device.Kind
					path int64
				}{{device.Read, path.PathRead}, {device.Write, path.PathWrite}} {
					takes := m.Quantile(of.kind, 0.5)
					if of.kind == device.Write {
						takes += m.Quantile(device.Flush, 0.5)
					}
					if takes > 0 && 2*takes.Nanoseconds() < of.path {
						return hint.Errorf("choose a slower device, or pass-through, which adds no delay to the disk",
							"cannot emulate %s in %s: a %s takes %v, but the round trip to an emulated device takes %d µs on this machine",
							m.Name, environment.Name, of.kind, takes, (of.path+500)/1000)
					}
				}
			}
		}
	}
	return nil
}

// fitted returns the factor, of two digits and at most 1, that scales demand down to most.
func fitted(demand, most float64) float64 {
	if demand <= most {
		return 1
	}
	text := strconv.FormatFloat(most/demand, 'e', 1, 64)
	factor, _ := strconv.ParseFloat(text, 64) // just printed, so it parses
	return factor
}

// measurePath measures the round trip to an emulated device on this machine, on a temporary
// device without delays.
func (b *Builder) measurePath(ctx context.Context, backing string) (record.Emulation, error) {
	v, err := volume.Make(ctx, volume.Options{
		Journal: b.journal, Launcher: b.launcher, Name: "plinth-" + b.id + "-path", Size: 64 << 20, Form: b.Rates.Form,
	}, experiment.Part{Role: experiment.RoleData, Name: experiment.RoleData, Volume: preview.PassThrough(backing)})
	if err != nil {
		return record.Emulation{}, err
	}
	return *v.Facts().Emulation, v.Remove(ctx)
}
