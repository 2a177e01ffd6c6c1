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
	"plinth/internal/report/phrase"
)

// keywords are names of runs that are no paths.
var keywords = []string{record.Latest, "best", "worst"}

// Find finds the run of rec that name says: as the record has it
// ("runs/disk/tpcb-like/c10-j1/r03", where "runs/" may be left out), by a beginning
// or an end that fits only one, by its number, or "latest", "best" and "worst" (by
// TPS, of the valid ones), which may follow a beginning: "disk/tpcb-like/worst". The
// error's hint has the nearest ones.
func Find(rec *record.Record, name string) (*record.Run, error) {
	if len(rec.Runs) == 0 {
		return nil, hint.Errorf("a run is in its record as soon as it has ended", "cannot find run %q: %s has no runs", name, rec.Path)
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
		more := "write more of its path: " + phrase.SomeOf(paths)
		if strings.HasPrefix(Path(found[0]), asked+"/") {
			more += "; or " + asked + "/worst"
		}
		return nil, hint.Errorf(more, "cannot choose: %d runs fit %q", len(found), name)
	}
	return found[0], nil
}

// keywordRuns are the runs among which a keyword chooses, all or those below a
// beginning; without a keyword it is "".
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

// runByKeyword is the last of runs, or the valid one with the most or the least TPS.
func runByKeyword(rec *record.Record, runs []*record.Run, which string) (*record.Run, error) {
	if which == record.Latest {
		return runs[len(runs)-1], nil
	}
	var found *record.Run
	for _, run := range validOf(runs) {
		if found == nil || which == "best" && run.Result.TPS > found.Result.TPS || which == "worst" && run.Result.TPS < found.Result.TPS {
			found = run
		}
	}
	if found == nil {
		return nil, hint.Errorf("name one by its path: "+Path(runs[0]), "cannot find the %s run: none of %s is valid", which, rec.Path)
	}
	return found, nil
}

func validOf(runs []*record.Run) []*record.Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r *record.Run) bool { return r.Status != record.Valid })
}

// ChosenAmong says of the best or worst run that name says among how many it was
// chosen, where they are of several cells: the worst is then the one with the least
// load as often as not. It is "" where there is nothing to say.
func ChosenAmong(rec *record.Record, name string) string {
	runs, keyword := keywordRuns(rec, strings.Trim(strings.TrimPrefix(name, "runs/"), "/"))
	if keyword == "" || keyword == record.Latest {
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
	return fmt.Sprintf("%s: %s, of %s of %s; %s is that of its own cell",
		keyword, Path(run), phrase.Plural(len(valid), "valid run"), phrase.Plural(len(cells), "cell"), path.Join(path.Dir(Path(run)), keyword))
}

// matchingRuns are the one whose path or number it is, or all that it is a beginning
// or an end of.
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

// nearest is the keyword that was most likely meant, or the two paths that take the
// fewest edits to become asked.
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

// Path is how people name a run: its path below runs.
func Path(run *record.Run) string { return strings.TrimPrefix(run.Path(), "runs/") }
