package page

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"plinth/internal/record"
)

// labelled is a column that matches a placeholder in braces, and the text that replaces the
// placeholder.
type labelled struct {
	label, column string
	size          float64 // the sum of its seconds
}

// greatest returns the columns that match a line's placeholder in braces, the largest first.
func (d *drawing) greatest(p plan, l line) ([]labelled, error) {
	// One placeholder may have several parts: "wait.{type}.{event}".
	before, _, _ := strings.Cut(l.column, "{")
	after := l.column[strings.LastIndexByte(l.column, '}')+1:]
	var found []labelled
	for _, name := range d.points.Names() {
		label, begins := strings.CutPrefix(name, before)
		label, ends := strings.CutSuffix(label, after)
		if !begins || !ends || label == "" || p.names(name) {
			continue
		}
		values, err := d.values(p, name)
		if err != nil {
			return nil, err
		}
		if size, known := sum(values); known {
			found = append(found, labelled{label, name, size})
		}
	}
	slices.SortStableFunc(found, func(a, b labelled) int {
		return cmp.Or(cmp.Compare(b.size, a.size), strings.Compare(a.column, b.column))
	})
	return found, nil
}

// names reports whether a plan refers to a column explicitly.
func (p plan) names(column string) bool {
	return column == p.known || slices.ContainsFunc(p.lines, func(l line) bool { return l.column == column })
}

// values reads a column. If the plan has a known column, gaps are zero in the seconds where that
// column has a value.
func (d *drawing) values(p plan, column string) ([]float64, error) {
	values, err := d.points.Column(column)
	if err != nil || !d.has[p.known] {
		return values, err
	}
	observed, err := d.points.Column(p.known)
	if err != nil {
		return nil, err
	}
	for i, v := range values {
		if !isKnown(v) && isKnown(observed[i]) {
			values[i] = 0
		}
	}
	return values, nil
}

// sum returns the sum of the known values, and whether there are any.
func sum(values []float64) (total float64, known bool) {
	for _, v := range values {
		if isKnown(v) {
			total, known = total+v, true
		}
	}
	return total, known
}

func (s Series) empty() bool {
	return !slices.ContainsFunc(s.Values, func(n Number) bool { return isKnown(float64(n)) })
}

// zero reports whether every second is zero or unknown.
func (s Series) zero() bool {
	isValue := func(n Number) bool { return n != 0 && !math.IsNaN(float64(n)) }
	return !slices.ContainsFunc(s.Values, isValue) &&
		!slices.ContainsFunc(s.Low, isValue) && !slices.ContainsFunc(s.High, isValue)
}

func allZero(all []Series) bool {
	return !slices.ContainsFunc(all, func(s Series) bool { return !s.zero() })
}

// places returns the devices that hold the data and the WAL; if neither is known, the disk with
// the most writes.
func (d *drawing) places(volumes []record.Volume) ([]place, error) {
	data, wal := record.DevicesOf(volumes, "data"), record.DevicesOf(volumes, "wal")
	var found []place
	for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(data, wal)))) {
		found = append(found, place{name, clean(name) + " (" + roles(slices.Contains(data, name), slices.Contains(wal, name), len(wal) == 0) + ")"})
	}
	if len(found) > 0 {
		return found, nil
	}
	disks, err := d.greatest(plan{}, line{column: "diskstats.{disk}.writes"})
	for _, busiest := range disks[:min(1, len(disks))] {
		if busiest.size > 0 {
			found = append(found, place{busiest.label, clean(busiest.label)})
		}
	}
	return found, err
}

// roles returns the contents of a device. Without a separate volume the WAL is on the data device.
func roles(data, wal, together bool) string {
	switch {
	case data && (wal || together):
		return "data, WAL"
	case data:
		return "data"
	}
	return "WAL"
}
