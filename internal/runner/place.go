package runner

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

// place is one environment: its volumes, the limits of its server, the server; and
// its replica, which is a place of its own.
type place struct {
	environment experiment.Environment
	server      engine.Server
	volumes     []*volume.Volume // as the storage names them; none of a server that was there already
	group       *limit.Group     // nil where the server has no limits
	described   record.Environment
	loaded      bool            // its dataset is there
	tuned       []*tune.Applied // of its own disks

	replica   *place // nil where it has none
	following bool   // of a replica: it was made one
}

// facts are those of the volumes; nil where the server is not plinth's own.
func (p *place) facts() []record.Volume {
	var facts []record.Volume
	for _, v := range p.volumes {
		facts = append(facts, v.Facts())
	}
	return facts
}

// volume is the volume of a role: "data", "wal"; the data's where there is none, as
// that is where the server puts what has no volume of its own.
func (p *place) volume(role string) *volume.Volume {
	for _, v := range p.volumes {
		if v.Role == role || v.Role == experiment.RoleTablespace+" "+role {
			return v
		}
	}
	return p.volumes[0]
}

// emulated are the volumes on emulated devices, those of the replica among them.
func (p *place) emulated() []*volume.Volume {
	all := slices.DeleteFunc(slices.Clone(p.volumes), func(v *volume.Volume) bool { return len(v.Emulators()) == 0 })
	if p.replica != nil {
		all = append(all, p.replica.emulated()...)
	}
	return all
}

// tunedKnobs are those that were set of disks of its own.
func (p *place) tunedKnobs() []record.Knob {
	var all []record.Knob
	for _, applied := range p.tuned {
		all = append(all, applied.Knobs()...)
	}
	return all
}

// remove removes the server, and then what it stood on, going on after a failure.
// What cannot be undone stays in the journal.
func (p *place) remove(ctx context.Context) error {
	var failures []error
	if p.replica != nil {
		failures = append(failures, p.replica.remove(ctx))
	}
	failures = append(failures, p.server.Remove(ctx))
	for _, applied := range slices.Backward(p.tuned) {
		failures = append(failures, applied.PutBack(ctx))
	}
	for _, v := range slices.Backward(p.volumes) {
		failures = append(failures, v.Remove(ctx))
	}
	if p.group != nil {
		failures = append(failures, p.group.Remove(ctx))
	}
	return errors.Join(failures...)
}

// lies says what a volume lies on: what must be the same when an experiment is
// resumed. Loop devices get other numbers each time they are made.
func lies(v record.Volume) string {
	if len(v.Made) > 0 {
		return strings.Join(v.Made, ", ")
	}
	return v.Source + " (" + v.Filesystem + ", " + unit.Size(v.Size).String() + ")"
}
