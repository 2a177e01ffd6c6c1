package limit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/journal"
)

// idleSetting gives a group idle priority against other groups (cpu.idle, since Linux 5.15,
// Documentation/admin-guide/cgroup-v2.rst).
var idleSetting = setting{file: "cpu.idle", value: "1"}

// MakeIdle creates a control group whose processes run only on CPUs that would otherwise be
// idle. It is a child of the top group: below plinth's own group, it would make that group
// appear always busy to its siblings.
//
// It is noted in the journal before it is created. The error reports what the machine
// lacks; on an error everything created so far is removed.
func MakeIdle(j *journal.Journal, name string) (*Group, error) {
	m, err := look("/")
	if err != nil {
		return nil, err
	}
	g := &Group{journal: j}
	if err := g.makeIdle(m, name); err != nil {
		return nil, errors.Join(err, g.Remove(context.Background()))
	}
	return g, nil
}

func (g *Group) makeIdle(m machine, name string) error {
	if err := m.checkController(cpuController); err != nil {
		return err
	}
	top := m.places[cpuController]
	p := parent{version: top.version, dir: top.top}
	if most, set := quotaLimit(p.dir); set { // in a container the top is the container's own group
		return hint.Errorf("run plinth outside the container, or without a CPU quota",
			"all processes here share a quota of %v CPUs, which the idle load would use up", most)
	}
	if err := writable(p.dir); err != nil {
		return err
	}
	if p.version == 2 {
		enabled, err := readWord(p.dir, "cgroup.subtree_control")
		if err != nil {
			return err
		}
		if !slices.Contains(strings.Fields(enabled), cpuController) {
			return hint.Errorf("enable it: echo +cpu > "+p.dir+"/cgroup.subtree_control", "the control groups in %s do not distribute CPU time", p.dir)
		}
	}
	if err := g.add(p, directoryName(name), experiment.Limits{}, target{version: p.version}); err != nil {
		return err
	}
	if err := idleSetting.set(g.directories[0]); err != nil {
		return fmt.Errorf("this kernel has no idle control groups (cpu.idle): %w", err)
	}
	return nil
}
