package runner

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/limit"
	"plinth/internal/profile"
	"plinth/internal/record"
	"plinth/internal/tune"
	"plinth/internal/volume"
)

// directories are those of all volumes that are there already, by environment and
// role: what is tuned of them is the machine's.
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

// targetsOf are what the roles of an environment stand for, where they are directories
// that are there already.
func targetsOf(inventory host.Inventory, e experiment.Environment) tune.Targets {
	t := tune.Targets{Devices: map[string]string{}, Mounts: map[string]string{}}
	for _, part := range e.Storage.Parts() {
		for _, place := range inventory.Places {
			if place.Role == placeRole(e, part.Name) {
				t.Devices[part.Name] = place.Device()
				if on, err := host.FilesystemOf(place.Path); err == nil {
					t.Mounts[part.Name] = on.MountPoint
				}
			}
		}
	}
	return t
}

// where is the place of an environment's server on the machine.
func (r *Runner) where(environment string) limit.Where {
	if t := r.tuned[environment]; t != nil {
		return t.where
	}
	return limit.Where{}
}

// tuneDisk sets what an environment wants of a disk of its own, once that is there.
// What was set goes with the disk, or is put back from the journal.
func (r *Runner) tuneDisk(ctx context.Context, p *place, part experiment.Part, v *volume.Volume) error {
	t := r.tuned[p.environment.Name]
	device := v.Facts().Device
	if t == nil || device == "" {
		return nil
	}
	var values []profile.Value
	for _, value := range t.disks {
		if value.Key.On == part.Name {
			values = append(values, value)
		}
	}
	if values == nil {
		return nil
	}
	request := tune.Request{Values: values, Machine: tune.Kernel{}, Targets: tune.Targets{Devices: map[string]string{part.Name: device}}}
	plan, err := tune.Make(ctx, request)
	if err != nil {
		return err
	}
	if err := applicable(plan); err != nil {
		return err
	}
	applied, err := tune.Apply(ctx, r.journal, request, plan)
	if err != nil {
		return err
	}
	p.tuned = append(p.tuned, applied)
	return nil
}

// foretell is what will be tuned for each environment, of the machine as it is now.
func (r *Runner) foretell(ctx context.Context) ([]TunedEnvironment, error) {
	plans, err := r.ground.changes(ctx, r.experiment)
	if err != nil {
		return nil, err
	}
	var all []TunedEnvironment
	for _, e := range r.experiment.Environments {
		t := r.tuned[e.Name]
		if t == nil {
			continue
		}
		knobs := slices.Clone(t.knobs)
		for _, v := range t.disks {
			knobs = append(knobs, knobOf(v, false))
		}
		if plan := plans[e.Name]; plan != nil {
			knobs = append(knobs, planned(plan)...)
		}
		if len(knobs) > 0 {
			all = append(all, TunedEnvironment{e.Name, record.Tuning{Profiles: t.profiles, Knobs: knobs}})
		}
	}
	return all, nil
}

// planned are the changes of a plan as a record has them.
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

// announceChanges says what of the whole machine will be changed, before anything is.
func (r *Runner) announceChanges() []string {
	var lines []string
	for _, e := range r.preview.Tuned {
		var changes []string
		for _, k := range e.Knobs {
			if k.Host && k.NotApplicable == "" && k.Was != k.Value {
				changes = append(changes, fmt.Sprintf("%s %s (%s now)", k.Key, k.Value, k.Was))
			}
		}
		if changes != nil {
			lines = append(lines, fmt.Sprintf("for %s this machine gets %s", e.Name, strings.Join(changes, ", ")))
		}
	}
	if lines != nil {
		lines = append(lines, "all of that is put back at the end")
	}
	for _, l := range r.leftOut {
		lines = append(lines, fmt.Sprintf("%s is left out, not applicable here: %s", l.Environment, l.Reason))
	}
	return lines
}

// tuning is what was tuned for an environment, of the whole machine as it was read
// back; nil for nothing.
func (r *Runner) tuning(p *place) *record.Tuning {
	t := r.tuned[p.environment.Name]
	if t == nil || len(t.profiles)+len(t.knobs)+len(t.host)+len(t.disks) == 0 {
		return nil
	}
	all := &record.Tuning{Profiles: t.profiles, Knobs: slices.Clone(t.knobs)}
	reasons := map[string]profile.Value{}
	for _, v := range slices.Concat(t.host, t.disks) {
		reasons[v.Key.String()] = v
	}
	ground := r.ground.knobs()
	for i := range ground {
		ground[i].Host = true
	}
	for _, applied := range p.tuned {
		ground = append(ground, applied.Knobs()...)
	}
	for _, k := range ground {
		v := reasons[k.Key]
		k.Group, k.From, k.Reason = v.Group, v.Profile, v.Reason
		all.Knobs = append(all.Knobs, k)
		delete(reasons, k.Key)
	}
	for _, key := range slices.Sorted(maps.Keys(reasons)) { // in force without being changed
		all.Knobs = append(all.Knobs, knobOf(reasons[key], true))
	}
	return all
}
