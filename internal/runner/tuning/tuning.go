// Package tuning resolves the tuning of an experiment's environments for this machine. Values
// for one server, its storage or its control group become part of its environment. Values for
// the whole host are kept for package hosttuning, which applies them when environments are
// switched. Package tuning changes nothing itself.
package tuning

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/limit"
	"plinth/internal/profile"
	"plinth/internal/record"
	"plinth/internal/tune"
)

// Tuning holds the resolved tuning of all environments of an experiment.
type Tuning struct {
	Experiment *experiment.Experiment // as carried out
	LeftOut    []record.LeftOut       // environments equal to an earlier one
	Machine    *host.Inventory        // before any tuning; nil without tuning

	environments map[string]*tuned
}

// Look takes the inventory of a machine. Places holds the directories of existing storage by
// role.
type Look func(ctx context.Context, places map[string]string) (host.Inventory, error)

// Work resolves the tuning of all environments. It leaves out an environment that equals an earlier
// one, removes it from declared, too, and gives the reason in LeftOut.
func Work(ctx context.Context, declared *experiment.Experiment, look Look) (*Tuning, error) {
	t := &Tuning{Experiment: declared, environments: map[string]*tuned{}}
	if !slices.ContainsFunc(declared.Environments, func(e experiment.Environment) bool {
		return len(e.Tuning) > 0 || declared.AllowHost && e.Limits.Memory > 0
	}) {
		t.share()
		return t, nil
	}
	inventory, err := look(ctx, directories(declared))
	if err != nil {
		return nil, err
	}
	t.Machine = &inventory
	worked := *declared
	worked.Environments = slices.Clone(declared.Environments)
	for i := range worked.Environments {
		e := &worked.Environments[i]
		if t.environments[e.Name], err = tuningOf(ctx, declared, e, inventory); err != nil {
			return nil, fmt.Errorf("environment %s: %w", e.Name, err)
		}
	}
	t.leaveOut(&worked, declared)
	t.Experiment = &worked
	t.share()
	return t, nil
}

// leaveOut drops environments that equal an earlier one, both from worked and from declared:
// measuring them again would show nothing. A screening design stays complete: without some of its
// environments, the effect of a group would depend on what the others do.
func (t *Tuning) leaveOut(worked, declared *experiment.Experiment) {
	if len(declared.Screened()) > 0 {
		return
	}
	var kept []experiment.Environment
	for i, e := range worked.Environments {
		twins := slices.DeleteFunc(slices.Clone(worked.Environments[:i]), func(other experiment.Environment) bool { return !t.same(other, e) })
		if len(twins) == 0 || e.Name == worked.Baseline || len(declared.Environments[i].Tuning) == 0 {
			kept = append(kept, e)
			continue
		}
		// The most similar one, so that the reason is only that of the part that differs: in an ablation,
		// an environment without one layer may equal both the one without any tuning and the one with all.
		twin := slices.MinFunc(twins, func(a, b experiment.Environment) int {
			return len(t.differing(a.Name, e.Name)) - len(t.differing(b.Name, e.Name))
		})
		t.LeftOut = append(t.LeftOut, record.LeftOut{Environment: e.Name, Reason: whySame(twin.Name, t.differing(twin.Name, e.Name))})
	}
	if t.LeftOut == nil {
		return
	}
	for _, left := range t.LeftOut {
		delete(t.environments, left.Environment)
	}
	gone := func(name string) bool {
		return slices.ContainsFunc(t.LeftOut, func(l record.LeftOut) bool { return l.Environment == name })
	}
	for i, step := range declared.Steps {
		for j := range t.LeftOut {
			if t.LeftOut[j].Environment == step.Name {
				t.LeftOut[j].Change, t.LeftOut[j].Step = step.Change, i+1
			}
		}
	}
	worked.Environments = kept
	declared.LeaveOut(gone)
	worked.LeaveOut(gone)
}

// same reports whether two environments are equal on this machine.
func (t *Tuning) same(a, b experiment.Environment) bool {
	for _, e := range []*experiment.Environment{&a, &b} {
		if len(e.Settings) == 0 {
			e.Settings = nil
		}
	}
	return reflect.DeepEqual(a.Settings, b.Settings) && SameHost(t.environments[a.Name].host, t.environments[b.Name].host) && t.alike(a, b)
}

// alike reports whether two environments differ at most in the settings of their servers and in the
// tuning of the host.
func (t *Tuning) alike(a, b experiment.Environment) bool {
	ta, tb := t.of(a), t.of(b)
	return reflect.DeepEqual(a.ApartFromSettings(), b.ApartFromSettings()) && SameHost(ta.disks, tb.disks) && reflect.DeepEqual(ta.where, tb.where)
}

// of returns the tuning of an environment, empty if it has none.
func (t *Tuning) of(e experiment.Environment) *tuned {
	if of := t.environments[e.Name]; of != nil {
		return of
	}
	return &tuned{}
}

// share sets DataOf of environments that share the data of an earlier one.
func (t *Tuning) share() {
	if !t.Experiment.Dataset.Shared {
		return
	}
	worked := *t.Experiment
	worked.Environments = slices.Clone(worked.Environments)
	for i := range worked.Environments {
		e := &worked.Environments[i]
		first := slices.IndexFunc(worked.Environments[:i], func(other experiment.Environment) bool { return other.DataOf == "" && t.alike(other, *e) })
		if first >= 0 {
			e.DataOf = worked.Environments[first].Name
		}
	}
	t.Experiment = &worked
}

