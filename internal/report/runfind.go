package report

import (
	"cmp"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/record"
)

// FindRun finds the run of rec that path names: as the record has it
// ("runs/disk/tpcb-like/c10-j1/r03", where "runs/" may be left out), by a beginning
// or an end that fits only one, or "latest", "best" and "worst" (by TPS, of the
// valid ones). The error's hint has the nearest ones.
func FindRun(rec *record.Record, path string) (*record.Run, error) {
	if len(rec.Runs) == 0 {
		return nil, hint.Errorf("a run is in its record as soon as it has ended", "cannot find run %q: %s has no runs", path, rec.Path)
	}
	switch path {
	case record.Latest:
		return &rec.Runs[len(rec.Runs)-1], nil
	case "best", "worst":
		return extremeRun(rec, path)
	}
	asked := strings.Trim(strings.TrimPrefix(path, "runs/"), "/")
	found := matchingRuns(rec, asked)
	switch {
	case asked == "" || len(found) == 0:
		return nil, hint.Errorf("did you mean "+strings.Join(nearestRuns(rec, asked), " or ")+"?",
			"cannot find run %q in %s", path, rec.Path)
	case len(found) > 1:
		return nil, hint.Errorf("write more of its path: "+someOf(runPaths(found)), "cannot choose: %d runs fit %q", len(found), path)
	}
	return found[0], nil
}

// extremeRun is the valid run with the most or the least TPS.
func extremeRun(rec *record.Record, which string) (*record.Run, error) {
	var found *record.Run
	for i := range rec.Runs {
		run := &rec.Runs[i]
		if run.Status != record.Valid {
			continue
		}
		if found == nil || which == "best" && run.Result.TPS > found.Result.TPS || which == "worst" && run.Result.TPS < found.Result.TPS {
			found = run
		}
	}
	if found == nil {
		return nil, hint.Errorf("name one by its path: "+runPath(&rec.Runs[0]), "cannot find the %s run: none of %s is valid", which, rec.Path)
	}
	return found, nil
}

// matchingRuns are the one whose path it is, or all that it is a beginning or an
// end of.
func matchingRuns(rec *record.Record, asked string) []*record.Run {
	var found []*record.Run
	for i := range rec.Runs {
		path := runPath(&rec.Runs[i])
		if path == asked {
			return []*record.Run{&rec.Runs[i]}
		}
		if strings.HasPrefix(path, asked) || strings.HasSuffix(path, "/"+asked) {
			found = append(found, &rec.Runs[i])
		}
	}
	return found
}

// nearestRuns are the two paths that take the fewest edits to become asked.
func nearestRuns(rec *record.Record, asked string) []string {
	var paths []string
	for i := range rec.Runs {
		paths = append(paths, runPath(&rec.Runs[i]))
	}
	slices.SortStableFunc(paths, func(a, b string) int {
		return cmp.Compare(hint.Distance(asked, a), hint.Distance(asked, b))
	})
	return paths[:min(2, len(paths))]
}

func runPaths(runs []*record.Run) []string {
	var paths []string
	for _, run := range runs {
		paths = append(paths, runPath(run))
	}
	return paths
}

// runPath is how people name a run: its path below runs.
func runPath(run *record.Run) string { return strings.TrimPrefix(run.Path(), "runs/") }
