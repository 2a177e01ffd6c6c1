package runpage

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/record/index"
	"plinth/internal/report/phrase"
)

// keywords holds the run names that are not paths.
var keywords = []string{index.Latest, "best", "worst"}

// Find returns the run of rec with the given name. A name is a path as in the record
// ("runs/disk/tpcb-like/c10-j1/r03", with or without "runs/"), an unambiguous beginning or end
// of one, a number, or a keyword: "latest", or "best" or "worst" by the TPS of valid runs. A
// keyword may follow the beginning of a path: "disk/tpcb-like/worst". The error's hint has the
// nearest names.
func Find(rec *record.Record, name string) (*record.Run, error) {
	if len(rec.Runs) == 0 {
		return nil, hint.Errorf("a run is added to its record when it has ended", "cannot find run %q: %s has no runs", name, rec.Path)
	}
	asked := strings.Trim(strings.TrimPrefix(name, "runs/"), "/")
	if found, keyword := keywordRuns(rec, asked); keyword != "" && len(found) > 0 {
		return runByKeyword(rec, found, keyword)
	}
	found := matchingRuns(rec, asked)
	switch {
	case asked == "" || len(found) == 0:
		return nil, hint.Errorf("did you mean "+nearest(rec, asked)+"?", "cannot find run %q in %s", name, rec.Path)
	case len(found) > 1:
		var paths []string
		for _, run := range found {
			paths = append(paths, Path(run))
		}
		more := "give more of the run's path: " + phrase.SomeOf(paths)
		if strings.HasPrefix(Path(found[0]), asked+"/") {
			more += "; or " + asked + "/worst"
		}
		return nil, hint.Errorf(more, "cannot choose: %d runs match %q", len(found), name)
	}
	return found[0], nil
}

// keywordRuns returns the runs among which a keyword chooses: all, or those below the beginning
// of a path. Without a keyword, keyword is "".
func keywordRuns(rec *record.Record, asked string) (found []*record.Run, keyword string) {
	below, last := "", asked
	if at := strings.LastIndex(asked, "/"); at >= 0 {
		below, last = asked[:at+1], asked[at+1:]
	}
	if !slices.Contains(keywords, last) {
		return nil, ""
	}
	for i := range rec.Runs {
		if strings.HasPrefix(Path(&rec.Runs[i]), below) {
			found = append(found, &rec.Runs[i])
		}
	}
	return found, last
}

// runByKeyword returns the last of runs, or the valid one with the highest or lowest TPS.
func runByKeyword(rec *record.Record, runs []*record.Run, which string) (*record.Run, error) {
	if which == index.Latest {
		return runs[len(runs)-1], nil
	}
	var found *record.Run
	for _, run := range validOf(runs) {
		if found == nil || which == "best" && run.Result.TPS > found.Result.TPS || which == "worst" && run.Result.TPS < found.Result.TPS {
			found = run
		}
	}
	if found == nil {
		return nil, hint.Errorf("give the path of one: "+Path(runs[0]), "cannot find the %s run: none of %s is valid", which, rec.Path)
	}
	return found, nil
}

func validOf(runs []*record.Run) []*record.Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r *record.Run) bool { return r.Status != record.Valid })
}

// ChosenAmong returns a note for a best or worst run that was chosen among several cells, since
// the worst run is then often just the one with the least load. Otherwise it returns "".
func ChosenAmong(rec *record.Record, name string) string {
	runs, keyword := keywordRuns(rec, strings.Trim(strings.TrimPrefix(name, "runs/"), "/"))
	if keyword == "" || keyword == index.Latest {
		return ""
	}
	valid := validOf(runs)
	if len(valid) == 0 {
		return ""
	}
	var cells []experiment.Cell
	for _, run := range valid {
		if !slices.Contains(cells, run.Cell) {
			cells = append(cells, run.Cell)
		}
	}
	run, err := runByKeyword(rec, runs, keyword)
	if err != nil || len(cells) < 2 {
		return ""
	}
	return fmt.Sprintf("%s: %s, of %s of %s; to choose within a cell, put its path first: %s",
		keyword, Path(run), phrase.Plural(len(valid), "valid run"), phrase.Plural(len(cells), "cell"), path.Join(path.Dir(Path(run)), keyword))
}

// matchingRuns returns the run with this path or number, or else all runs whose path begins or
// ends with it.
func matchingRuns(rec *record.Record, asked string) []*record.Run {
	var found []*record.Run
	for i := range rec.Runs {
		path := Path(&rec.Runs[i])
		if path == asked || strconv.Itoa(rec.Runs[i].Number) == asked {
			return []*record.Run{&rec.Runs[i]}
		}
		if strings.HasPrefix(path, asked) || strings.HasSuffix(path, "/"+asked) {
			found = append(found, &rec.Runs[i])
		}
	}
	return found
}

// nearest returns the most similar keyword, or the two paths with the smallest edit distance.
func nearest(rec *record.Record, asked string) string {
	if keyword := hint.Nearest(asked, keywords); keyword != "" {
		return keyword
	}
	var paths []string
	for i := range rec.Runs {
		paths = append(paths, Path(&rec.Runs[i]))
	}
	slices.SortStableFunc(paths, func(a, b string) int {
		return cmp.Compare(hint.Distance(asked, a), hint.Distance(asked, b))
	})
	return strings.Join(paths[:min(2, len(paths))], " or ")
}

// Path returns the name of a run on a page: its path below runs.
func Path(run *record.Run) string { return strings.TrimPrefix(run.Path(), "runs/") }