// Where returns the CPUs and memory nodes of an environment's server.
func (t *Tuning) Where(environment string) limit.Where {
	if of := t.environments[environment]; of != nil {
		return of.where
	}
	return limit.Where{}
}

// Disk returns the values for the environment's own disk of a role; nil for none.
func (t *Tuning) Disk(environment, role string) []profile.Value {
	of := t.environments[environment]
	if of == nil {
		return nil
	}
	var values []profile.Value
	for _, v := range of.disks {
		if v.Key.On == role {
			values = append(values, v)
		}
	}
	return values
}

// Requests returns the requested host settings by environment, without those that request none.
func (t *Tuning) Requests(m tune.Machine) map[string]tune.Request {
	all := map[string]tune.Request{}
	for _, e := range t.Experiment.Environments {
		if of := t.environments[e.Name]; of != nil && len(of.host) > 0 {
			all[e.Name] = tune.Request{Values: of.host, Machine: m, Targets: targetsOf(*t.Machine, e)}
		}
	}
	return all
}

// Environment is the planned tuning of an environment on the machine in its current state.
type Environment struct {
	Name string `json:"name"`
	record.Tuning
}

// Foreseen returns the planned tuning of each environment with any. Plans are those of its
// Requests.
func (t *Tuning) Foreseen(plans map[string]*tune.Plan) []Environment {
	var all []Environment
	for _, e := range t.Experiment.Environments {
		of := t.environments[e.Name]
		if of == nil {
			continue
		}
		knobs := slices.Clone(of.knobs)
		for _, v := range of.disks {
			knobs = append(knobs, knobOf(v, false))
		}
		if plan := plans[e.Name]; plan != nil {
			knobs = append(knobs, planned(plan)...)
		}
		if len(knobs) > 0 {
			all = append(all, Environment{e.Name, record.Tuning{Profiles: of.profiles, Knobs: knobs}})
		}
	}
	return all
}

// planned converts the changes of a plan into the record's form.
func planned(plan *tune.Plan) []record.Knob {
	var knobs []record.Knob
	for _, c := range plan.Changes {
		k := record.Knob{Layer: string(c.Layer), Key: c.Key.String(), Was: c.Now, Value: c.Then, Group: c.Group,
			From: c.From, Reason: c.Reason, Host: true}
		if c.State == tune.NotApplicable {
			k.NotApplicable = c.Problem
		}
		knobs = append(knobs, k)
	}
	return knobs
}

// Recorded returns the applied tuning of an environment; nil for none. Machine and disks are
// the changes to the host and to the environment's own disks, as read back.
func (t *Tuning) Recorded(environment string, machine, disks []record.Knob) *record.Tuning {
	of := t.environments[environment]
	if of == nil || len(of.profiles)+len(of.knobs)+len(of.host)+len(of.disks) == 0 {
		return nil
	}
	all := &record.Tuning{Profiles: of.profiles, Knobs: slices.Clone(of.knobs)}
	reasons := map[string]profile.Value{}
	for _, v := range slices.Concat(of.host, of.disks) {
		reasons[v.Key.String()] = v
	}
	for i := range machine {
		machine[i].Host = true
	}
	for _, k := range slices.Concat(machine, disks) {
		v := reasons[k.Key]
		k.Group, k.From, k.Reason = v.Group, v.Profile, v.Reason
		all.Knobs = append(all.Knobs, k)
		delete(reasons, k.Key)
	}
	for _, key := range slices.Sorted(maps.Keys(reasons)) { // in force without a change
		all.Knobs = append(all.Knobs, knobOf(reasons[key], true))
	}
	return all
}

// Applicable returns an error if a value of a plan cannot be set here. A value that does not
// apply to this machine is not an error: it is recorded as not applicable.
func Applicable(plan *tune.Plan) error {
	for _, c := range plan.Changes {
		if c.State == tune.Cannot || c.State == tune.Later {
			problem := c.Problem
			if problem == "" {
				problem = "it needs a " + string(c.Needs)
			}
			return hint.Errorf(c.Hint, "cannot set %s to %s: %s", c.Key, c.Then, problem)
		}
	}
	return nil
}

// directories returns the existing directories of all volumes, by environment and role. Values
// for them change the host.
func directories(e *experiment.Experiment) map[string]string {
	all := map[string]string{}
	for _, environment := range e.Environments {
		for _, part := range environment.Storage.Parts() {
			if dir := part.Volume.Directory; dir != "" {
				all[placeRole(environment, part.Name)] = dir
			}
		}
	}
	return all
}

func placeRole(e experiment.Environment, role string) string { return e.Name + " " + role }

// targetsOf returns the devices and mounts behind the roles of an environment, for existing
// directories.
func targetsOf(inventory host.Inventory, e experiment.Environment) tune.Targets {
	t := tune.Targets{Devices: map[string]string{}, Mounts: map[string]string{}}
	for _, part := range e.Storage.Parts() {
		place, found := PlaceOf(inventory, e, part.Name)
		if !found {
			continue
		}
		t.Devices[part.Name] = place.Device()
		if on, err := host.FilesystemOf(place.Path); err == nil {
			t.Mounts[part.Name] = on.MountPoint
		}
	}
	return t
}

// PlaceOf returns the place of an environment's existing directory in an inventory that a Look took. It returns false for
// storage that plinth creates.
func PlaceOf(inventory host.Inventory, e experiment.Environment, role string) (host.Place, bool) {
	i := slices.IndexFunc(inventory.Places, func(p host.Place) bool { return p.Role == placeRole(e, role) })
	if i < 0 {
		return host.Place{}, false
	}
	return inventory.Places[i], true
}
