package survey

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/inspect"
	"plinth/internal/unit"
)

// rule is a kind of finding, as in package inspect: its weight orders findings, and 80 and above is
// critical, 40 and above a warning.
type rule struct {
	name   string
	weight int
	// check returns its evidence, or "". What could not be read is not a finding.
	check      func(*Survey) string
	benchmark  string // why it matters to a benchmark
	production string
	do         string // one command or setting; {} is replaced by the namespace
}

func rules() []rule { return slices.Concat(nodeRules, classRules, accessRules) }

// Findings returns the findings of all rules, the highest weight first.
func Findings(s *Survey) []inspect.Finding {
	all := rules()
	slices.SortStableFunc(all, func(a, b rule) int { return cmp.Compare(b.weight, a.weight) })
	found := []inspect.Finding{}
	for _, r := range all {
		if text := r.check(s); text != "" {
			found = append(found, inspect.Finding{
				Rule: r.name, Severity: inspect.SeverityOf(r.weight), Text: text, Benchmark: r.benchmark, Production: r.production,
				Do: strings.ReplaceAll(r.do, "{}", s.Namespace.Name),
			})
		}
	}
	return found
}

// nodes returns a line about each node that takes plinth's pods, where of returns one.
func (s *Survey) nodes(of func(Node) string) []string {
	var lines []string
	for _, n := range s.takers() {
		if line := of(n); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// takers returns the nodes that take plinth's pods.
func (s *Survey) takers() []Node {
	return slices.DeleteFunc(slices.Clone(s.Nodes), func(n Node) bool { return n.Repels() != "" })
}

// classes returns the names of the storage classes for which holds returns true.
func (s *Survey) classes(holds func(Class) bool) []string {
	var names []string
	for _, c := range s.Classes {
		if holds(c) {
			names = append(names, c.Name)
		}
	}
	return names
}

// when returns a text with the names, or "" if there are none.
func when(names []string, format string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(format, list(names))
}

// list joins names as in a sentence, and counts those beyond the first four if there are more than five.
func list(names []string) string {
	const most = 4
	last := len(names) - 1
	switch {
	case last > most:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	case last > 0:
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return strings.Join(names, "")
}

// size formats a size, with a space before its unit.
func size(bytes int64) string {
	text := unit.Size(bytes).String()
	at := strings.IndexFunc(text, func(r rune) bool { return r >= 'A' })
	return text[:at] + " " + text[at:]
}

// cpus formats a number of CPUs: 0.1, 7.95, 8.
func cpus(n float64) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", n), "0"), ".")
}
