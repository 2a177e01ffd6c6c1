package show

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// incident is a run or a block that is not counted.
type incident struct {
	record.Block
	environment string // empty for a block, which is omitted in all environments
	fate        string // "failed", "left out in every environment"
	cause       string // the reason as text
	rule        string // identifies the cause, independent of its figures
	line        string // the message if it is the only one
}

// byCause merges incidents with the same cause: a failing experiment may fail fifty times.
func byCause(noun string, all []incident) []string {
	var groups [][]incident
	for _, i := range all {
		at := slices.IndexFunc(groups, func(g []incident) bool {
			return g[0].environment == i.environment && g[0].fate == i.fate && g[0].rule == i.rule
		})
		if at < 0 {
			at = len(groups)
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], i)
	}
	var lines []string
	for _, g := range groups {
		lines = append(lines, groupLine(noun, g))
	}
	return lines
}

func groupLine(noun string, group []incident) string {
	first := group[0]
	if len(group) == 1 {
		return first.line
	}
	parts := []string{phrase.Plural(len(group), noun)}
	if first.environment != "" {
		parts = append(parts, first.environment)
	}
	parts = append(parts, places(group), first.fate)
	cause := first.cause
	if slices.ContainsFunc(group, func(i incident) bool { return i.cause != cause }) {
		cause = "the first: " + cause
	}
	return strings.Join(parts, ", ") + ": " + cause
}

// places returns the cells with their repeats: "tpcb-like/c8-j1 (repeats 1-4, 6)".
func places(group []incident) string {
	var cells []experiment.Cell
	repeats := map[experiment.Cell][]int{}
	for _, i := range group {
		if repeats[i.Cell] == nil {
			cells = append(cells, i.Cell)
		}
		repeats[i.Cell] = append(repeats[i.Cell], i.Repeat)
	}
	slices.SortFunc(cells, record.CompareCells)
	var texts []string
	for _, cell := range cells {
		texts = append(texts, fmt.Sprintf("%s (%s)", cell.Path(), repeatsText(repeats[cell])))
	}
	return phrase.SomeOf(texts)
}

func repeatsText(repeats []int) string {
	slices.Sort(repeats)
	repeats = slices.Compact(repeats)
	if len(repeats) == 1 {
		return fmt.Sprintf("repeat %d", repeats[0])
	}
	var spans []string
	for len(repeats) > 0 {
		n := 1
		for n < len(repeats) && repeats[n] == repeats[n-1]+1 {
			n++
		}
		span := fmt.Sprint(repeats[0])
		if n > 1 {
			span += fmt.Sprintf("-%d", repeats[n-1])
		}
		spans, repeats = append(spans, span), repeats[n:]
	}
	return "repeats " + strings.Join(spans, ", ")
}
