package layout

import (
	"math"

	"plinth/internal/hint"
	"plinth/internal/unit"
)

// Override holds values that take the place of those of an input; nil for none.
type Override struct {
	Size, Growth *unit.Size
	TPS          *float64
	ReadShare    *Share
	Months       *int
	Instance     *string
	Standby      *string
	Budget       *float64
	Target       *unit.Duration
}

// With returns the input with other values. Where the input lists objects, a size or a growth is that
// of all of them, in proportion to what they have, and so is TPS with their reads and writes.
func (in Input) With(o Override) (Input, error) {
	in = in.clone()
	if o.ReadShare != nil {
		if in.rated() {
			return Input{}, hint.Errorf("change the reads and writes of the objects in a file", "the read share cannot be changed: the objects have reads and writes of their own")
		}
		in.ReadShare = o.ReadShare
	}
	if o.TPS != nil {
		in = in.atTPS(*o.TPS)
	}
	if o.Size != nil {
		in = in.ofSize(*o.Size)
	}
	if o.Growth != nil {
		in = in.growing(*o.Growth)
	}
	if o.Instance != nil && *o.Instance != in.Instance {
		in.Instance, in.Drives = *o.Instance, Drives{}
	}
	set(&in.Months, o.Months)
	set(&in.Standby, o.Standby)
	set(&in.Budget, o.Budget)
	set(&in.Target, o.Target)
	return in, in.wrong()
}

// wrong returns the first mistake as an error.
func (in Input) wrong() error {
	if all := in.mistakes(); len(all) > 0 {
		return hint.Errorf(all[0].advice, "%s", all[0].text)
	}
	return nil
}

func set[T any](value, other *T) {
	if other != nil {
		*value = *other
	}
}

// clone returns a copy that shares no maps.
func (in Input) clone() Input {
	objects, others := map[string]Object{}, map[string]Other{}
	for name, o := range in.Objects {
		objects[name] = o
	}
	for name, o := range in.Other {
		others[name] = o
	}
	in.Objects, in.Other = objects, others
	return in
}

func (in Input) atTPS(tps float64) Input {
	if in.TPS > 0 {
		in = in.loaded(tps / in.TPS)
	}
	in.TPS = tps
	return in
}

// loaded returns the input with all its rates multiplied.
func (in Input) loaded(factor float64) Input {
	in = in.clone()
	in.TPS *= factor
	in.WAL.Commits *= factor
	in.WAL.Rate *= unit.Rate(factor)
	in.Temp.Rate *= unit.Rate(factor)
	for name, o := range in.Objects {
		o.Reads *= factor
		o.Writes *= factor
		in.Objects[name] = o
	}
	return in
}

func (in Input) ofSize(size unit.Size) Input {
	now, _ := in.sizes()
	if len(in.Objects) == 0 || now == 0 {
		in.Size = size
		return in
	}
	for name, o := range in.Objects {
		o.Size = part(size, o.Size, now)
		in.Objects[name] = o
	}
	return in
}

// growing spreads a growth over the objects: as they grow now, or else as they are written, or else by
// their sizes.
func (in Input) growing(growth unit.Size) Input {
	size, all := in.sizes()
	if len(in.Objects) == 0 {
		in.Growth = growth
		return in
	}
	writes := 0.0
	for _, o := range in.Objects {
		writes += o.Writes
	}
	for name, o := range in.Objects {
		switch {
		case all > 0:
			o.Growth = part(growth, o.Growth, all)
		case writes > 0:
			o.Growth = unit.Size(math.Round(float64(growth) * o.Writes / writes))
		default:
			o.Growth = part(growth, o.Size, size)
		}
		in.Objects[name] = o
	}
	return in
}

// part returns that part of a size that one part is of all, and at least a byte of what has a part.
func part(size, one, all unit.Size) unit.Size {
	if all == 0 || one == 0 || size == 0 {
		return 0
	}
	return max(1, unit.Size(math.Round(float64(size)*float64(one)/float64(all))))
}
