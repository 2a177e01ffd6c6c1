package runner

import (
	"context"
	"fmt"
	"strconv"

	"plinth/internal/device"
	"plinth/internal/emulator"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/runner/preview"
	"plinth/internal/volume"
)

// part of the ceiling that emulated devices may be asked for where their rates are
// made to fit: the server and the load generator need the machine as well.
const fitting = 0.5

// settleRates decides by which factor the rates of all emulated devices are
// multiplied, and of which form all are: it must be one, or they could not be compared.
// When an experiment is resumed it is that of its beginning.
func (r *Runner) settleRates(ctx context.Context) error {
	r.rateScale = 1
	demand, names, backing, err := preview.DemandOf(r.experiment)
	if err != nil || backing == "" {
		return err
	}
	if before, known := recordedEmulation(r.options.Resume); known {
		r.rateScale, r.form = before.RateScale, emulator.Form(before.Form)
		return nil
	}
	if r.form, err = volume.FormFor(ctx, r.launcher, preview.EmulatedDisks(r.experiment)); err != nil {
		return err
	}
	path, err := r.measurePath(ctx, backing)
	if err != nil {
		return err
	}
	ceiling := min(path.CeilingRead, path.CeilingWrite)
	share, fit := r.experiment.RateShare()
	if fit {
		share = fitted(demand, fitting*ceiling)
	}
	r.rateScale = share
	if r.rateScale*demand > ceiling {
		return &InputError{hint.Errorf("add emulated_rates: fit, which scales the rates of all emulated devices by one factor",
			"cannot emulate %s at %.0f IOPS: this machine lets %.0f through", names, r.rateScale*demand, ceiling)}
	}
	if err := slowEnough(r.experiment, path); err != nil {
		return &InputError{err}
	}
	r.view.Say(fmt.Sprintf("emulated devices (%s): a read takes %d µs by itself, a write %d; up to %.0f/s",
		r.form, (path.PathRead+500)/1000, (path.PathWrite+500)/1000, ceiling))
	if r.rateScale != 1 {
		r.view.Say(fmt.Sprintf("IOPS and throughput of all emulated devices are multiplied by %.3g", r.rateScale))
	}
	return nil
}

// slowEnough refuses models that are more than twice as fast as the way to an emulated
// device and back: what they say could not be had. That way takes longer while others
// are at work on the machine, so a device that is only a little faster is left to the
// proofs before each run. With a write cache it is the durable write that counts.
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
						return hint.Errorf("choose a slower device; pass-through is the disk here, as fast as it is",
							"cannot emulate %s in %s: a %s takes %v, and the way to an emulated device and back %s on this machine",
							m.Name, environment.Name, of.kind, takes, microseconds(of.path))
					}
				}
			}
		}
	}
	return nil
}

// fitted is the factor, of two digits and at most 1, that brings demand below most.
func fitted(demand, most float64) float64 {
	if demand <= most {
		return 1
	}
	text := strconv.FormatFloat(most/demand, 'e', 1, 64)
	factor, _ := strconv.ParseFloat(text, 64) // what was just printed can be read
	return factor
}

// recordedEmulation is how a record began to emulate.
func recordedEmulation(rec *record.Record) (e record.Emulation, known bool) {
	if rec == nil {
		return e, false
	}
	for _, environment := range rec.Environments {
		for _, v := range environment.Volumes {
			if v.Emulation != nil {
				return *v.Emulation, true
			}
		}
	}
	return e, false
}

// measurePath measures what the way to an emulated device and back costs on this
// machine, on one that adds nothing, which is made for that and removed.
func (r *Runner) measurePath(ctx context.Context, backing string) (record.Emulation, error) {
	r.now(Status{Step: "measuring", Detail: "what an emulated device costs here"})
	v, err := volume.Make(ctx, volume.Options{
		Journal: r.journal, Launcher: r.launcher, Name: "plinth-" + r.runID() + "-path", Size: 64 << 20, Form: r.form,
	}, experiment.Part{Role: experiment.RoleData, Name: experiment.RoleData, Volume: preview.PassThrough(backing)})
	if err != nil {
		return record.Emulation{}, err
	}
	return *v.Facts().Emulation, v.Remove(ctx)
}

func microseconds(ns int64) string { return fmt.Sprintf("%d µs", (ns+500)/1000) }
