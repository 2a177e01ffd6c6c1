package tune

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	"plinth/internal/hint"
	"plinth/internal/journal"
	"plinth/internal/knob"
)

// Reached is a server or a libvirt domain that undoers may restore.
type Reached interface{ Name() string }

// Undoers returns functions that undo what an apply changed, whatever happened since. Servers and
// domains are needed only if the journal names them.
//
// The functions share state: the beginning of a journal, which is undone last, reads back what
// the others restored.
func Undoers(m Machine, reached ...Reached) journal.Undoers {
	u := &undo{machine: m, servers: map[string]Server{}, domains: map[string]Domain{}}
	for _, r := range reached {
		switch r := r.(type) {
		case Server:
			u.servers[r.Name()] = r
		case Domain:
			u.domains[r.Name()] = r
		}
	}
	u.reset()
	return u.undoers()
}

func (u *undo) undoers() journal.Undoers {
	return journal.Undoers{
		endKind: u.undoEnd, knobKind: u.marking(u.undoKnob), mountKind: u.marking(u.undoMount),
		domainKind: u.marking(u.undoDomain), serverKind: u.marking(u.undoServer), beginKind: u.undoBegin,
	}
}

// marking wraps an undoer to note its failure: something stays in the journal.
func (u *undo) marking(undo journal.Undoer) journal.Undoer {
	return func(ctx context.Context, args json.RawMessage) error {
		err := undo(ctx, args)
		u.failed = u.failed || err != nil
		return err
	}
}

// undo is the state of undoing one journal.
type undo struct {
	machine Machine
	servers map[string]Server
	domains map[string]Domain

	failed bool              // something could not be undone
	known  bool              // the apply completed: what it left is known
	theirs map[string]string // what another process changed since, with its current value
	told   map[string]bool   // which of theirs have been reported
	want   map[string]file   // what was restored, by path: the first change's value counts
	order  []string          // the paths of want, in the order of restoring
	keys   map[string]string // the knobs of the paths
	pairs  map[string]knobChange
}

func (u *undo) reset() {
	u.failed, u.known, u.theirs, u.told = false, false, map[string]string{}, map[string]bool{}
	u.want, u.keys, u.pairs = map[string]file{}, map[string]string{}, map[string]knobChange{}
	u.order = nil
}

// undoEnd undoes nothing. It finds what another process changed since the apply, before restoring
// one value changes another. The entry stays as long as there is such a value.
func (u *undo) undoEnd(ctx context.Context, args json.RawMessage) error {
	var e end
	if err := json.Unmarshal(args, &e); err != nil {
		return err
	}
	u.reset()
	u.known = true
	for place, left := range e.Left {
		if e.Boot != u.machine.Boot() && !strings.HasPrefix(place, domainPrefix) {
			continue // the values of this boot do not count
		}
		now, there := u.now(ctx, place)
		if there && now != left && now != e.Was[place] {
			u.theirs[place] = now
		}
	}
	if len(u.theirs) > 0 {
		return journal.ErrStays
	}
	return nil
}

// now returns the value of a file, mount or domain; false if it cannot be read: its own undoer
// says why.
func (u *undo) now(ctx context.Context, place string) (string, bool) {
	if name, is := strings.CutPrefix(place, domainPrefix); is {
		d := u.domains[name]
		if d == nil {
			return "", false
		}
		xml, err := d.XML(ctx)
		return xml, err == nil
	}
	if mountPoint, is := strings.CutPrefix(place, mountPrefix); is {
		mount, there, err := mountAt(u.machine, mountPoint)
		return mount.Options, there && err == nil
	}
	now, err := read(u.machine, place)
	return now, err == nil
}

// undoKnob restores the files of a knob.
func (u *undo) undoKnob(_ context.Context, args json.RawMessage) error {
	var c knobChange
	if err := json.Unmarshal(args, &c); err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	if c.Boot != "" && c.Boot != u.machine.Boot() {
		return nil
	}
	if c.Partner != nil {
		return u.undoPair(c)
	}
	var failures []error
	ours := false
	for _, f := range c.Files {
		err := u.undoFile(c, f)
		var theirs *TheirsError
		ours = ours || !errors.As(err, &theirs)
		failures = append(failures, err)
	}
	if ours {
		for _, f := range c.Coupled {
			failures = append(failures, u.undoCoupled(c, f))
		}
	}
	return errors.Join(failures...)
}

// check refuses entries that this package never writes to a journal.
func (c knobChange) check() error {
	all := append(append([]file{}, c.Files...), c.Coupled...)
	if c.Partner != nil {
		all = append(all, *c.Partner)
	}
	for _, f := range all {
		kernel := strings.HasPrefix(f.Path, "/proc/sys/") || strings.HasPrefix(f.Path, "/proc/irq/") || strings.HasPrefix(f.Path, "/sys/")
		if !kernel || path.Clean(f.Path) != f.Path {
			return fmt.Errorf("cannot restore %q: it is not a kernel file", f.Path)
		}
	}
	if len(c.Files) == 0 {
		return fmt.Errorf("cannot restore %s: the journal entry is incomplete", c.Knob)
	}
	return nil
}

