package pgbench

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"plinth/internal/driver"
	"plinth/internal/experiment"
)

// scriptOptions names a workload's scripts on the command line. Scripts of the
// user's own are kept, so that it is known what was run.
func scriptOptions(w experiment.Workload, keep driver.Keeper) ([]string, error) {
	var options []string
	for i, s := range w.Scripts {
		weight := "@" + strconv.Itoa(max(s.Weight, 1))
		if s.Builtin != "" {
			options = append(options, "-b", s.Builtin+weight)
			continue
		}
		text := s.SQL
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		path, err := keep.WriteRaw(fmt.Sprintf("script-%d.sql", i+1), text)
		if err != nil {
			return nil, fmt.Errorf("cannot write script: %w", err)
		}
		options = append(options, "-f", path+weight)
	}
	return options, nil
}

// scriptLabels are the names of a workload's scripts in points and histograms.
func scriptLabels(w experiment.Workload) []string {
	names := make([]string, len(w.Scripts))
	for i, s := range w.Scripts {
		switch {
		case s.Name != "":
			names[i] = s.Name
		case s.Builtin != "":
			names[i] = s.Builtin
		case s.File != "":
			names[i] = filepath.Base(s.File)
		default:
			names[i] = strconv.Itoa(i + 1)
		}
	}
	return names
}
