// Package stand is what a load is driven on: the storage, limits and server of each
// environment, put up, made ready before each run, checked after it, and taken down. A
// replica is a stand of its own. The stage has all of them, and which of their servers is up.
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

// Stand is one environment: its volumes, the limits of its server, the server; and
// its replica, which is a stand of its own.
type Stand struct {
	Environment experiment.Environment
	Server      engine.Server
	Volumes     []*volume.Volume // as the storage names them; none of a server that was there already
	Group       *limit.Group     // nil where the server has no limits
	Described   record.Environment
	loaded      bool            // its dataset is there
	tuned       []*tune.Applied // of its own disks

	Replica   *Stand // nil where it has none
	following bool   // of a replica: it was made one
}

// Facts are those of the volumes; nil where the server is not plinth's own.
func (s *Stand) Facts() []record.Volume {
	var facts []record.Volume
	for _, v := range s.Volumes {
		facts = append(facts, v.Facts())
	}
	return facts
}

// volume is the volume of a role: "data", "wal"; the data's where there is none, as
// that is where the server puts what has no volume of its own.
func (s *Stand) volume(role string) *volume.Volume {
	for _, v := range s.Volumes {
		if v.Role == role || v.Role == experiment.RoleTablespace+" "+role {
			return v
		}
	}
	return s.Volumes[0]
}

// Emulated are the volumes on emulated devices, those of the replica among them.
func (s *Stand) Emulated() []*volume.Volume {
	all := slices.DeleteFunc(slices.Clone(s.Volumes), func(v *volume.Volume) bool { return len(v.Emulators()) == 0 })
	if s.Replica != nil {
		all = append(all, s.Replica.Emulated()...)
	}
	return all
}

// TunedKnobs are those that were set of disks of its own.
func (s *Stand) TunedKnobs() []record.Knob {
	var all []record.Knob
	for _, applied := range s.tuned {
		all = append(all, applied.Knobs()...)
	}
	return all
}

// Describe reads what is really under test. Scale is that of the rates of emulated devices.
func (s *Stand) Describe(ctx context.Context, scale float64) (err error) {
	if s.Described, err = s.Server.Describe(ctx); err != nil {
		return err
	}
	if facts := s.Facts(); facts != nil { // else the server says itself where it keeps its files, if it does
		s.Described.Volumes = facts
	}
	if s.Group != nil {
		s.Described.Limits = s.Group.Facts()
		s.Described.Warnings = append(s.Described.Warnings, s.Group.Notes()...)
	}
	s.Described.Pressure = s.Pressure(scale)
	s.Described.Replica, err = s.describeReplica(ctx)
	return err
}

// remove removes the server, and then what it stood on, going on after a failure.
// What cannot be undone stays in the journal.
func (s *Stand) remove(ctx context.Context) error {
	var failures []error
	if s.Replica != nil {
		failures = append(failures, s.Replica.remove(ctx))
	}
	failures = append(failures, s.Server.Remove(ctx))
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

// LiesOn says what a volume lies on: what must be the same when an experiment is
// resumed. Loop devices get other numbers each time they are made.
func LiesOn(v record.Volume) string {
	if len(v.Made) > 0 {
		return strings.Join(v.Made, ", ")
	}
	return v.Source + " (" + v.Filesystem + ", " + unit.Size(v.Size).String() + ")"
}
