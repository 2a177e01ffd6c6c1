package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// measured holds the results of an instance of a type, as its file has them. Empty: not measured.
type measured struct{ coremark, nodes string }

// readMeasured reads CoreMark results and NUMA nodes by type, from the catalog or from a file with
// the columns that the command's documentation names.
func readMeasured(path string) (map[string]measured, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all := map[string]measured{}
	var name, coremark, nodes int
	var titles []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if titles == nil {
			titles = cells
			name, coremark, nodes = column(cells, "type", "instance"), column(cells, "coremark", "coremark_iterations_per_second"), column(cells, "numa_nodes")
			if min(name, coremark, nodes) < 0 {
				return nil, fmt.Errorf("%s has the columns %q, without a type, CoreMark or NUMA nodes", path, cells)
			}
			continue
		}
		if len(cells) != len(titles) {
			return nil, fmt.Errorf("%s: %d cells, not %d: %q", path, len(cells), len(titles), line)
		}
		all[cells[name]] = measured{cells[coremark], cells[nodes]}
	}
	return all, nil
}

// column returns the index of the column with one of the names; -1 if there is none.
func column(titles []string, names ...string) int {
	return slices.IndexFunc(titles, func(title string) bool { return slices.Contains(names, title) })
}
