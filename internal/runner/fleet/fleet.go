// Package fleet makes one site of several machines. Each environment is put up on its own machine,
// and one load generator at a time drives the environment whose turn it is.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"plinth/internal/driver"
	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/runner/agent"
	"plinth/internal/runner/site"
	"plinth/internal/runner/stand"
)

// A Member is a machine of a fleet.
type Member struct {
	At   string // as in the experiment file; empty for the machine that plinth was started on
	Site site.Site
}

// Fleet is the site of all machines of an experiment.
type Fleet struct {
	members []Member
	of      map[string]int // the member of each environment
	current int            // the member whose environment is under load
}

var _ site.Site = (*Fleet)(nil)

// New returns the site of an experiment whose environments are on members.
func New(e *experiment.Experiment, members []Member) (*Fleet, error) {
	f := &Fleet{members: members, of: map[string]int{}}
	for _, environment := range e.Environments {
		at := environment.At.Machine()
		i := slices.IndexFunc(members, func(m Member) bool { return m.At == at })
		if i < 0 {
			return nil, fmt.Errorf("environment %s is at %s, which is not a machine of the experiment", environment.Name, at)
		}
		f.of[environment.Name] = i
	}
	return f, nil
}

// each calls do for each member, and names the machine of an error.
func (f *Fleet) each(do func(m Member) error) error {
	for _, m := range f.members {
		if err := do(m); err != nil {
			return m.name(err)
		}
	}
	return nil
}

// name adds the machine to an error that does not name it.
func (m Member) name(err error) error {
	if err == nil || m.At == "" || errors.As(err, new(*agent.LostError)) {
		return err
	}
	return fmt.Errorf("%s: %w", m.At, err)
}

// member returns the member of an environment.
func (f *Fleet) member(environment string) Member { return f.members[f.of[environment]] }

// Machines describes all machines.
func (f *Fleet) Machines(ctx context.Context) (all []site.Machine, err error) {
	err = f.each(func(m Member) error {
		machines, err := m.Site.Machines(ctx)
		for _, machine := range machines {
			machine.At = m.At
			all = append(all, machine)
		}
		return err
	})
	return all, err
}

// Open takes all machines.
func (f *Fleet) Open(ctx context.Context, o site.Opening) (all site.Opened, err error) {
	all.Awake = true
	if o.Awake != nil && !*o.Awake {
		o.Awake = nil // not all of them were kept awake; each decides as it did when the experiment began
	}
	err = f.each(func(m Member) error {
		opened, err := m.Site.Open(ctx, o)
		all.Awake = all.Awake && opened.Awake
		for _, line := range opened.Said {
			all.Said = append(all.Said, m.said(line))
		}
		all.Notes = append(all.Notes, opened.Notes...)
		return err
	})
	if err != nil {
		return all, err
	}
	machines, err := f.Machines(ctx)
	all.Notes = append(all.Notes, oneKernel(machines)...)
	return all, err
}

// oneKernel warns of machines that are one: two names of a host, or two containers on it.
func oneKernel(machines []site.Machine) (notes []record.Note) {
	for i, m := range machines {
		for _, other := range machines[:i] {
			if m.Boot == "" || m.Boot != other.Boot {
				continue
			}
			notes = append(notes, record.Note{Rule: "one-kernel",
				Text: fmt.Sprintf("%s and %s have one kernel: the servers of both stay up side by side, and the work of each counts as that of other processes for the other",
					record.MachineName(other.At), record.MachineName(m.At)),
				Hint: "if they are one machine, give its environments the same at"})
		}
	}
	return notes
}

// said adds the machine to a line for the user.
func (m Member) said(line string) string {
	if m.At == "" {
		return line
	}
	return m.At + ": " + line
}

// Close closes all sites, and continues after a failure.
func (f *Fleet) Close(ctx context.Context) error {
	var failures []error
	for _, m := range f.members {
		failures = append(failures, m.name(m.Site.Close(ctx)))
	}
	return errors.Join(failures...)
}

// SettleRates chooses the lowest rates that a machine can emulate, for all of them: devices on
// several machines could not be compared otherwise. Each machine keeps its form of device.
func (f *Fleet) SettleRates(ctx context.Context, given *stand.Rates) (stand.Rates, []string, error) {
	rates, lowest, said := make([]stand.Rates, len(f.members)), stand.Rates{}, []string(nil)
	for i, m := range f.members {
		r, lines, err := m.Site.SettleRates(ctx, given)
		if err != nil {
			return lowest, said, m.name(err)
		}
		for _, line := range lines {
			said = append(said, m.said(line))
		}
		rates[i] = r
		if i == 0 || r.Scale < lowest.Scale {
			lowest = r
		}
	}
	for i, m := range f.members {
		if rates[i].Scale == lowest.Scale {
			continue
		}
		if _, _, err := m.Site.SettleRates(ctx, &stand.Rates{Scale: lowest.Scale, Form: rates[i].Form}); err != nil {
			return lowest, said, m.name(err)
		}
		said = append(said, m.said(fmt.Sprintf("its emulated devices have the factor of the slowest machine, %.3g", lowest.Scale)))
	}
	return lowest, said, nil
}

// PutUp creates an environment on its machine.
func (f *Fleet) PutUp(ctx context.Context, environment string, report func(site.Step)) (record.Environment, error) {
	m := f.member(environment)
	e, err := m.Site.PutUp(ctx, environment, report)
	e.At = m.At
	return e, m.name(err)
}

// Inventories describes all machines in detail.
func (f *Fleet) Inventories(ctx context.Context) (all []site.Inventory, notes []record.Note, err error) {
	for _, m := range f.members {
		inventories, more, err := m.Site.Inventories(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil:
			more = append(more, record.Note{Rule: "no-inventory", Text: m.name(err).Error()})
		}
		for _, i := range inventories {
			i.At = m.At
			all = append(all, i)
		}
		notes = append(notes, more...)
	}
	return all, notes, nil
}

// Reload loads the dataset of an environment again.
func (f *Fleet) Reload(ctx context.Context, environment string, report func(site.Step)) error {
	m := f.member(environment)
	return m.name(m.Site.Reload(ctx, environment, report))
}

// Ready makes an environment ready for a run. It is the one that Begun, Watch, Drive and End are
// about.
func (f *Fleet) Ready(ctx context.Context, o site.Order) (site.Ready, error) {
	f.current = f.of[o.Environment]
	return f.members[f.current].Site.Ready(ctx, o)
}

// Begun reports when the measured window began, by the clock of the environment's machine.
func (f *Fleet) Begun(window time.Time) { f.members[f.current].Site.Begun(window) }

// Watch watches the server under load.
func (f *Fleet) Watch(ctx context.Context) error { return f.members[f.current].Site.Watch(ctx) }

// Drive drives the load on the environment's own machine.
func (f *Fleet) Drive(ctx context.Context, job driver.Job) (*driver.Outcome, error) {
	return f.members[f.current].Site.Drive(ctx, job)
}

// End ends the run.
func (f *Fleet) End(ctx context.Context, e site.Ending) (site.Account, error) {
	return f.members[f.current].Site.End(ctx, e)
}

// Revive restarts the server of an environment.
func (f *Fleet) Revive(ctx context.Context, environment string) error {
	m := f.member(environment)
	return m.name(m.Site.Revive(ctx, environment))
}

// Inject injects a fault into an environment.
func (f *Fleet) Inject(ctx context.Context, environment string, at time.Duration) (record.Injection, error) {
	m := f.member(environment)
	injected, err := m.Site.Inject(ctx, environment, at)
	return injected, m.name(err)
}
