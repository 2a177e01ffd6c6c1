// Package evidence holds what each group of settings of plinth's own profiles does, under conditions that differ. The experiments in
// this directory measure it by screening designs (ablate: screen), and scripts/evidence writes the tables.
package evidence

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// Table says what each group of settings of a profile does under each condition.
type Table struct {
	Conditions []Condition
	Groups     []Group
}

// Condition is one experiment of this directory.
type Condition struct {
	Name     string // "gp3-at-tpcb-50": disk, dataset and memory, workload, clients
	Measured string // a date
	Runs     int
}

// Group is a group of settings of a profile, with what it does under each condition of its table.
type Group struct {
	Name     string
	TPS, P99 []Effect
}

// Effect is that of having a group, and half of its 90 % interval, both of the logarithm of a metric.
type Effect struct{ Value, Half float64 }

var (
	//go:embed oltp.json
	oltp []byte
	//go:embed introduction.md
	introduction string
)

// OLTP returns what was measured of oltp.
func OLTP() (Table, error) {
	var t Table
	if err := json.Unmarshal(oltp, &t); err != nil {
		return t, fmt.Errorf("cannot read oltp.json: %w", err)
	}
	return t, nil
}

// Document returns a chapter for docs/profiles.md.
func (t Table) Document() string {
	var measured []string
	for _, c := range t.Conditions {
		measured = append(measured, fmt.Sprintf("%s on %s (%d runs)", c.Name, c.Measured, c.Runs))
	}
	return introduction + "\nMeasured: " + strings.Join(measured, ", ") + ".\n\nTPS:\n\n" + t.Markdown(func(g Group) []Effect { return g.TPS }) +
		"\nThe 99th percentile of the latency, of which less is better:\n\n" + t.Markdown(func(g Group) []Effect { return g.P99 })
}

// Mean returns the mean over the conditions that were measured. It says nothing of others.
func Mean(effects []Effect) Effect {
	sum, squares := 0.0, 0.0
	for _, e := range effects {
		sum, squares = sum+e.Value, squares+e.Half*e.Half
	}
	n := float64(len(effects))
	return Effect{sum / n, math.Sqrt(squares) / n}
}

// String returns an effect in per cent with its 90 % interval, in bold if that does not include zero.
func (e Effect) String() string {
	low, high := e.Value-e.Half, e.Value+e.Half
	text := fmt.Sprintf("%+.1f (%.1f to %.1f)", 100*math.Expm1(e.Value), 100*math.Expm1(low), 100*math.Expm1(high))
	if low > 0 || high < 0 {
		text = "**" + text + "**"
	}
	return text
}

// Markdown returns a table of one metric: TPS or P99.
func (t Table) Markdown(of func(Group) []Effect) string {
	var b strings.Builder
	b.WriteString("| group |")
	for _, c := range t.Conditions {
		b.WriteString(" " + c.Name + " |")
	}
	b.WriteString(" mean |\n|---|" + strings.Repeat("---:|", len(t.Conditions)+1) + "\n")
	for _, g := range t.Groups {
		b.WriteString("| " + g.Name + " |")
		effects := of(g)
		for _, e := range effects {
			b.WriteString(" " + e.String() + " |")
		}
		b.WriteString(" " + Mean(effects).String() + " |\n")
	}
	return b.String()
}
