// Package fleet makes one site of several machines. Each environment is put up on its own machine.
// The environment whose turn it is is driven from there, or from the machines of the load generators.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

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

	// The addresses of the ssh connection to the machine, as the machine sees them: its own, and that of
	// the machine that plinth was started on, or of a jump host. Zero if they are not known.
	Address, From netip.Addr
}

// Fleet is the site of all machines of an experiment.
type Fleet struct {
	members []Member
	agents  []site.Agent          // of the members, once they are open
	of      map[string]int        // the member of each environment
	reached map[string]netip.Addr // where plinth's own servers listen, once they are open
	drivers []int                 // the members that drive all loads; none if each environment is driven from its own machine

	environments     []experiment.Environment
	warmup, duration time.Duration // duration is 0 if a number of transactions ends a run
	transactions     int64
	agrees           bool // the load generators can begin the window at a given time

	current int // the member whose environment is under load
	round   *round
}

var _ site.Site = (*Fleet)(nil)

// New returns the site of an experiment whose environments and load generators are on members.
func New(e *experiment.Experiment, members []Member) (*Fleet, error) {
	f := &Fleet{members: members, of: map[string]int{}, environments: e.Environments, warmup: e.Warmup.Std(), transactions: e.Transactions,
		// pgbench's window begins with its first transaction if their number ends it.
		agrees: e.Transactions == 0 || e.Engine == experiment.EngineRedis}
	if e.Transactions == 0 {
		f.duration = e.Duration.Std()
	}
	for _, environment := range e.Environments {
		i := f.memberAt(environment.Machine())
		if i < 0 {
			return nil, fmt.Errorf("environment %s is at %s, which is not a machine of the experiment", environment.Name, environment.Machine())
		}
		f.of[environment.Name] = i
	}
	for _, at := range e.Driver.At {
		i := f.memberAt(at.Machine())
		if i < 0 {
			return nil, fmt.Errorf("a load generator is at %s, which is not a machine of the experiment", at.Machine())
		}
		f.drivers = append(f.drivers, i)
	}
	return f, nil
}

func (f *Fleet) memberAt(at string) int {
	return slices.IndexFunc(f.members, func(m Member) bool { return m.At == at })
}

// hosts reports whether a member has an environment, and does not only drive loads.
func (f *Fleet) hosts(member int) bool {
	return slices.ContainsFunc(f.environments, func(e experiment.Environment) bool { return f.of[e.Name] == member })
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
	named := fmt.Errorf("%s: %w", m.At, err)
	if failure := new(site.Failure); errors.As(err, &failure) {
		return &site.Failure{Rule: failure.Rule, Err: named}
	}
	return named
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

// Open takes all machines. Of the agents that see each other's processes, one keeps the CPUs awake.
func (f *Fleet) Open(ctx context.Context, o site.Opening) (all site.Opened, err error) {
	_, machines, err := f.kernels(ctx)
	if err != nil {
		return all, err
	}
	f.agents = nil
	for _, m := range machines {
		f.agents = append(f.agents, m.Agent)
	}
	all.Awake = true
	if o.Awake != nil && !*o.Awake {
		o.Awake = nil // not all of them were kept awake; each decides as it did when the experiment began
	}
	access, err := f.access(machines)
	if err != nil {
		return all, err
	}
	f.reached = map[string]netip.Addr{}
	for i, m := range f.members {
		for name, a := range access[i] {
			f.reached[name] = a.Address
		}
		o.Neighbours, o.Access = f.neighbours(i), access[i]
		own := o
		if !f.hosts(i) {
			own.Awake = nil // it was not kept awake: that is for emulated devices
		}
		opened, err := m.Site.Open(ctx, own)
		f.agents[i].Idle = opened.Idle
		all.Awake = all.Awake && (opened.Awake || !f.hosts(i))
		for _, line := range opened.Said {
			all.Said = append(all.Said, m.said(line))
		}
		all.Notes = append(all.Notes, opened.Notes...)
		if err != nil {
			return all, m.name(err)
		}
	}
	all.Notes = append(all.Notes, apart(machines)...)
	return all, nil
}

// said adds the machine to a line for the user.
func (m Member) said(line string) string {
	if m.At == "" {
		return line
	}
	return m.At + ": " + line
}

// Close closes all sites at the same time, so that one that takes long leaves the others their time, and continues after a
// failure.
func (f *Fleet) Close(ctx context.Context) error {
	failures := make([]error, len(f.members))
	var all sync.WaitGroup
	for i, m := range f.members {
		all.Go(func() { failures[i] = m.name(m.Site.Close(ctx)) })
	}
	all.Wait()
	return errors.Join(failures...)
}

// SettleRates chooses the lowest rates that a machine can emulate, for all of them: devices on
// several machines could not be compared otherwise. Each machine keeps its form of device.
func (f *Fleet) SettleRates(ctx context.Context, given *stand.Rates) (stand.Rates, []string, error) {
	rates, lowest, said := map[int]stand.Rates{}, stand.Rates{}, []string(nil)
	for i, m := range f.members {
		if !f.hosts(i) {
			continue
		}
		r, lines, err := m.Site.SettleRates(ctx, given)
		if err != nil {
			return lowest, said, m.name(err)
		}
		for _, line := range lines {
			said = append(said, m.said(line))
		}
		if rates[i] = r; len(rates) == 1 || r.Scale < lowest.Scale {
			lowest = r
		}
	}
	for i, m := range f.members {
		if r, hosts := rates[i]; !hosts || r.Scale == lowest.Scale {
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
	if len(f.drivers) > 0 {
		var all []string
		for _, d := range f.drivers {
			all = append(all, record.MachineName(f.members[d].At))
		}
		e.Generator = strings.Join(all, ", ")
	}
	return e, m.name(err)
}

// Inventories describes all machines in detail.
func (f *Fleet) Inventories(ctx context.Context) (all []site.Inventory, notes []record.Note, err error) {
	for _, m := range f.members {
		inventories, more, err := m.Site.Inventories(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case errors.As(err, new(*agent.LostError)):
			return nil, nil, err
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
