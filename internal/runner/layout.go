package runner

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/limit"
	"plinth/internal/runner/engines"
	"plinth/internal/runner/tuning"
	"plinth/internal/tune"
	"plinth/internal/volume"
)

// newPlace lays out the storage of an environment and makes its server, not yet
// started, and its replica. What was made for one that fails is in the journal.
func (r *Runner) newPlace(ctx context.Context, e experiment.Environment) (*place, error) {
	id := r.runID() + strconv.Itoa(len(r.stage.places)) // two may be databases of one server
	p, err := r.newServer(ctx, e, e.Storage.Parts(), id)
	if err != nil || !e.Replica.There() {
		return p, err
	}
	if p.replica, err = r.newServer(ctx, experiment.ReplicaOf(e), e.Replica.Parts(), id+"r"); err != nil {
		return nil, fmt.Errorf("the replica: %w", err)
	}
	if _, can := p.replica.server.(engine.Replicator); !can {
		return nil, errors.New("this server cannot be a replica")
	}
	return p, nil
}

// newServer lays out parts and makes the server on them.
func (r *Runner) newServer(ctx context.Context, e experiment.Environment, parts []experiment.Part, id string) (*place, error) {
	family := engines.Of(r.experiment)
	p := &place{environment: e}
	config := engine.Config{
		Experiment: r.experiment, Environment: e, Launcher: r.launcher, Journal: r.journal,
		RunID: id, Scratch: r.pipes,
	}
	var err error
	if engines.Connected(e) {
		p.server, err = family.Reach(config)
		return p, err
	}
	if config.User, err = host.ServerUser(); err != nil {
		return nil, err
	}
	if config.SocketDir, err = volume.SocketDir(r.journal, config.User); err != nil {
		return nil, err
	}
	if config.Places, err = r.layOut(ctx, p, parts, config.User, "plinth-"+id+"-"+e.Name); err != nil {
		return nil, err
	}
	if err := r.confine(p, e, &config, "plinth-"+id+"-"+e.Name); err != nil {
		return nil, err
	}
	p.server, err = family.Make(config)
	return p, err
}

// confine makes the control groups of a server that has limits, or a place on the
// machine.
func (r *Runner) confine(p *place, e experiment.Environment, config *engine.Config, name string) error {
	where := r.tuning.Where(e.Name)
	if e.Limits == (experiment.Limits{}) && len(where.CPUs) == 0 && where.Nodes == "" {
		return nil
	}
	var err error
	if p.group, err = limit.Make(r.journal, name, e.Limits, where); err == nil {
		config.Groups = p.group.Directories()
	}
	return err
}

// layOut makes the volumes of a place, and says where they are.
func (r *Runner) layOut(ctx context.Context, p *place, parts []experiment.Part, owner *host.User, name string) ([]engine.Place, error) {
	needs, err := engines.Of(r.experiment).Needs(r.experiment, p.environment)
	if err != nil {
		return nil, err
	}
	var places []engine.Place
	for _, part := range parts {
		if part.Volume.Directory == "" { // else it is there at once
			r.now(Status{Step: "making", Environment: p.environment.Name, Detail: "the " + part.Role + " volume"})
		}
		v, err := volume.Make(ctx, volume.Options{
			Journal: r.journal, Launcher: r.launcher, Owner: owner, Name: name,
			Size: needs.Volumes[engines.RoleOf(part)], RateScale: r.rateScale, Form: r.form, Seed: r.experiment.Seed,
		}, part)
		if err != nil {
			return nil, err
		}
		p.volumes = append(p.volumes, v)
		if err := r.tuneDisk(ctx, p, part, v); err != nil {
			return nil, err
		}
		places = append(places, engine.Place{Role: engines.RoleOf(part), Name: part.Name, Dir: v.Path})
	}
	return places, nil
}

// tuneDisk sets what an environment wants of a disk of its own, once that is there.
// What was set goes with the disk, or is put back from the journal.
func (r *Runner) tuneDisk(ctx context.Context, p *place, part experiment.Part, v *volume.Volume) error {
	values, device := r.tuning.Disk(p.environment.Name, part.Name), v.Facts().Device
	if values == nil || device == "" {
		return nil
	}
	request := tune.Request{Values: values, Machine: tune.Kernel{}, Targets: tune.Targets{Devices: map[string]string{part.Name: device}}}
	plan, err := tune.Make(ctx, request)
	if err != nil {
		return err
	}
	if err := tuning.Applicable(plan); err != nil {
		return err
	}
	applied, err := tune.Apply(ctx, r.journal, request, plan)
	if err != nil {
		return err
	}
	p.tuned = append(p.tuned, applied)
	return nil
}
