package runpage

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"plinth/internal/metric"
	"plinth/internal/report/phrase"
	"plinth/internal/verdict"
)

// Pair is a figure that both runs have.
type Pair struct {
	Name   string  `json:"name"`
	Title  string  `json:"title"`
	Unit   string  `json:"unit"`
	A      number  `json:"a"`
	B      number  `json:"b"`
	Change number  `json:"change"`               // b/a - 1; for shares b - a
	Share  bool    `json:"difference,omitempty"` // change is a difference
	size   float64 // size of the difference, from 0 to 1
}

// pairs returns the figures of both runs, the largest differences first.
func pairs(a, b *Page) []Pair {
	all := append([]Pair{}, resultPairs(a, b)...)
	for _, name := range sharedFigures(a, b) {
		f, found := metric.FigureNamed(name)
		if !found || f.Moment || a.sameDisk(name) && b.sameDisk(name) {
			continue
		}
		f.Title = a.words.Say(f.Title)
		all = append(all, newPair(f, a.Run.Figures[name], b.Run.Figures[name]))
	}
	all = slices.DeleteFunc(all, func(p Pair) bool { return !phrase.Known(float64(p.A)) || !phrase.Known(float64(p.B)) })
	slices.SortStableFunc(all, func(x, y Pair) int { return cmp.Compare(y.size, x.size) })
	return all
}

// sharedFigures returns the names of the figures that both runs have. A wait event that only
// one run saw has a share of 0 in the other.
func sharedFigures(a, b *Page) []string {
	all := map[string]float64{}
	maps.Copy(all, a.Run.Figures)
	maps.Copy(all, b.Run.Figures)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		_, inA := a.Run.Figures[name]
		_, inB := b.Run.Figures[name]
		wait := strings.HasPrefix(name, "wait.") && len(a.Waits) > 0 && len(b.Waits) > 0
		if inA && inB || wait {
			names = append(names, name)
		}
	}
	return names
}

// resultPairs returns the load generator's measurements.
func resultPairs(a, b *Page) []Pair {
	x, y := a.Run.Result, b.Run.Result
	if x.Duration <= 0 || y.Duration <= 0 {
		return nil
	}
	time := func(name, title string, x, y float64) Pair {
		return newPair(metric.Figure{Name: name, Title: title, Unit: "ns"}, x, y)
	}
	return []Pair{
		newPair(metric.Figure{Name: "tps", Title: a.words.Rate, Unit: "1"}, x.TPS, y.TPS),
		time("latency", "latency", x.Latency.Mean, y.Latency.Mean),
		time("p50", "p50 latency", float64(x.Latency.P50), float64(y.Latency.P50)),
		time("p99", "p99 latency", float64(x.Latency.P99), float64(y.Latency.P99)),
		time("max", "longest latency", float64(x.Latency.Max), float64(y.Latency.Max)),
	}
}

// newPair computes the difference of two values. Its size is between 0 and 1 both for shares
// and for ratios, so that all pairs can be sorted together.
func newPair(f metric.Figure, a, b float64) Pair {
	p := Pair{Name: f.Name, Title: f.Title, Unit: f.Unit, A: number(a), B: number(b), Share: f.Share}
	switch {
	case f.Share:
		p.Change, p.size = number(b-a), min(math.Abs(b-a), 1)
	case a > 0 && b > 0:
		p.Change, p.size = number(b/a-1), 1-min(a/b, b/a)
	default:
		p.Change = number(math.NaN())
		if a != b {
			p.size = 1
		}
	}
	return p
}

// change formats the difference between A and B.
func (p Pair) change() string { return changeText(float64(p.Change), p.Share) }

func changeText(change float64, isShare bool) string {
	switch {
	case !phrase.Known(change):
		return phrase.None
	case isShare:
		return verdict.Signed(change*100, 1) + " points"
	case change >= 9: // ten times
		return "x " + phrase.Times(1+change)
	}
	return verdict.Signed(change*100, 0) + " %"
}
