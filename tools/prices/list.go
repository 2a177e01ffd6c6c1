package main

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// width is the longest line of the book.
const width = 118

// list returns prices as a mapping in YAML's flow style, each family on lines of its own, by price. Types
// of other families and those without a price are left out.
func list(hours map[string]float64, families []string) string {
	const margin = "\n          "
	var lines []string
	for _, f := range families {
		names := slices.SortedFunc(maps.Keys(hours), func(a, b string) int {
			return cmp.Or(cmp.Compare(hours[a], hours[b]), cmp.Compare(a, b))
		})
		line := ""
		for _, name := range names {
			if family(name) != f || hours[name] == 0 {
				continue
			}
			entry := name + ": " + strconv.FormatFloat(hours[name], 'f', -1, 64)
			if line != "" && len(margin)+len(line)+len(entry)+3 > width {
				lines, line = append(lines, line), ""
			}
			if line != "" {
				line += ", "
			}
			line += entry
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return "{" + margin + strings.Join(lines, ","+margin) + "}"
}

// contains reports whether a type belongs to one of the families.
func contains(families []string, name string) bool { return slices.Contains(families, family(name)) }

// family returns what precedes the last dot: "db.m6i" of db.m6i.large.
func family(name string) string { return name[:max(0, strings.LastIndexByte(name, '.'))] }
