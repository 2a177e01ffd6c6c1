package runpage

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// mover is a value other than TPS that both runs have, step by step.
type mover struct {
	title string
	say   func(float64) string
	of    [2][]float64 // NaN for a step that a run lacks
	most  float64      // maximum over both runs
}

type movers []mover

// newMovers returns the rows of the timeline, except TPS, and the wait events.
func newMovers(a, b *Page, all []Step) movers {
	var found movers
	add := func(title string, x, y *series) {
		m := mover{title: title, say: x.say}
		m.of[0], m.of[1] = x.in(all, 0), y.in(all, 1)
		_, m.most = extremes(slices.Concat(m.of[0], m.of[1]))
		found = append(found, m)
	}
	for _, row := range a.rows {
		if other := b.rowNamed(row.label); other != nil && row.column != "tps" {
			add(row.title, &row, other)
		}
	}
	rows := len(found)
	for _, event := range waitColumns(a.window, b.window) {
		x, y := series{values: a.window.columns[event]}, series{values: b.window.columns[event]}
		add("sessions in "+prose.Cut(strings.TrimPrefix(event, "wait."), 40), &x, &y)
	}
	found[rows:].alike()
	return found
}

// alike sets the maximum of all movers to their common maximum, so that a wait event with
// hardly any sessions counts as small and does not explain a change.
func (all movers) alike() {
	most := 0.0
	for _, m := range all {
		if phrase.Known(m.most) {
			most = max(most, m.most)
		}
	}
	for i := range all {
		all[i].most = most
	}
}

func (p *Page) rowNamed(label string) *series {
	for i := range p.rows {
		if p.rows[i].label == label {
			return &p.rows[i]
		}
	}
	return nil
}

// waitColumns returns the wait events of either run. Waits for the client are left out: they
// are waits for the load generator.
func waitColumns(a, b window) []string {
	var names []string
	for _, w := range []window{a, b} {
		for name := range w.columns {
			if strings.HasPrefix(name, "wait.") && !hasAnyPrefix(name, []string{"wait.active", "wait.CPU", "wait.Client."}) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// in returns the values of a series step by step.
func (s *series) in(all []Step, side int) []float64 {
	values := make([]float64, len(all))
	for i, at := range all {
		values[i] = math.NaN()
		if at.of[side] != nil {
			values[i] = s.of(*at.of[side])
		}
	}
	return values
}

// biggest describes the largest difference in a step, if it is more than a factor of two;
// otherwise "". It skips values below 20 % of their maximum: any ratio to almost zero would be
// huge.
func (all movers) biggest(step int) string {
	const enough, notSmall = 2, 0.2
	best, text := float64(enough), ""
	for _, m := range all {
		a, b := m.of[0][step], m.of[1][step]
		if !phrase.Known(a) || !phrase.Known(b) || max(a, b) < notSmall*m.most || max(a, b) <= 0 {
			continue
		}
		ratio := math.Inf(1)
		if min(a, b) > 0 {
			ratio = max(a/b, b/a)
		}
		if ratio > best {
			best, text = ratio, fmt.Sprintf("%s: %s in A, %s in B", m.title, m.say(a), m.say(b))
		}
	}
	return text
}

// observation describes the marks of a step and, if TPS differs, the largest other difference.
// WAL segments are left out: one is filled every few seconds.
func (s *SideBySide) observation(at Step, moved string) string {
	const small = 0.05 // a smaller change is not worth an explanation
	var texts []string
	for side, p := range []*Page{s.a, s.b} {
		if at.of[side] == nil {
			continue
		}
		if text := p.marksIn(*at.of[side], " in "+string(rune('A'+side)), "wal-segment"); text != "" {
			texts = append(texts, text)
		}
	}
	if moved != "" && math.Abs(float64(at.Change)) >= small {
		texts = append(texts, moved)
	}
	return strings.Join(texts, "; ")
}
