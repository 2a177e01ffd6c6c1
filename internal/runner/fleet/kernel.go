package fleet

import (
	"context"
	"fmt"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/runner/preview"
	"plinth/internal/runner/site"
	"plinth/internal/unit"
	"plinth/internal/volume"
)

// A kernel holds the members on one kernel, by index: two names of a host, or two containers on it.
// Most hold one.
type kernel []int

// kernels groups the members by kernel, and describes each member's machine. Two members with one state
// directory are an error: each would take what the other left behind, or holds, for its own.
func (f *Fleet) kernels(ctx context.Context) (all []kernel, machines []site.Machine, err error) {
	for i, m := range f.members {
		described, err := m.Site.Machines(ctx)
		if err == nil && len(described) != 1 {
			err = fmt.Errorf("the agent described %s", unit.Count(len(described), "machine"))
		}
		if err != nil {
			return nil, nil, m.name(err)
		}
		machine := described[0]
		machine.At = m.At
		machines = append(machines, machine)
		at := slices.IndexFunc(all, func(k kernel) bool { return machine.Boot != "" && machines[k[0]].Boot == machine.Boot })
		if at < 0 {
			all = append(all, kernel{i})
			continue
		}
		for _, other := range all[at] {
			if machine.State != "" && machines[other].State == machine.State {
				return nil, nil, hint.Errorf("give their environments the same at: address; in a container, set PLINTH_STATE to another directory",
					"%s and %s are one machine, with one state directory", record.MachineName(machines[other].At), record.MachineName(machine.At))
			}
		}
		all[at] = append(all[at], i)
	}
	return all, machines, nil
}

// provided returns what a kernel has to provide for the members' parts of an experiment.
func (k kernel) provided(parts []site.Foreseen) preview.Preview {
	if len(k) == 1 {
		return parts[k[0]].Preview
	}
	var previews []preview.Preview
	for _, i := range k {
		previews = append(previews, parts[i].Preview)
	}
	return preview.Shared(previews)
}

// makeRoom lets one server of each member run at a time where there is no memory for all of them.
func (f *Fleet) makeRoom(ctx context.Context, p site.Plan, kernels []kernel, parts []site.Foreseen) error {
	for _, k := range kernels {
		shared := k.provided(parts)
		if len(k) == 1 || !shared.Crowded() {
			continue
		}
		for _, i := range k {
			if !parts[i].Preview.SideBySide || len(parts[i].Preview.Needs) <= 1 {
				continue
			}
			if p.SideBySide != nil {
				return site.ErrTooCrowded
			}
			var err error
			if parts[i], err = f.foreseePart(ctx, site.Plan{Experiment: p.Experiment, SideBySide: new(bool), Resumed: p.Resumed}, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// shared checks what members with one kernel need together. It warns if the servers that run at the same
// time fill its memory.
func (f *Fleet) shared(kernels []kernel, parts []site.Foreseen) (warnings []experiment.Warning, tooSmall, conflict error) {
	for _, k := range kernels {
		if len(k) == 1 {
			continue
		}
		shared := k.provided(parts)
		if conflict == nil {
			conflict = volume.Conflict(shared.Claims)
		}
		err := shared.TooSmall()
		if tooSmall == nil {
			tooSmall = err
		}
		if err == nil && shared.Crowded() {
			warnings = append(warnings, experiment.Warning{Rule: "one-kernel",
				Text: fmt.Sprintf("%s share one kernel, and the servers that are up at the same time need %s of its memory, of which %s is available: their datasets evict each other from the page cache",
					f.names(k), unit.Size(shared.Memory), unit.Size(shared.Available)),
				Hint: "if they are one machine, give its environments the same at: address, so that one server runs at a time"})
		}
	}
	return warnings, tooSmall, conflict
}

// names lists the machines of a kernel.
func (f *Fleet) names(k kernel) string {
	text := ""
	for n, i := range k {
		switch {
		case n == 0:
		case n == len(k)-1:
			text += " and "
		default:
			text += ", "
		}
		text += record.MachineName(f.members[i].At)
	}
	return text
}

// apart notes members with one kernel that do not see each other's processes.
func apart(machines []site.Machine) (notes []record.Note) {
	for i, m := range machines {
		for _, other := range machines[:i] {
			if m.Boot == "" || m.Boot != other.Boot || m.Agent.Sees(other.Agent) {
				continue
			}
			notes = append(notes, record.Note{Rule: "one-kernel",
				Text: fmt.Sprintf("%s and %s share one kernel, and each has its own processes: the servers of both stay up side by side, and each counts the work of the other as that of other processes, or does not see it",
					record.MachineName(other.At), record.MachineName(m.At)),
				Hint: "if they are one machine, give its environments the same at: address"})
		}
	}
	return notes
}

// neighbours returns the agents that the member under load may see: they and what they started are plinth's.
func (f *Fleet) neighbours(member int) (all []site.Agent) {
	for i, agent := range f.agents {
		if i == member || !agent.Near(f.agents[member]) {
			continue
		}
		if !agent.Sees(f.agents[member]) {
			agent.Idle = nil // it has other IDs there
		}
		all = append(all, agent)
	}
	return all
}