// undoFile restores one file, unless another process has changed it since.
func (u *undo) undoFile(c knobChange, f file) error {
	now, err := read(u.machine, f.Path)
	if gone(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", f.Path, err)
	}
	switch {
	case now == f.Was:
	case u.ours(c, f, now):
		if err := u.write(c.Knob, f); err != nil {
			return err
		}
	default:
		return u.leave(c, f, now)
	}
	u.remember(c.Knob, f)
	return nil
}

// ours reports whether plinth set a file's current value. If plinth died, what it left is
// unknown: then the value to set counts, and the kernel's intermediate values.
func (u *undo) ours(c knobChange, f file, now string) bool {
	if u.known {
		_, theirs := u.theirs[f.Path]
		return !theirs
	}
	return same(c.Knob, now, c.Set) || onTheWay(c, f, now)
}

// leave leaves a value that another process set.
func (u *undo) leave(c knobChange, f file, now string) error {
	u.theirs[f.Path], u.told[f.Path] = now, true
	return hint.Wrap(&TheirsError{c.Knob, f.Path, f.Was, c.Set, now}, adoptHint)
}

// undoCoupled restores what the kernel changed along with a knob. A value that another process
// set is written again if restoring the knob has changed it.
func (u *undo) undoCoupled(c knobChange, f file) error {
	now, err := read(u.machine, f.Path)
	if gone(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", f.Path, err)
	}
	if theirs, is := u.theirs[f.Path]; is {
		if now != theirs {
			err = u.write(c.Knob, file{f.Path, theirs})
		}
		if !u.told[f.Path] {
			err = errors.Join(err, u.leave(c, f, theirs))
		}
		return err
	}
	if now != f.Was {
		if err := u.write(c.Knob, f); err != nil {
			return err
		}
	}
	u.remember(c.Knob, f)
	return nil
}

const (
	// longestFreeing is how long write waits for huge pages that are in use: the memory of a process that has ended is free
	// a moment after its files are gone.
	longestFreeing = 2 * time.Second
	freeingStep    = 20 * time.Millisecond
)

// write restores a value, and reads it back.
func (u *undo) write(key string, f file) error {
	k, _ := knob.Find(knob.ParseKey(key).Knob)
	if err := writeWhole(u.machine, k, f.Path, f.Was); err != nil {
		if gone(err) {
			return nil
		}
		return fmt.Errorf("cannot write %q to %s: %w", f.Was, f.Path, err)
	}
	for began := time.Now(); ; <-time.After(freeingStep) {
		now, err := read(u.machine, f.Path)
		if gone(err) || err == nil && same(key, now, f.Was) {
			return nil
		}
		if err != nil || !k.Partial || !freeing(now, f.Was) || time.Since(began) > longestFreeing {
			return errors.Join(err, fmt.Errorf("cannot write %q to %s: the kernel set it to %q", f.Was, f.Path, now))
		}
	}
}

// freeing reports whether a number of huge pages is to become less: the kernel frees them as soon as no process uses them.
func freeing(now, want string) bool {
	there, err := strconv.ParseInt(now, 10, 64)
	wanted, wrong := strconv.ParseInt(want, 10, 64)
	return err == nil && wrong == nil && there > wanted
}

func (u *undo) remember(key string, f file) {
	if _, there := u.want[f.Path]; !there {
		u.order = append(u.order, f.Path)
	}
	u.want[f.Path], u.keys[f.Path] = f, key
}

// passes limits how often the reading back is repeated: restoring one file may change another in
// ways that the catalog does not know.
const passes = 3

// undoBegin reads back all that was restored, until everything is as it was. The entry stays as
// long as any other does, so that the next attempt starts at the same place.
func (u *undo) undoBegin(context.Context, json.RawMessage) error {
	defer u.reset()
	var failures []error
	for range passes {
		failures = nil
		changed := false
		for _, path := range u.order {
			wrote, err := u.readBack(path)
			changed = changed || wrote
			failures = append(failures, err)
		}
		if !changed {
			break
		}
	}
	if err := errors.Join(failures...); err != nil {
		return err
	}
	if u.failed {
		return journal.ErrStays
	}
	return nil
}

func (u *undo) readBack(path string) (wrote bool, err error) {
	if _, theirs := u.theirs[path]; theirs {
		return false, nil
	}
	f := u.want[path]
	now, err := read(u.machine, path)
	if gone(err) || err == nil && now == f.Was {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("cannot read %s: %w", path, err)
	}
	if pair, is := u.pairs[path]; is {
		return true, u.putPair(pair)
	}
	return true, u.write(u.keys[path], f)
}

// gone reports whether a file has ceased to exist: a device was unplugged, a CPU went offline.
// Nothing of plinth's is left in it.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENODEV) }
