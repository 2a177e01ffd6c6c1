// Package evidence holds what each group of settings of plinth's own profiles does, under conditions that differ. The experiments in
// this directory measure it by screening designs (ablate: screen), and scripts/evidence writes the tables.
package evidence

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
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

// Group is a group of settings of a profile, with what it does under each condition, by name. A condition may lack the group:
// no workload can show what all of them do.
type Group struct {
	Name     string
	TPS, P99 map[string]Effect
}

// Effect is that of having a group, and half of its 90 % interval, both of the logarithm of a metric.
type Effect struct{ Value, Half float64 }

// files has for each profile with evidence PROFILE.md, which introduces it, and PROFILE.json, its table.
//
//go:embed *.md *.json
var files embed.FS

// Read returns what was measured of a profile. Without evidence, the error is fs.ErrNotExist.
func Read(profile string) (Table, error) {
	var t Table
	text, err := files.ReadFile(profile + ".json")
	if err != nil {
		return t, fmt.Errorf("cannot read what was measured of %s: %w", profile, err)
	}
	if err := json.Unmarshal(text, &t); err != nil {
		return t, fmt.Errorf("cannot read what was measured of %s: %w", profile, err)
	}
	return t, nil
}

// Rate returns the name of throughput for the engine of a profile.
func Rate(profile string) string {
	if profile == "redis" {
		return "RPS"
	}
	return "TPS"
}

// Effect returns the mean effect of a group on throughput, or that it was not measured.
func (t Table) Effect(group string) string {
	i := slices.IndexFunc(t.Groups, func(g Group) bool { return g.Name == group })
	if i < 0 {
		return "not measured"
	}
	return Mean(t.Groups[i].TPS).String()
}

// tablesHere is where the tables are in an introduction; without it, they follow.
const tablesHere = "(the tables)\n"

// Document returns a chapter on a profile for docs/profiles.md. Without an introduction to its evidence, the error is
// fs.ErrNotExist.
func Document(profile string) (string, error) {
	introduction, err := files.ReadFile(profile + ".md")
	if err != nil {
		return "", fmt.Errorf("cannot introduce what was measured of %s: %w", profile, err)
	}
	t, err := Read(profile)
	if errors.Is(err, fs.ErrNotExist) {
		return string(introduction) + "\nNone of these conditions has been measured yet.\n", nil
	}
	if err != nil {
		return "", err
	}
	var measured []string
	for _, c := range t.sorted() {
		measured = append(measured, fmt.Sprintf("%s on %s (%d runs)", c.Name, c.Measured, c.Runs))
	}
	tables := "Measured: " + strings.Join(measured, ", ") + ".\n\n" + Rate(profile) + ":\n\n" +
		t.Markdown(func(g Group) map[string]Effect { return g.TPS }) +
		"\nThe 99th percentile of the latency, of which less is better:\n\n" + t.Markdown(func(g Group) map[string]Effect { return g.P99 })
	before, after, within := strings.Cut(string(introduction), tablesHere)
	if !within {
		return before + "\n" + tables, nil
	}
	return before + tables + after, nil
}

// Add adds the conditions of another table that the table does not have.
func (t *Table) Add(other Table) {
	for _, c := range other.Conditions {
		if t.Has(c.Name) {
			continue
		}
		t.Conditions = append(t.Conditions, c)
		for _, g := range other.Groups {
			if tps, there := g.TPS[c.Name]; there {
				t.set(g.Name, c.Name, tps, g.P99[c.Name])
			}
		}
	}
}

// Has reports whether a condition is in the table.
func (t *Table) Has(condition string) bool {
	return slices.ContainsFunc(t.Conditions, func(c Condition) bool { return c.Name == condition })
}

// set sets the effects of a group under a condition.
func (t *Table) set(group, condition string, tps, p99 Effect) {
	i := slices.IndexFunc(t.Groups, func(g Group) bool { return g.Name == group })
	if i < 0 {
		i = len(t.Groups)
		t.Groups = append(t.Groups, Group{Name: group, TPS: map[string]Effect{}, P99: map[string]Effect{}})
	}
	t.Groups[i].TPS[condition], t.Groups[i].P99[condition] = tps, p99
}

// Mean returns the mean over the conditions that were measured. It says nothing of others.
func Mean(effects map[string]Effect) Effect {
	sum, squares := 0.0, 0.0
	for _, e := range effects {
		sum, squares = sum+e.Value, squares+e.Half*e.Half
	}
	n := float64(len(effects))
	return Effect{sum / n, math.Sqrt(squares) / n}
}

// String returns an effect in whole per cents with its 90 % interval, in bold if that does not include zero.
func (e Effect) String() string {
	low, high := e.Value-e.Half, e.Value+e.Half
	text := fmt.Sprintf("%+d (%d to %d)", perCent(e.Value), perCent(low), perCent(high))
	if low > 0 || high < 0 {
		text = "**" + text + "**"
	}
	return text
}

// perCent returns the change of a metric whose logarithm changes by v.
func perCent(v float64) int { return int(math.Round(100 * math.Expm1(v))) }

// sorted returns the conditions by name.
func (t Table) sorted() []Condition {
	return slices.SortedFunc(slices.Values(t.Conditions), func(a, b Condition) int { return strings.Compare(a.Name, b.Name) })
}

// Markdown returns a table of one metric: TPS or P99.
func (t Table) Markdown(of func(Group) map[string]Effect) string {
	var b strings.Builder
	b.WriteString("| group |")
	for _, c := range t.sorted() {
		b.WriteString(" " + c.Name + " |")
	}
	b.WriteString(" mean |\n|---|" + strings.Repeat("---:|", len(t.Conditions)+1) + "\n")
	for _, g := range t.Groups {
		b.WriteString("| " + g.Name + " |")
		effects := of(g)
		for _, c := range t.sorted() {
			if e, there := effects[c.Name]; there {
				b.WriteString(" " + e.String())
			}
			b.WriteString(" |")
		}
		b.WriteString(" " + Mean(effects).String() + " |\n")
	}
	return b.String()
}
