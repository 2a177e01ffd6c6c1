package limit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/journal"
	"plinth/internal/unit"
)

// MakeBeside creates control groups for processes that run alongside a server: with these
// CPUs, or all if none are given, and with memory accounted separately from plinth's own,
// without a limit. A limit was rejected: its memory could not be swapped out, unlike that
// of other processes.
//
// Each group is noted in the journal before it is created. The errors are those of
// CheckBeside; on an error all groups created so far are removed.
func MakeBeside(j *journal.Journal, name string, cpus ...int) (*Group, error) {
	m, err := look("/")
	if err != nil {
		return nil, beside(err)
	}
	g := &Group{journal: j, cpus: slices.Sorted(slices.Values(cpus))}
	if err := g.makeBeside(m, name); err != nil {
		return nil, errors.Join(beside(err), g.Remove(context.Background()))
	}
	return g, nil
}

func (g *Group) makeBeside(m machine, name string) error {
	l := experiment.Limits{CPUs: len(g.cpus)}
	if err := m.own(l, g.cpus); err != nil {
		return err
	}
	parents, err := m.parentsBeside(l)
	if err != nil {
		return err
	}
	id := directoryName(name)
	for _, p := range parents {
		if err := g.add(p, id, l, target{p.version, len(allOf(m.cores)), host.Ranges(g.cpus), ""}); err != nil {
			return err
		}
	}
	return nil
}

// CheckBeside returns an error if MakeBeside cannot create groups with so many CPUs on this
// machine; 0 means all CPUs.
func CheckBeside(cpus int) error {
	m, err := look("/")
	if err == nil {
		_, err = m.parentsBeside(experiment.Limits{CPUs: cpus})
	}
	return beside(err)
}

func (m machine) parentsBeside(l experiment.Limits) ([]parent, error) {
	if there := len(allOf(m.cores)); l.CPUs > there {
		return nil, hint.Errorf(fmt.Sprintf("request %d or fewer", there), "plinth is limited to %s, fewer than %d", unit.Count(there, "CPU"), l.CPUs)
	}
	controllers := append(controllersFor(l), memoryController)
	for _, controller := range controllers {
		if err := m.checkController(controller); err != nil {
			return nil, err
		}
	}
	return m.parents(controllers)
}

func beside(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot create a control group for the background load: %w", err)
}
