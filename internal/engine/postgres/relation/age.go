package relation

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Age is how the values of a column are distributed in a table, as ANALYZE found it: when the rows are from.
// https://www.postgresql.org/docs/current/view-pg-stats.html
type Age struct {
	Table  Name   `json:"table"`
	Column string `json:"column"`
	// Numbers: the column has whole numbers, which ascend with time; otherwise values are times, in
	// seconds since 1970.
	Numbers     bool `json:"numbers,omitempty"`
	Partitioned bool `json:"partitioned,omitempty"`
	// Now is the server's time in the column's time zone, in seconds since 1970.
	Now float64 `json:"now_s"`
	// Parts are the table itself or its partitions, the largest ones; Left is how many more there are.
	Parts []AgePart `json:"parts"`
	Left  int       `json:"parts_left_out,omitempty"`
}

// AgePart is the statistics of the column in a table or a partition. A fraction is one of its rows.
type AgePart struct {
	Name
	Size  int64   `json:"size_bytes"` // with its toast, without indexes
	Rows  float64 `json:"rows"`       // estimate of the planner; -1 if it was never analyzed
	Bound string  `json:"bound,omitempty"`
	// Known: there are statistics of the column. The rest is zero otherwise.
	Known bool    `json:"known"`
	Nulls float64 `json:"null_fraction,omitempty"`
	// Common are the most common values, Fractions how common they are.
	Common    []float64 `json:"common,omitempty"`
	Fractions []float64 `json:"common_fractions,omitempty"`
	// Bounds divide all other values into groups of as many rows each.
	Bounds []float64 `json:"bounds,omitempty"`
}

// Below returns the fraction of the rows with a value below a limit. Within a group, values are taken to be
// evenly distributed.
func (p AgePart) Below(limit float64) float64 {
	common, below := 0.0, 0.0
	for i, v := range p.Common {
		common += p.Fractions[i]
		if v < limit {
			below += p.Fractions[i]
		}
	}
	rest := max(0, 1-p.Nulls-common)
	switch {
	case len(p.Bounds) > 1:
		below += rest * inBounds(p.Bounds, limit)
	case common > 0: // as the common values
		below *= 1 + rest/common
	}
	return min(1, below)
}

// inBounds returns which part of the values is below a limit.
func inBounds(bounds []float64, limit float64) float64 {
	at, found := slices.BinarySearch(bounds, limit)
	switch {
	case at == 0:
		return 0
	case at == len(bounds):
		return 1
	case found:
		return float64(at) / float64(len(bounds)-1)
	}
	low, high := bounds[at-1], bounds[at]
	return (float64(at-1) + (limit-low)/(high-low)) / float64(len(bounds)-1)
}

// Last returns the highest value that is known; false if none is.
func (p AgePart) Last() (last float64, known bool) {
	for _, values := range [][]float64{p.Common, p.Bounds} {
		for _, v := range values {
			if !known || v > last {
				last, known = v, true
			}
		}
	}
	return last, known
}

// check finds what a reading never has, in a file that was changed.
func (a Age) check() error {
	if a.Table.Schema == "" || a.Table.Name == "" || a.Column == "" || a.Left < 0 || len(a.Parts) > mostParts {
		return errors.New("they lack a name, or have too many parts")
	}
	for _, p := range a.Parts {
		if err := p.check(); err != nil {
			return fmt.Errorf("%.80q: %w", p.String(), err)
		}
	}
	return nil
}

func (p AgePart) check() error {
	fractions, sum := append([]float64{p.Nulls}, p.Fractions...), 0.0
	for _, f := range fractions {
		if !(f >= 0 && f <= 1) {
			return errors.New("a fraction is not between 0 and 1")
		}
		sum += f
	}
	switch {
	case p.Schema == "" || p.Name.Name == "":
		return errors.New("it lacks a name")
	case p.Size < 0 || math.IsNaN(p.Rows) || p.Rows < -1:
		return errors.New("its size or its number of rows is negative")
	case sum > 1.01: // they are rounded
		return errors.New("its fractions add up to more than 1")
	case len(p.Common) != len(p.Fractions):
		return errors.New("there are not as many common values as fractions")
	case !slices.IsSorted(p.Bounds):
		return errors.New("its bounds do not ascend")
	}
	return nil
}
