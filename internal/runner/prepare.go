package runner

import (
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
	"plinth/internal/runner/stand"
	"plinth/internal/validity"
	"plinth/internal/volume"
)

// prepare starts every environment, loads its dataset and records what is really under test.
func (r *Runner) prepare(ctx context.Context) error {
	r.stage = &stand.Stage{SideBySide: r.preview.SideBySide, Host: r.host, Caches: r.experiment.Caches}
	if err := r.host.Take(r.journal, r.label()); err != nil {
		return &InputError{err}
	}
	var err error
	if r.scratch, err = volume.PipeDir(r.journal); err != nil {
		return err
	}
	r.builder = stand.NewBuilder(r.tuning, r.journal, r.launcher, r.scratch)
	r.builder.Making = func(environment, role string) {
		r.progress.now(Status{Step: "creating", Environment: environment, Detail: "the " + role + " volume"})
	}
	if err := r.stayAwake(ctx); err != nil {
		return err
	}
	if preview.EmulatedDisks(r.experiment) > 0 {
		if err := r.settleRates(ctx); err != nil {
			return err
		}
	}
	for _, e := range r.inLoadingOrder() {
		if err := r.prepareOne(ctx, e); err != nil {
			return fmt.Errorf("environment %s: %w", e.Name, err)
		}
	}
	if err := r.takeInventory(ctx); err != nil {
		return err
	}
	r.book.summary.SideBySide = r.preview.SideBySide
	r.book.summary.Warnings = append(r.book.summary.Warnings, r.parity()...)
	if resume := r.options.Resume; resume == nil || len(resume.Environments) == 0 { // otherwise these warnings are in the record already
		r.book.summary.Warnings = append(r.book.summary.Warnings, validity.Whole(r.experiment, r.book.environments)...)
	}
	return r.book.save(record.Running, "")
}

func (r *Runner) prepareOne(ctx context.Context, e experiment.Environment) error {
	r.progress.now(Status{Step: "starting", Environment: e.Name})
	p, err := r.putUp(ctx, e)
	if err != nil {
		return err
	}
	r.stage.Stands = append(r.stage.Stands, p)
	if err := r.stage.BringUp(ctx, p, func(progress engine.Progress) { r.loading(e.Name, progress) }); err != nil {
		return err
	}
	if err := p.Describe(ctx, r.builder.Rates.Scale); err != nil {
		return err
	}
	p.Described.Tuning = r.tuning.Recorded(e.Name, r.host.Knobs(), p.TunedKnobs())
	r.book.environments[e.Name] = p.Described
	r.progress.view.Say(loaded(p.Described, experiment.TermsOf(r.experiment.Engine)))
	return r.describe(p)
}

// describe writes environments/NAME.json. A resumed experiment must find the server that it
// began with.
func (r *Runner) describe(p *stand.Stand) error {
	if resume := r.options.Resume; resume != nil {
		if before, known := resume.Environments[p.Environment.Name]; known {
			if differences := changed(before, p.Described); len(differences) > 0 {
				return &MachineChangedError{differences}
			}
			r.book.summary.Warnings = append(r.book.summary.Warnings, record.Note{
				Rule: "reloaded",
				Text: fmt.Sprintf("the dataset of %s was loaded again when the experiment was resumed at %s",
					p.Environment.Name, time.Now().UTC().Format(time.RFC3339)),
			})
			return nil
		}
	}
	return r.book.writer.WriteEnvironment(p.Described)
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
	if e.Dataset.Rows > 0 {
		text += fmt.Sprintf(", %d %ss loaded in %.1f s", e.Dataset.Rows, w.Row, e.Dataset.Duration)
	}
	return text
}

// settleRates chooses the rates of all emulated devices: those of the resumed record, or what
// this machine can emulate.
func (r *Runner) settleRates(ctx context.Context) error {
	if before, known := recordedEmulation(r.options.Resume); known {
		r.builder.Rates = stand.Rates{Scale: before.RateScale, Form: emulator.Form(before.Form)}
		return nil
	}
	r.progress.now(Status{Step: "measuring", Detail: "the overhead of emulated devices"})
	said, err := r.builder.MeasureRates(ctx)
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
	for _, s := range r.stage.Stands {
		if s.Environment.Name == r.experiment.Baseline {
			continue
		}
		for _, note := range engines.Parity(baseline, s.Described) {
			note.Environment = s.Environment.Name
			notes = append(notes, note)
		}
	}
	return notes
}
