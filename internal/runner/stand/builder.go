package stand

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strconv"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
	"plinth/internal/limit"
	"plinth/internal/runner/engines"
	"plinth/internal/runner/tuning"
	"plinth/internal/tune"
	"plinth/internal/volume"
)

// Builder creates the servers of an experiment's environments on this machine.
type Builder struct {
	experiment *experiment.Experiment
	tuning     *tuning.Tuning
	owners     map[string]*Stand // by environment, those whose data others may share
	journal    *journal.Journal
	launcher   launch.Launcher
	scratch    string
	Rates      Rates                          // of all emulated devices
	Making     func(environment, role string) // called before a volume that takes time to create; may be nil

	// Access is how load generators on other machines reach plinth's own servers, but not their
	// replicas, which no load generator drives; nil if none may.
	Access *engine.Access

	// Series is the same for all builders of an experiment, one after another, that lose their journals; ""
	// if they keep them.
	Series string

	id   string // part of all names it creates: two experiments in one place do not collide
	made int
}

// NewBuilder returns a Builder. Scratch is a private directory, not on a disk under test.
func NewBuilder(t *tuning.Tuning, j *journal.Journal, launcher launch.Launcher, scratch string) *Builder {
	random := make([]byte, 4)
	_, _ = rand.Read(random) // never fails (crypto/rand)
	return &Builder{experiment: t.Experiment, tuning: t, journal: j, launcher: launcher, scratch: scratch,
		owners: map[string]*Stand{}, Rates: Rates{Scale: 1}, id: hex.EncodeToString(random)}
}

// PutUp sets up the storage of an environment and creates its server and its replica, without
// starting them. If it fails, the journal has what was created.
func (b *Builder) PutUp(ctx context.Context, e experiment.Environment) (*Stand, error) {
	id := b.id + strconv.Itoa(b.made) // two may be databases of one server
	b.made++
	s, err := b.newServer(ctx, e, e.Storage.Parts(), id, b.Access)
	if err == nil {
		b.owners[e.Name] = s
	}
	if err != nil || !e.Replica.There() {
		return s, err
	}
	if s.Replica, err = b.newServer(ctx, experiment.ReplicaOf(e), e.Replica.Parts(), id+"r", nil); err != nil {
		return nil, fmt.Errorf("the replica: %w", err)
	}
	if _, can := s.Replica.Server.(engine.Replicator); !can {
		return nil, errors.New("this server cannot be a replica")
	}
	return s, nil
}

// seriesOf returns a text that is the same for all servers of an environment: two environments may have
// databases in one server.
func seriesOf(series, environment string) string {
	sum := sha256.Sum256([]byte(series + "/" + environment))
	return hex.EncodeToString(sum[:8])
}

// newServer sets up parts and creates the server on them.
func (b *Builder) newServer(ctx context.Context, e experiment.Environment, parts []experiment.Part, id string, access *engine.Access) (*Stand, error) {
	family := engines.Of(b.experiment)
	s := &Stand{Environment: e}
	config := engine.Config{
		Experiment: b.experiment, Environment: e, Launcher: b.launcher, Journal: b.journal,
		RunID: id, Scratch: b.scratch,
	}
	var err error
	if engines.Connected(e) {
		if b.Series != "" {
			config.Series = seriesOf(b.Series, e.Name)
			config.RunID = config.Series + id
		}
		s.Server, err = family.Reach(config)
		return s, err
	}
	if access == nil && e.Transport != "" {
		loopback := netip.AddrFrom4([4]byte{127, 0, 0, 1})
		access = &engine.Access{Address: loopback, Drivers: []netip.Addr{loopback}}
	}
	config.Access = access
	if config.User, err = launch.ServerUser(); err != nil {
		return nil, err
	}
	if config.SocketDir, err = volume.SocketDir(b.journal, config.User); err != nil {
		return nil, err
	}
	if e.DataOf != "" {
		owner := b.owners[e.DataOf]
		if owner == nil {
			return nil, fmt.Errorf("its data is that of %s, which is not there yet", e.DataOf)
		}
		s.owner, s.Volumes, s.Group, s.places = owner, owner.Volumes, owner.Group, owner.places
		config.Shares, config.Places = owner.Server, owner.places
		if s.Group != nil {
			config.Groups = s.Group.Directories()
		}
		s.Server, err = family.Make(config)
		return s, err
	}
	name := "plinth-" + id + "-" + e.Name
	if config.Places, err = b.layOut(ctx, s, parts, config.User, name); err != nil {
		return nil, err
	}
	s.places = config.Places
	// A server with limits or a placement runs in control groups.
	if where := b.tuning.Where(e.Name); e.Limits != (experiment.Limits{}) || len(where.CPUs) > 0 || where.Nodes != "" {
		if s.Group, err = limit.Make(b.journal, name, e.Limits, where); err != nil {
			return nil, err
		}
		config.Groups = s.Group.Directories()
	}
	s.Server, err = family.Make(config)
	return s, err
}

// layOut creates the volumes of a stand and returns their places.
func (b *Builder) layOut(ctx context.Context, s *Stand, parts []experiment.Part, owner *launch.User, name string) ([]engine.Place, error) {
	needs, err := engines.Of(b.experiment).Needs(b.experiment, s.Environment)
	if err == nil {
		err = engines.Widen(b.experiment, s.Environment, needs.Volumes)
	}
	if err != nil {
		return nil, err
	}
	var places []engine.Place
	for _, part := range parts {
		if part.Volume.Directory == "" && b.Making != nil { // otherwise it exists already
			b.Making(s.Environment.Name, part.Role)
		}
		v, err := volume.Make(ctx, volume.Options{
			Journal: b.journal, Launcher: b.launcher, Owner: owner, Name: name,
			Size: needs.Volumes[engines.RoleOf(part)], RateScale: b.Rates.Scale, Form: b.Rates.Form, Seed: b.experiment.Seed,
		}, part)
		if err != nil {
			return nil, err
		}
		s.Volumes = append(s.Volumes, v)
		if err := b.tuneDisk(ctx, s, part, v); err != nil {
			return nil, err
		}
		places = append(places, engine.Place{Role: engines.RoleOf(part), Name: part.Name, Dir: v.Path})
	}
	return places, nil
}

// tuneDisk applies the environment's settings to its own disk. They disappear with the disk, or
// are undone from the journal.
func (b *Builder) tuneDisk(ctx context.Context, s *Stand, part experiment.Part, v *volume.Volume) error {
	values, device := b.tuning.Disk(s.Environment.Name, part.Name), v.Facts().Device
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
	s.tuned = append(s.tuned, applied)
	return nil
}
