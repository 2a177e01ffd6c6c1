package site

import (
	"context"
	"fmt"
	"slices"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/runner/stand"
	"plinth/internal/unit"
)

// SettleRates measures the cost of an emulated device here, unless the rates are given.
func (l *Local) SettleRates(ctx context.Context, given *stand.Rates) (stand.Rates, []string, error) {
	if given != nil {
		err := l.builder.UseRates(ctx, *given)
		return l.builder.Rates, nil, err
	}
	said, err := l.builder.MeasureRates(ctx)
	return l.builder.Rates, said, err
}

// PutUp creates an environment, starts its server and loads its dataset.
func (l *Local) PutUp(ctx context.Context, environment string, report func(Step)) (record.Environment, error) {
	i := slices.IndexFunc(l.experiment.Environments, func(e experiment.Environment) bool { return e.Name == environment })
	if i < 0 {
		return record.Environment{}, fmt.Errorf("this machine has no environment %s", environment)
	}
	l.builder.Access = nil
	if access, wanted := l.access[environment]; wanted {
		l.builder.Access = &access
	}
	l.builder.Making = func(_, role string) { report(Step{Name: "creating", Detail: "the " + role + " volume"}) }
	s, err := l.Make(ctx, l.experiment.Environments[i])
	if err != nil {
		return record.Environment{}, err
	}
	l.stage.Stands = append(l.stage.Stands, s)
	if err := l.stage.BringUp(ctx, s, loading(report)); err != nil {
		return record.Environment{}, err
	}
	if err := s.Describe(ctx, l.builder.Rates.Scale); err != nil {
		return record.Environment{}, err
	}
	s.Described.Tuning = l.tuning.Recorded(environment, l.host.Knobs(), s.TunedKnobs())
	return s.Described, nil
}

func loading(report func(Step)) func(engine.Progress) {
	return func(p engine.Progress) { report(Step{Name: "loading", Load: p}) }
}

// Reload loads the dataset of an environment again, into new files.
func (l *Local) Reload(ctx context.Context, environment string, report func(Step)) error {
	s := l.stage.Stand(environment)
	if _, err := l.stage.Enter(ctx, s); err != nil {
		return err
	}
	return s.Freely(ctx, func() error {
		if err := s.Server.Load(ctx, loading(report)); err != nil {
			return err
		}
		return s.Checkpoint(ctx)
	})
}

// Inventories describes the machine and the places of all environments. Settings that the
// experiment changes have the values from before.
func (l *Local) Inventories(ctx context.Context) ([]Inventory, []record.Note, error) {
	inventory, err := l.Machine.Look(ctx, l.stage.Directories())
	if err != nil {
		return nil, nil, err
	}
	if before := l.tuning.Machine; before != nil { // the machine's own settings, not those of the last environment
		inventory.Sysctl, inventory.CPU, inventory.Memory, inventory.Nodes = before.Sysctl, before.CPU, before.Memory, before.Nodes
	}
	return []Inventory{{Inventory: inventory}}, l.sharedMemory(inventory.Cgroup.Memory), nil
}

// sharedMemory warns about emulated devices that share a memory limit with their servers: a
// process that waits for memory must then do the write-back itself.
func (l *Local) sharedMemory(most int64) []record.Note {
	emulated := slices.ContainsFunc(l.stage.Stands, func(s *stand.Stand) bool { return len(s.Emulated()) > 0 })
	if most <= 0 || !emulated {
		return nil
	}
	return []record.Note{{
		Rule: "memory-shared",
		Text: fmt.Sprintf("servers and emulated devices share the memory limit of plinth's control group, %s: when the page cache fills it, each may wait for the other", unit.Size(most)),
		Hint: "start plinth outside that limit, or give the servers limits: {memory: ...} well below it",
	}}
}
