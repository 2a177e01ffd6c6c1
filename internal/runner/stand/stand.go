// Package stand sets up the environments that loads run on. A Stand is one environment with its
// storage, limits and server. Stands are prepared before each run, checked after it, and removed at
// the end. A replica is a separate stand. The Stage holds all stands and knows which of their
// servers is running.
package stand

import (
	"context"
	"errors"
	"slices"
	"strings"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/limit"
	"plinth/internal/record"
	"plinth/internal/tune"
	"plinth/internal/unit"
	"plinth/internal/volume"
)

// Stand is one environment: its volumes, its server with its limits, and its replica, which is
// a separate stand.
type Stand struct {
	Environment experiment.Environment
	Server      engine.Server
	Volumes     []*volume.Volume // in the order of the storage; none for an existing server
	Group       *limit.Group     // nil without limits
	Described   record.Environment
	loaded      bool            // its dataset is loaded
	cold        bool            // its dataset has yet to be read into memory
	tuned       []*tune.Applied // applied to its own disks
	places      []engine.Place
	owner       *Stand // of the volumes, the group and the data; nil if they are its own

	Replica   *Stand // nil without a replica
	following bool   // of a replica: it follows its primary
}

// Facts returns the facts of the volumes; nil if the server is not plinth's own.
func (s *Stand) Facts() []record.Volume {
	var facts []record.Volume
	for _, v := range s.Volumes {
		facts = append(facts, v.Facts())
	}
	return facts
}

// volume returns the volume of a role ("data", "wal"). Without a separate volume for the role
// it returns the data volume, where the server keeps those files.
func (s *Stand) volume(role string) *volume.Volume {
	for _, v := range s.Volumes {
		if v.Role == role || v.Role == experiment.RoleTablespace+" "+role {
			return v
		}
	}
	return s.Volumes[0]
}

// Emulated returns the volumes on emulated devices, including the replica's.
func (s *Stand) Emulated() []*volume.Volume {
	all := slices.DeleteFunc(slices.Clone(s.Volumes), func(v *volume.Volume) bool { return len(v.Emulators()) == 0 })
	if s.Replica != nil {
		all = append(all, s.Replica.Emulated()...)
	}
	return all
}

// TunedKnobs returns the knobs that were set on the stand's own disks.
func (s *Stand) TunedKnobs() []record.Knob {
	if s.owner != nil {
		return s.owner.TunedKnobs()
	}
	var all []record.Knob
	for _, applied := range s.tuned {
		all = append(all, applied.Knobs()...)
	}
	return all
}

// Describe reads what is really under test. Scale is the factor of the emulated devices' rates.
func (s *Stand) Describe(ctx context.Context, scale float64) (err error) {
	if s.Described, err = s.Server.Describe(ctx); err != nil {
		return err
	}
	s.Described.Label, s.Described.Facts, s.Described.DataOf = s.Environment.Label, s.Environment.Facts, s.Environment.DataOf
	s.Described.Instance = instanceOf(s.Environment.Instance)
	if facts := s.Facts(); facts != nil { // otherwise the server may report where its files are
		s.Described.Volumes = facts
	}
	s.Described.Warnings = append(s.Described.Warnings, addSaid(s.Described.Volumes, &s.Environment.Storage, s.reach)...)
	s.Described.Warnings = append(s.Described.Warnings, remoteNotes(s.Described.Volumes)...)
	if s.Group != nil {
		s.Described.Limits = s.Group.Facts()
		s.Described.Warnings = append(s.Described.Warnings, s.Group.Notes()...)
	}
	s.Described.Pressure = s.Pressure(scale)
	s.Described.Replica, err = s.describeReplica(ctx)
	return err
}

// remove removes the server, then its disk settings, volumes and groups, and continues after a
// failure. What cannot be undone stays in the journal.
func (s *Stand) remove(ctx context.Context) error {
	var failures []error
	if s.Replica != nil {
		failures = append(failures, s.Replica.remove(ctx))
	}
	failures = append(failures, s.Server.Remove(ctx))
	if s.owner != nil {
		return errors.Join(failures...)
	}
	for _, applied := range slices.Backward(s.tuned) {
		failures = append(failures, applied.PutBack(ctx))
	}
	for _, v := range slices.Backward(s.Volumes) {
		failures = append(failures, v.Remove(ctx))
	}
	if s.Group != nil {
		failures = append(failures, s.Group.Remove(ctx))
	}
	return errors.Join(failures...)
}

// LiesOn describes the storage under a volume, which must be the same when an experiment is
// resumed. Loop device numbers are left out: they change each time.
func LiesOn(v record.Volume) string {
	if len(v.Made) > 0 {
		return strings.Join(v.Made, ", ")
	}
	return v.Source + " (" + v.Filesystem + ", " + unit.Size(v.Size).String() + ")"
}
