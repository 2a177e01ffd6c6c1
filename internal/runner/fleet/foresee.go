package fleet

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/runner/preview"
	"plinth/internal/runner/site"
)

// Foresee checks each machine's part of the experiment, and what members with one kernel need
// together. All machines load the same scale, so they are asked again if one of them can hold only a
// smaller one.
func (f *Fleet) Foresee(ctx context.Context, p site.Plan) (site.Foreseen, error) {
	all, wanted := site.Foreseen{Experiment: p.Experiment}, p.Experiment.Dataset.Scale
	if p.SideBySide != nil && !*p.SideBySide {
		p.SideBySide = nil // not on all machines; each decides as it did when the experiment began
	}
	kernels, machines, err := f.kernels(ctx)
	if err == nil {
		_, err = f.access(machines)
	}
	if err != nil {
		return all, err
	}
	for {
		parts, err := f.foreseeParts(ctx, p)
		if err == nil {
			err = f.makeRoom(ctx, p, kernels, parts)
		}
		if err != nil {
			return all, err
		}
		warnings, tooSmall, conflict := f.shared(kernels, parts)
		if conflict == nil && tooSmall != nil && p.Experiment.Dataset.Fit && p.Experiment.Dataset.Scale > 1 {
			p.Experiment.Dataset.Scale /= 2
			continue
		}
		f.leaveOut(p.Experiment, parts)
		all.Experiment, all.Preview = f.together(p.Experiment, kernels, parts)
		all.Preview.Warnings = append(all.Preview.Warnings, warnings...)
		if scale := p.Experiment.Dataset.Scale; scale < wanted {
			all.Preview.Fitted(wanted, scale)
		}
		return all, cmp.Or(conflict, tooSmall)
	}
}

// foreseeParts checks the part of each machine, with the scale that all of them can hold.
func (f *Fleet) foreseeParts(ctx context.Context, p site.Plan) (parts []site.Foreseen, err error) {
	for i := 0; i < len(f.members); i++ {
		part, err := f.foreseePart(ctx, p, i)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
		if scale := part.Experiment.Dataset.Scale; scale < p.Experiment.Dataset.Scale {
			p.Experiment.Dataset.Scale = scale
			if i > 0 {
				parts, i = nil, -1
			}
		}
	}
	return parts, nil
}

// foreseePart checks the part of one machine: the experiment with its environments alone.
func (f *Fleet) foreseePart(ctx context.Context, p site.Plan, member int) (site.Foreseen, error) {
	share := *p.Experiment
	share.Environments = slices.DeleteFunc(slices.Clone(p.Experiment.Environments), func(e experiment.Environment) bool {
		return f.of[e.Name] != member
	})
	m := f.members[member]
	part, err := m.Site.Foresee(ctx, site.Plan{Experiment: &share, SideBySide: p.SideBySide, Resumed: p.Resumed})
	if err == nil && part.Experiment == nil {
		err = errors.New("the agent returned no experiment")
	}
	for i := range part.Preview.Disks {
		if m.At != "" {
			part.Preview.Disks[i].Path = m.At + ":" + part.Preview.Disks[i].Path
		}
	}
	return part, m.name(err)
}

// leaveOut removes from the declared experiment the environments that a machine left out: they equal an
// earlier one there, or they are optional and lack a storage class.
func (f *Fleet) leaveOut(declared *experiment.Experiment, parts []site.Foreseen) {
	gone := func(name string) bool {
		return slices.ContainsFunc(parts[f.of[name]].Preview.LeftOut, func(l record.LeftOut) bool { return l.Environment == name })
	}
	declared.LeaveOut(gone)
}

// together returns the whole experiment as carried out, and its preview.
func (f *Fleet) together(declared *experiment.Experiment, kernels []kernel, parts []site.Foreseen) (*experiment.Experiment, preview.Preview) {
	whole := *declared
	whole.Environments = slices.Clone(declared.Environments)
	var previews, provided []preview.Preview
	for _, k := range kernels {
		if !slices.ContainsFunc(k, f.hosts) {
			continue
		}
		provided = append(provided, k.provided(parts))
	}
	for member, part := range parts {
		if !f.hosts(member) {
			continue // asked only for what would stop the load generator
		}
		previews = append(previews, part.Preview)
		for _, e := range part.Experiment.Environments {
			for i := range whole.Environments {
				if whole.Environments[i].Name == e.Name && f.of[e.Name] == member {
					whole.Environments[i] = e
				}
			}
		}
	}
	return &whole, preview.Together(&whole, previews, provided)
}
