package tune

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"plinth/internal/hint"
	"plinth/internal/journal"
	"plinth/internal/knob"
	"plinth/internal/record"
)

// Applied is a plan in force, with what is needed to undo it.
type Applied struct {
	journal *journal.Journal
	request Request
	entries []journal.Entry
	knobs   []record.Knob
	undo    *undo
}

// Apply makes the changes of a plan. It journals each previous value before it makes the change,
// and reads the new value back afterwards. If one change fails, Apply undoes the others and
// returns the error, joined with a *PutBackError for anything that could not be undone.
//
// Apply ignores knobs that are in force only while a command runs: see Around. The caller holds
// the Lock.
func Apply(ctx context.Context, j *journal.Journal, r Request, p *Plan) (*Applied, error) {
	return apply(ctx, j, r, p, "")
}

func apply(ctx context.Context, j *journal.Journal, r Request, p *Plan, until string) (*Applied, error) {
	if err := p.applicable(); err != nil {
		return nil, err
	}
	a := &Applied{journal: j, request: r, undo: r.undo()}
	err := a.changes(ctx, p, until)
	if err == nil {
		return a, nil
	}
	// A cancelled context stops the changes, not the undo.
	return nil, errors.Join(err, a.PutBack(context.WithoutCancel(ctx)))
}

// applicable returns an error that lists the changes that cannot be made; nil if all can.
func (p *Plan) applicable() error {
	var failures []error
	for _, c := range p.Changes {
		if c.State == Cannot {
			failures = append(failures, hint.Errorf(c.Hint, "cannot set %s to %s: %s", c.Key, c.Then, c.Problem))
		}
	}
	return errors.Join(failures...)
}

func (r Request) undo() *undo {
	u := &undo{machine: r.Machine, servers: map[string]Server{}, domains: map[string]Domain{}}
	if r.Server != nil {
		u.servers[r.Server.Name()] = r.Server
	}
	if r.Domain != nil {
		u.domains[r.Domain.Name()] = r.Domain
	}
	u.reset()
	return u
}

// changes makes all changes, then reads all of them back again: a later change may have altered
// an earlier one.
func (a *Applied) changes(ctx context.Context, p *Plan, until string) error {
	if !a.anything(p) {
		return nil
	}
	if err := a.note(beginKind, begin{p.Profiles}); err != nil {
		return err
	}
	for i, c := range p.Changes {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("cannot set %s to %s: %w", c.Key, c.Then, context.Cause(ctx))
		}
		if err := a.change(ctx, p, i); err != nil {
			return fmt.Errorf("cannot set %s to %s: %w", c.Key, c.Then, err)
		}
	}
	if err := a.reload(ctx, p); err != nil {
		return err
	}
	for _, c := range p.Changes {
		if err := a.readBack(c); err != nil {
			return err
		}
	}
	last := end{Profiles: p.Profiles, Until: until, Boot: a.request.Machine.Boot()}
	last.Left, last.Was = a.left(ctx)
	if until != "" {
		last.Plan = p
	}
	return a.note(endKind, last)
}

// anything reports whether there is anything to change. A plan that is already in force leaves
// nothing to undo.
func (a *Applied) anything(p *Plan) bool {
	needed := false
	for _, c := range p.Changes {
		k := c.Knob()
		switch {
		case c.State == NotApplicable || heldOnly(k):
		case len(c.Files) > 0:
			needed = needed || a.readBack(c) != nil
		default:
			needed = needed || c.State != InForce
		}
	}
	if !needed {
		for _, c := range p.Changes {
			if k := c.Knob(); c.State != NotApplicable && !heldOnly(k) {
				a.knobs = append(a.knobs, c.recorded(c.Now, c.Now))
			}
		}
	}
	return needed
}

func (a *Applied) note(kind string, args any) error {
	e, err := a.journal.Note(kind, args)
	if err == nil {
		a.entries = append(a.entries, e)
	}
	return err
}

// change makes one change, along with those that must be made at the same time.
func (a *Applied) change(ctx context.Context, p *Plan, i int) error {
	c := p.Changes[i]
	k := c.Knob()
	switch {
	case c.State == NotApplicable:
		a.knobs = append(a.knobs, c.recorded("", ""))
		return nil
	case heldOnly(k):
		return nil
	case c.Layer == knob.Server:
		return a.setServer(ctx, c)
	case k.Scope == knob.OfDomain:
		return a.setDomain(ctx, p, i)
	case k.Scope == knob.OfMount:
		return a.setMount(c)
	}
	return a.setFiles(p, k, c)
}

// recorded returns a change in the form that records use.
func (c Change) recorded(was, value string) record.Knob {
	n := record.Knob{Layer: string(c.Layer), Key: c.Key.String(), Was: was, Value: value,
		Group: c.Group, From: c.From, Reason: c.Reason, Host: c.HostWide()}
	if c.State == NotApplicable {
		n.Value, n.NotApplicable = c.Then, c.Problem
	}
	return n
}

