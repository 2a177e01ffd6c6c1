package tune

import (
	"errors"
	"fmt"
	"strconv"

	"plinth/internal/knob"
)

// A pair is two knobs of which one is zero whenever the other is not: vm.dirty_bytes and
// vm.dirty_ratio. Writing one makes the kernel zero the other, and the kernel refuses zero bytes.

// undoPair restores both knobs of a pair, by writing the one that was not zero.
func (u *undo) undoPair(c knobChange) error {
	own, partner := c.Files[0], *c.Partner
	now, err := read(u.machine, own.Path)
	if gone(err) {
		return nil
	}
	other, failed := read(u.machine, partner.Path)
	if failed != nil && !gone(failed) {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", c.Knob, err)
	}
	switch {
	case now == own.Was && other == partner.Was:
	case u.oursPair(c, now, other):
		if err := u.putPair(c); err != nil {
			return err
		}
	default:
		u.theirs[partner.Path] = other
		return u.leave(c, own, now)
	}
	for _, f := range []file{own, partner} {
		u.remember(c.Knob, f)
		u.pairs[f.Path] = c
	}
	return nil
}

func (u *undo) oursPair(c knobChange, now, other string) bool {
	if u.known {
		_, own := u.theirs[c.Files[0].Path]
		_, partner := u.theirs[c.Partner.Path]
		return !own && !partner
	}
	// putPair writes a one as an intermediate value if both were zero.
	both := c.Files[0].Was == "0" && c.Partner.Was == "0"
	return same(c.Knob, now, c.Set) || both && (now == "1" || other == "1")
}

// putPair writes the one of a pair that was not zero. If both were zero, it zeroes the one that
// the kernel allows to be zero, after writing a one: writing an unchanged value does not zero the
// partner.
func (u *undo) putPair(c knobChange) error {
	own, partner := c.Files[0], *c.Partner
	switch {
	case own.Was != "0":
		return u.write(c.Knob, own)
	case partner.Was != "0":
		return u.write(c.Knob, partner)
	}
	for _, f := range []file{own, partner} {
		if u.machine.Write(f.Path, "1") == nil && u.machine.Write(f.Path, "0") == nil {
			break
		}
	}
	for _, f := range []file{own, partner} {
		if now, err := read(u.machine, f.Path); err != nil || now != "0" {
			return errors.Join(err, fmt.Errorf("cannot restore %s: %s is %q, but must be 0, as before the change", c.Knob, f.Path, now))
		}
	}
	return nil
}

// filledInPart holds knobs of which the kernel may provide less than requested: huge pages for
// which there is no contiguous memory. A value in between therefore counts as plinth's.
var filledInPart = map[string]bool{"vm.nr_hugepages": true, "nr_hugepages": true}

// onTheWay reports whether the kernel may reach a value between the previous and the set one, in
// either direction. The machine's huge pages are the sum of those of its nodes, which are
// restored one after the other.
func onTheWay(c knobChange, f file, now string) bool {
	if !filledInPart[knob.ParseKey(c.Knob).Knob] {
		return false
	}
	was, err1 := strconv.ParseInt(f.Was, 10, 64)
	set, err2 := strconv.ParseInt(c.Set, 10, 64)
	n, err3 := strconv.ParseInt(now, 10, 64)
	if errors.Join(err1, err2, err3) != nil {
		return false
	}
	if len(c.Coupled) > 0 {
		return 0 <= n && n <= 2*max(was, set)
	}
	return min(was, set) <= n && n <= max(was, set)
}
