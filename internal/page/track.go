package page

import (
	"fmt"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
)

const (
	mostLayers = 8  // per line of a stacked track; the rest are summed
	mostLines  = 12 // per line of other tracks; the rest are omitted

	longName = 60  // maximum characters of a series' name
	longText = 300 // maximum characters of a mark's text
)

// drawing creates the tracks of one run.
type drawing struct {
	points *record.PointsFile
	grid   timeGrid
	has    map[string]bool
	disks  []place
	words  experiment.Terms
}

// place is a device, and the server's files on it.
type place struct {
	name  string // "vda"
	title string // "vda (data, WAL)"
}

func newDrawing(points *record.PointsFile, grid timeGrid, volumes []record.Volume, words experiment.Terms) (*drawing, error) {
	d := &drawing{points: points, grid: grid, words: words, has: map[string]bool{}}
	for _, name := range points.Names() {
		d.has[name] = true
	}
	var err error
	d.disks, err = d.places(volumes)
	return d, err
}

// tracks returns the tracks for which the run has data.
func (d *drawing) tracks() ([]Track, error) {
	var all []Track
	for _, p := range plans {
		for _, p := range p.at(d.disks) {
			t, err := d.track(p)
			if err != nil {
				return nil, err
			}
			if len(t.Series) > 0 {
				all = append(all, t)
			}
		}
	}
	return all, nil
}

// at returns the plan for each device, or the plan itself if it does not refer to devices.
func (p plan) at(disks []place) []plan {
	if !strings.Contains(p.id, disk) {
		return []plan{p}
	}
	var all []plan
	for _, place := range disks {
		own := p
		own.id = strings.ReplaceAll(p.id, disk, clean(place.name))
		own.title = strings.ReplaceAll(p.title, disk, place.title)
		own.lines = nil
		for _, l := range p.lines {
			l.column = strings.ReplaceAll(l.column, disk, place.name)
			own.lines = append(own.lines, l)
		}
		all = append(all, own)
	}
	return all
}

func (d *drawing) track(p plan) (Track, error) {
	t := Track{ID: p.id, Title: p.title, Unit: p.unit, Stack: p.stack, Log: p.log}
	left := 0
	for _, l := range p.lines {
		series, more, err := d.series(p, l)
		if err != nil {
			return t, err
		}
		t.Series = append(t.Series, series...)
		left += more
	}
	if p.rare && allZero(t.Series) {
		t.Series = nil
	}
	if left > 0 {
		t.Title += fmt.Sprintf(" (%d more not shown)", left)
	}
	return t, nil
}

// series returns the series of a line: one, or the largest that match its placeholder in braces,
// and the number of omitted ones.
func (d *drawing) series(p plan, l line) (all []Series, left int, err error) {
	if !strings.Contains(l.column, "{") {
		s, err := d.one(p, l, d.words.Say(l.name), l.column)
		return shown(l, s), 0, err
	}
	found, err := d.greatest(p, l)
	if err != nil {
		return nil, 0, err
	}
	most := mostLines
	if p.stack {
		most = mostLayers
	}
	for _, f := range found[:min(most, len(found))] {
		s, err := d.one(p, l, strings.ReplaceAll(l.name, "{}", f.label), f.column)
		if err != nil {
			return nil, 0, err
		}
		all = append(all, shown(l, s)...)
	}
	rest := found[min(most, len(found)):]
	if !p.stack {
		return all, len(rest), nil
	}
	if len(rest) > 0 {
		s, err := d.other(p, l, rest)
		return append(all, shown(l, s)...), 0, err
	}
	return all, 0, nil
}

// one returns the series of one column, without values if the column does not exist.
func (d *drawing) one(p plan, l line, name, column string) (Series, error) {
	if !d.has[column] {
		return Series{}, nil
	}
	values, err := d.values(p, column)
	return d.make(p, l, clean(name), clean(column), values), err
}

// other returns the sum of columns as a series.
func (d *drawing) other(p plan, l line, columns []labelled) (Series, error) {
	var sum []float64
	for _, c := range columns {
		values, err := d.values(p, c.column)
		if err != nil {
			return Series{}, err
		}
		sum = added(sum, values)
	}
	return d.make(p, l, fmt.Sprintf("%d others", len(columns)), "", sum), nil
}

// added returns a plus b, where a gap in one of them counts as zero.
func added(a, b []float64) []float64 {
	if a == nil {
		return b
	}
	for i, v := range b {
		switch {
		case !isKnown(a[i]):
			a[i] = v
		case isKnown(v):
			a[i] += v
		}
	}
	return a
}

func (d *drawing) make(p plan, l line, name, column string, values []float64) Series {
	t := d.grid.thin(values)
	for _, part := range [][]Number{t.mean, t.low, t.high} {
		for i := range part {
			part[i] *= Number(l.scale)
		}
	}
	s := Series{Name: name, Column: column, Values: t.mean}
	if p.worst {
		s.Values = t.high
	}
	if d.grid.step > 1 {
		s.Low, s.High = t.low, t.high
	}
	return s
}

// shown returns s, or nothing if it has nothing to show.
func shown(l line, s Series) []Series {
	if s.empty() || l.rare && s.zero() {
		return nil
	}
	return []Series{s}
}

// clean makes an untrusted name safe to show.
func clean(name string) string { return cut(name, longName) }

// cut cleans text and shortens it to at most most characters.
func cut(text string, most int) string {
	runes := []rune(prose.Clean(text))
	if len(runes) > most {
		return string(runes[:most-3]) + "..."
	}
	return string(runes)
}
