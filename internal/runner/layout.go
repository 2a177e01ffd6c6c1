package runner

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/journal"
	"plinth/internal/limit"
	"plinth/internal/runner/engines"
	"plinth/internal/runner/tuning"
	"plinth/internal/tune"
	"plinth/internal/volume"
)

// builder puts up the servers of an experiment's environments on this machine.
type builder struct {
	experiment *experiment.Experiment
	tuning     *tuning.Tuning
	journal    *journal.Journal
	launcher   host.Launcher
	scratch    string // a private directory, not on a disk under test
	rates      rates
	making     func(environment, role string) // a volume that takes its time

	id   string // in the names of all that it makes
	made int
}

// newID is a short name for what one process makes, so that two experiments in one place
// never meet.
func newID() string {
	random := make([]byte, 4)
	_, _ = rand.Read(random) // never fails (crypto/rand)
	return hex.EncodeToString(random)
}

// putUp lays out the storage of an environment and makes its server, not yet
// started, and its replica. What was made for one that fails is in the journal.
func (b *builder) putUp(ctx context.Context, e experiment.Environment) (*place, error) {
	id := b.id + strconv.Itoa(b.made) // two may be databases of one server
	b.made++
	p, err := b.newServer(ctx, e, e.Storage.Parts(), id)
	if err != nil || !e.Replica.There() {
		return p, err
	}
	if p.replica, err = b.newServer(ctx, experiment.ReplicaOf(e), e.Replica.Parts(), id+"r"); err != nil {
		return nil, fmt.Errorf("the replica: %w", err)
	}
	if _, can := p.replica.server.(engine.Replicator); !can {
		return nil, errors.New("this server cannot be a replica")
	}
	return p, nil
}

// newServer lays out parts and makes the server on them.
func (b *builder) newServer(ctx context.Context, e experiment.Environment, parts []experiment.Part, id string) (*place, error) {
	family := engines.Of(b.experiment)
	p := &place{environment: e}
	config := engine.Config{
		Experiment: b.experiment, Environment: e, Launcher: b.launcher, Journal: b.journal,
		RunID: id, Scratch: b.scratch,
	}
	var err error
	if engines.Connected(e) {
		p.server, err = family.Reach(config)
		return p, err
	}
	if config.User, err = host.ServerUser(); err != nil {
		return nil, err
	}
	if config.SocketDir, err = volume.SocketDir(b.journal, config.User); err != nil {
		return nil, err
	}
	if config.Places, err = b.layOut(ctx, p, parts, config.User, "plinth-"+id+"-"+e.Name); err != nil {
		return nil, err
	}
	if err := b.confine(p, e, &config, "plinth-"+id+"-"+e.Name); err != nil {
		return nil, err
	}
	p.server, err = family.Make(config)
	return p, err
}

// confine makes the control groups of a server that has limits, or a place on the
// machine.
func (b *builder) confine(p *place, e experiment.Environment, config *engine.Config, name string) error {
	where := b.tuning.Where(e.Name)
	if e.Limits == (experiment.Limits{}) && len(where.CPUs) == 0 && where.Nodes == "" {
		return nil
	}
	var err error
	if p.group, err = limit.Make(b.journal, name, e.Limits, where); err == nil {
		config.Groups = p.group.Directories()
	}
	return err
}

// layOut makes the volumes of a place, and says where they are.
func (b *builder) layOut(ctx context.Context, p *place, parts []experiment.Part, owner *host.User, name string) ([]engine.Place, error) {
	needs, err := engines.Of(b.experiment).Needs(b.experiment, p.environment)
	if err != nil {
		return nil, err
	}
	var places []engine.Place
	for _, part := range parts {
		if part.Volume.Directory == "" { // else it is there at once
			b.making(p.environment.Name, part.Role)
		}
		v, err := volume.Make(ctx, volume.Options{
			Journal: b.journal, Launcher: b.launcher, Owner: owner, Name: name,
			Size: needs.Volumes[engines.RoleOf(part)], RateScale: b.rates.scale, Form: b.rates.form, Seed: b.experiment.Seed,
		}, part)
		if err != nil {
			return nil, err
		}
		p.volumes = append(p.volumes, v)
		if err := b.tuneDisk(ctx, p, part, v); err != nil {
			return nil, err
		}
		places = append(places, engine.Place{Role: engines.RoleOf(part), Name: part.Name, Dir: v.Path})
	}
	return places, nil
}

// tuneDisk sets what an environment wants of a disk of its own, once that is there.
// What was set goes with the disk, or is put back from the journal.
func (b *builder) tuneDisk(ctx context.Context, p *place, part experiment.Part, v *volume.Volume) error {
	values, device := b.tuning.Disk(p.environment.Name, part.Name), v.Facts().Device
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
	applied, err := tune.Apply(ctx, b.journal, request, plan)
	if err != nil {
		return err
	}
	p.tuned = append(p.tuned, applied)
	return nil
}