// setFiles writes those files of a knob that do not have the value yet.
func (a *Applied) setFiles(p *Plan, k knob.Knob, c Change) error {
	if k.Excludes != "" && c.Then == "0" {
		if other := p.find(k.Excludes); other != nil && other.Then != "0" {
			return nil // writing the other one zeroes it
		}
	}
	n := knobChange{Knob: c.Key.String(), Set: c.Then, Boot: a.request.Machine.Boot()}
	var values []string
	for _, path := range c.Files {
		was, err := read(a.request.Machine, path)
		if err != nil {
			return err
		}
		values = append(values, was)
		if !same(n.Knob, was, c.Then) {
			n.Files = append(n.Files, file{path, was})
		}
	}
	n.Was = wordsOf(values)
	if len(n.Files) == 0 {
		a.knobs = append(a.knobs, c.recorded(n.Was, n.Was))
		return nil
	}
	if err := a.company(k, c, &n); err != nil {
		return err
	}
	if err := a.note(knobKind, n); err != nil {
		return err
	}
	if err := a.writeFiles(k, c, n.Files); err != nil {
		for _, f := range n.Files { // undo would take what the kernel made of the value for that of another process
			if now, failed := read(a.request.Machine, f.Path); failed == nil && now != f.Was {
				_ = a.request.Machine.Write(f.Path, f.Was)
			}
		}
		return err
	}
	now, err := read(a.request.Machine, c.Files[0])
	a.knobs = append(a.knobs, c.recorded(n.Was, now))
	return err
}

// writeFiles writes the value of a knob to its files, and reads it back.
func (a *Applied) writeFiles(k knob.Knob, c Change, files []file) error {
	for _, f := range files {
		if err := writeWhole(a.request.Machine, k, f.Path, c.Then); err != nil {
			// Only the kernel's reason: the message has the path already.
			return hint.Errorf("plinth tune knobs "+k.Name+" shows its valid values", "the kernel rejected the value (%s: %s)", f.Path, errno(err))
		}
	}
	return a.readBack(c)
}

// mostWrites limits how often a value is written when the kernel provides only part of it.
const mostWrites = 8

// writeWhole writes a value, and repeats the write while the kernel provides only part of it:
// allocating huge pages migrates other pages, so the next attempt may find more free memory. The
// caller reads back the result.
func writeWhole(m Machine, k knob.Knob, path, value string) error {
	for range mostWrites {
		if err := m.Write(path, value); err != nil || !k.Partial {
			return err
		}
		if now, err := read(m, path); err != nil || same(k.Name, now, value) {
			return nil
		}
	}
	return nil
}

// company records the values that the kernel changes along with a knob.
func (a *Applied) company(k knob.Knob, c Change, n *knobChange) error {
	names := k.Coupled
	if k.Excludes != "" {
		names = []string{k.Excludes}
	}
	for _, name := range names {
		other, there := knob.Find(name)
		if !there {
			continue
		}
		on := c.Key.On
		if other.Scope == knob.OfHost || k.Scope != other.Scope {
			on = "" // the whole machine, or all of its nodes
		}
		t, err := a.request.targetOf(other, on)
		if err != nil {
			return err
		}
		for _, path := range t.files {
			was, err := read(a.request.Machine, path)
			if gone(err) {
				continue
			}
			if err != nil {
				// wbt_lat_usec of a device without write-back throttling cannot be read, and does
				// not change.
				continue
			}
			if k.Excludes != "" {
				n.Partner = &file{path, was}
				continue
			}
			n.Coupled = append(n.Coupled, file{path, was})
		}
	}
	return nil
}

// readBack returns an error if a file of a change does not have the requested value.
func (a *Applied) readBack(c Change) error {
	if c.State == NotApplicable || len(c.Files) == 0 {
		return nil
	}
	if k := c.Knob(); heldOnly(k) {
		return nil
	}
	for _, path := range c.Files {
		now, err := read(a.request.Machine, path)
		if gone(err) {
			continue
		}
		if err != nil {
			return err
		}
		if !same(c.Key.String(), now, c.Then) {
			return hint.Errorf("choose a value that this machine accepts", "the kernel set it to %s (%s)", now, path)
		}
	}
	return nil
}

// left returns what all changed places, coupled ones included, have after the apply, and what
// each had before.
func (a *Applied) left(ctx context.Context) (left, was map[string]string) {
	left, was = map[string]string{}, map[string]string{}
	for _, e := range a.entries {
		for place, before := range placesOf(e) {
			if _, there := was[place]; there {
				continue // the first change found the original value
			}
			if now, there := a.undo.now(ctx, place); there {
				left[place], was[place] = now, before
			}
		}
	}
	return left, was
}

// PutBack undoes all changes, the last one first, and then reads all of them back. It leaves a
// value that another process changed meanwhile, and returns a *TheirsError for it. That, and
// anything that could not be undone, stays in the journal and is returned in a *PutBackError.
func (a *Applied) PutBack(ctx context.Context) error {
	failures := a.journal.Undo(ctx, a.undo.undoers(), a.entries)
	a.entries = nil
	return notPutBack(failures.Err())
}

// Knobs returns the changes as records have them, each with the value that was read back.
func (a *Applied) Knobs() []record.Knob { return slices.Clone(a.knobs) }
