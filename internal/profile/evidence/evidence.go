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

// Group is a group of settings of a profile, with what it does under each condition of its table.
type Group struct {
	Name     string
	TPS, P99 []Effect
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
	for _, c := range t.Conditions {
		measured = append(measured, fmt.Sprintf("%s on %s (%d runs)", c.Name, c.Measured, c.Runs))
	}
	tables := "Measured: " + strings.Join(measured, ", ") + ".\n\n" + Rate(profile) + ":\n\n" +
		t.Markdown(func(g Group) []Effect { return g.TPS }) +
		"\nThe 99th percentile of the latency, of which less is better:\n\n" + t.Markdown(func(g Group) []Effect { return g.P99 })
	before, after, within := strings.Cut(string(introduction), tablesHere)
	if !within {
		return before + "\n" + tables, nil
	}
	return before + tables + after, nil
}

// Keep adds the conditions of an older table that the table does not have. An error says that the tables are about
// different groups.
func (t *Table) Keep(older Table) error {
	if len(t.Conditions) == 0 {
		*t = older
		return nil
	}
	if len(older.Conditions) > 0 && !slices.EqualFunc(t.Groups, older.Groups, func(a, b Group) bool { return a.Name == b.Name }) {
		return errors.New("the groups are not those of the older table")
	}
	for i, c := range older.Conditions {
		if slices.ContainsFunc(t.Conditions, func(own Condition) bool { return own.Name == c.Name }) {
			continue
		}
		t.Conditions = append(t.Conditions, c)
		for g := range t.Groups {
			own, old := &t.Groups[g], older.Groups[g]
			own.TPS, own.P99 = append(own.TPS, old.TPS[i]), append(own.P99, old.P99[i])
		}
	}
	return nil
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

// Markdown returns a table of one metric: TPS or P99.
func (t Table) Markdown(of func(Group) []Effect) string {
	var b strings.Builder
	b.WriteString("| group |")
	order := make([]int, len(t.Conditions)) // by name
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(t.Conditions[a].Name, t.Conditions[b].Name) })
	for _, i := range order {
		b.WriteString(" " + t.Conditions[i].Name + " |")
	}
	b.WriteString(" mean |\n|---|" + strings.Repeat("---:|", len(t.Conditions)+1) + "\n")
	for _, g := range t.Groups {
		b.WriteString("| " + g.Name + " |")
		effects := of(g)
		for _, i := range order {
			b.WriteString(" " + effects[i].String() + " |")
		}
		b.WriteString(" " + Mean(effects).String() + " |\n")
	}
	return b.String()
}
