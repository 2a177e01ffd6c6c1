package runner

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"plinth/internal/emulator"
	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/runner/engines"
	"plinth/internal/runner/preview"
	"plinth/internal/runner/site"
	"plinth/internal/runner/stand"
	"plinth/internal/validity"
)

// prepare starts every environment, loads its dataset and records what is really under test.
func (r *Runner) prepare(ctx context.Context) error {
	if preview.EmulatedDisks(r.experiment) > 0 {
		if err := r.settleRates(ctx); err != nil {
			return err
		}
	}
	for _, e := range r.inLoadingOrder() {
		if err := r.putUp(ctx, e.Name); err != nil {
			return site.InEnvironment(e.Name, err)
		}
	}
	if err := r.takeInventory(ctx); err != nil {
		return err
	}
	r.book.forget("parity-") // of before the experiment was interrupted
	r.book.warn(r.parity()...)
	r.book.warn(validity.Whole(r.experiment, r.book.environments)...)
	return r.book.save(record.Running, "")
}

func (r *Runner) putUp(ctx context.Context, name string) error {
	r.progress.now(Status{Step: "starting", Environment: name})
	described, err := r.site.PutUp(ctx, name, r.steps(name))
	if err != nil {
		return err
	}
	r.book.environments[name] = described
	r.progress.view.Say(loaded(described, experiment.TermsOf(r.experiment.Engine)))
	return r.describe(described)
}

// steps shows the steps of putting up an environment.
func (r *Runner) steps(environment string) func(site.Step) {
	return func(s site.Step) {
		if s.Name == "loading" {
			r.loading(environment, s.Load)
			return
		}
		r.progress.now(Status{Step: s.Name, Environment: environment, Detail: s.Detail})
	}
}

// describe writes environments/NAME.json. A resumed experiment must find the server that it
// began with.
func (r *Runner) describe(e record.Environment) error {
	if resume := r.options.Resume; resume != nil {
		if before, known := resume.Environments[e.Name]; known {
			if differences := changed(before, e); len(differences) > 0 {
				return &MachineChangedError{differences}
			}
			if e.DataOf != "" {
				return nil
			}
			r.book.summary.Warnings = append(r.book.summary.Warnings, record.Note{
				Rule: "reloaded",
				Text: fmt.Sprintf("the dataset of %s was loaded again when the experiment was resumed at %s",
					e.Name, time.Now().UTC().Format(time.RFC3339)),
			})
			return nil
		}
	}
	return r.book.writer.WriteEnvironment(e)
}

// changed lists the differences between an environment now and at the beginning of the
// experiment: with any of them its blocks would no longer be comparable. Round-trip times are
// left out, since they vary anyway.
func changed(before, now record.Environment) []string {
	var differences []string
	for _, note := range engines.Parity(before, now) {
		if note.Rule != "parity-round-trip" {
			differences = append(differences, note.Text+" (at the start / now)")
		}
	}
	if before.DataOf != now.DataOf {
		differences = append(differences, fmt.Sprintf("%s: it used the data of %s at the start, and uses that of %s now",
			before.Name, cmp.Or(before.DataOf, before.Name), cmp.Or(now.DataOf, now.Name)))
	}
	volumes := now.AllVolumes()
	for i, volume := range before.AllVolumes() {
		if i >= len(volumes) {
			break
		}
		if then, today := stand.LiesOn(volume), stand.LiesOn(volumes[i]); then != today {
			differences = append(differences, fmt.Sprintf("%s: its %s was on %s at the start, and is on %s now", before.Name, volume.Role, then, today))
		}
	}
	return differences
}

func (r *Runner) loading(environment string, progress engine.Progress) {
	detail := progress.Step
	if progress.Rows > 0 {
		detail = fmt.Sprintf("%s, %d %%", progress.Step, 100*progress.Done/progress.Rows)
	}
	if seconds := progress.Elapsed.Seconds(); progress.Done > 0 && seconds > 0 {
		detail += fmt.Sprintf(", %.0f %ss/s", float64(progress.Done)/seconds, experiment.TermsOf(r.experiment.Engine).Row)
	}
	r.progress.now(Status{Step: "loading", Environment: environment, Detail: detail, Left: r.progress.left()})
}

// loaded returns the message about what an environment holds.
func loaded(e record.Environment, w experiment.Terms) string {
	version, _, _ := strings.Cut(e.Version, " ") // "15.18 (Debian 15.18-0+deb12u1)"
	text := fmt.Sprintf("%s: %s %s", e.Name, e.Server, version)
	switch {
	case e.DataOf != "":
		text += ", with the data of " + e.DataOf
	case e.Dataset.Rows > 0:
		text += fmt.Sprintf(", %d %ss loaded in %.1f s", e.Dataset.Rows, w.Row, e.Dataset.Duration)
	}
	return text
}

// settleRates chooses the rates of all emulated devices: those of the resumed record, or what
// this machine can emulate.
func (r *Runner) settleRates(ctx context.Context) error {
	if before, known := recordedEmulation(r.options.Resume); known {
		rates := stand.Rates{Scale: before.RateScale, Form: emulator.Form(before.Form)}
		if len(r.options.Resume.Summary.Machines) > 1 { // each has its own form
			rates.Form = ""
		}
		_, _, err := r.site.SettleRates(ctx, &rates)
		return err
	}
	r.progress.now(Status{Step: "measuring", Detail: "the overhead of emulated devices"})
	_, said, err := r.site.SettleRates(ctx, nil)
	for _, line := range said {
		r.progress.view.Say(line)
	}
	return err
}

// recordedEmulation returns the emulation settings with which a record began.
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

// parity lists undeclared differences between each environment and the baseline.
func (r *Runner) parity() []record.Note {
	baseline := r.book.environments[r.experiment.Baseline]
	var notes []record.Note
	for _, e := range r.experiment.Environments {
		if e.Name == r.experiment.Baseline {
			continue
		}
		for _, note := range engines.Parity(baseline, r.book.environments[e.Name]) {
			note.Environment = e.Name
			notes = append(notes, note)
		}
		if note, apart := r.machinesApart(e); apart {
			notes = append(notes, note)
		}
	}
	return notes
}

// takeInventory keeps the inventories of all machines and records that of the baseline's. Values that
// cannot be read are gaps; if an inventory fails, the experiment goes on with a warning.
func (r *Runner) takeInventory(ctx context.Context) error {
	inventories, notes, err := r.site.Inventories(ctx)
	if stop := ended(ctx, err); stop != nil {
		return stop
	}
	if err != nil {
		r.book.warn(record.Note{Rule: "no-inventory", Text: err.Error()})
		return nil
	}
	r.inventories = inventories
	r.book.warn(notes...)
	if main := r.inventoryOf(r.experiment.Baseline); main != nil {
		return r.book.writer.WriteMachine(*main)
	}
	return nil
}
