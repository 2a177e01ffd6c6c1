package preview

import (
	"context"
	"errors"
	"fmt"
	"os"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/limit"
	"plinth/internal/runner/engines"
	"plinth/internal/volume"
)

// Check finds what would stop an experiment later, before it costs anything: missing programs,
// a disk that is too small, a server that cannot be reached.
func Check(ctx context.Context, e *experiment.Experiment, p Preview) error {
	if err := p.TooSmall(); err != nil {
		return err
	}
	if err := volume.Conflict(p.Claims); err != nil {
		return err
	}
	if err := eventsCanHappen(e); err != nil {
		return err
	}
	for i, environment := range e.Environments {
		parts := environment.Parts()
		if environment.DataOf != "" {
			parts = nil
		}
		for _, part := range parts {
			o := volume.Options{Launcher: launch.NewLocal(), Size: p.Needs[i].Volumes[part.Role]}
			if err := volume.Check(ctx, o, part); err != nil {
				return fmt.Errorf("environment %s: %w", environment.Name, err)
			}
			if err := volume.CheckSaid(part); err != nil {
				return fmt.Errorf("environment %s: %w", environment.Name, err)
			}
		}
		if err := limit.Check(environment.Limits); err != nil {
			return fmt.Errorf("environment %s: %w", environment.Name, err)
		}
		if err := pressable(environment); err != nil {
			return fmt.Errorf("environment %s: %w", environment.Name, err)
		}
		if err := probe(ctx, e, environment); err != nil {
			return err
		}
	}
	_, err := engines.Of(e).Driver(e)
	return err
}

// probe finds what prevents an environment's servers from being created or reached.
func probe(ctx context.Context, e *experiment.Experiment, environment experiment.Environment) error {
	err := engines.Of(e).Probe(ctx, e, environment)
	if err != nil || !environment.Replica.There() {
		return err
	}
	if err := limit.Check(environment.Replica.Limits); err != nil {
		return fmt.Errorf("environment %s: the replica: %w", environment.Name, err)
	}
	return engines.Of(e).Probe(ctx, e, experiment.ReplicaOf(environment))
}

// CanEmulate returns the reason why devices cannot be emulated here, or nil.
func CanEmulate() error {
	part := experiment.Part{Role: experiment.RoleData, Name: experiment.RoleData, Volume: PassThrough(".")}
	return volume.Check(context.Background(), volume.Options{Launcher: launch.NewLocal()}, part)
}

// Erases returns a warning for each device that will be erased, with its current content.
func Erases(ctx context.Context, e *experiment.Experiment) ([]experiment.Warning, error) {
	var warnings []experiment.Warning
	for _, environment := range e.WithOwnData() {
		for _, part := range environment.Parts() {
			erased, err := volume.Erases(ctx, launch.NewLocal(), part)
			if err != nil {
				return nil, fmt.Errorf("environment %s: %w", environment.Name, err)
			}
			for _, what := range erased {
				warnings = append(warnings, experiment.Warning{Rule: "erases",
					Text: fmt.Sprintf("the %s volume of %s erases %s", part.Role, environment.Name, what)})
			}
		}
	}
	return warnings, nil
}

// pressable finds in advance what prevents an environment's neighbour from being started.
func pressable(e experiment.Environment) error {
	asked := e.Pressure
	if asked.Memory == 0 && asked.CPU == 0 {
		return nil
	}
	if err := limit.CheckBeside(e.Limits.CPUs); err != nil {
		return err
	}
	cores, err := host.Cores()
	if err != nil {
		return err
	}
	available := 0
	for _, core := range cores {
		available += len(core.CPUs)
	}
	if e.Limits.CPUs > 0 {
		available = min(available, e.Limits.CPUs)
	}
	if asked.CPU > available {
		return hint.Errorf(fmt.Sprintf("set pressure.cpu to %d or less", available),
			"pressure.cpu: %d, but the background load runs on the server's CPUs, and there are only %d", asked.CPU, available)
	}
	return nil
}

// eventsCanHappen finds in advance the programs of events that are not installed.
func eventsCanHappen(e *experiment.Experiment) error {
	for _, event := range e.Events {
		if event.Statement() != "" {
			continue
		}
		for _, environment := range e.Environments {
			if _, err := launch.FindProgram(event.Command[0], engines.Of(e).ProgramDirs(environment)...); errors.Is(err, os.ErrNotExist) {
				return hint.Errorf("install the program, or give its full path", "event %s: %w", event.Name, err)
			}
		}
	}
	return nil
}
