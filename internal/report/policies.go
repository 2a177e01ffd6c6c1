package report

import (
	"fmt"
	"slices"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// policies is what each environment does beside what it keeps: what a policy of
// persistence costs, and what is bought with it. There is none where workloads were
// driven at several loads, or nothing was struck.
func (f *Full) policies(struck []record.Struck) (t prose.Table, there bool) {
	if f.show == nil || len(struck) == 0 || !show.IsOneLoad(show.AllCells(f.show.Numbers), f.show.Workloads) && len(show.AllCells(f.show.Numbers)) != len(f.show.Environments) {
		return t, false
	}
	t = prose.Table{Keys: 1, Columns: []prose.Column{{Title: "Environment"}}}
	for _, w := range f.show.Workloads {
		for _, title := range []string{f.show.Words().Rate, "p99"} {
			t.Columns = append(t.Columns, prose.Column{Title: w.Label + " " + title, Right: true})
		}
	}
	for _, title := range []string{"Lost any", "Lost, worst", "median"} {
		t.Columns = append(t.Columns, prose.Column{Title: title, Right: true})
	}
	for _, e := range f.show.Environments {
		row := []string{e.Name}
		for _, w := range f.show.Workloads {
			load := e.LoadOf(w.Name)
			row = append(row, load[0], load[2])
		}
		t.Rows = append(t.Rows, append(row, lossCells(struck, e.Name)...))
	}
	return t, true
}

// lossCells are in how many strikes an environment lost any writes, and how many.
func lossCells(struck []record.Struck, environment string) []string {
	at := slices.IndexFunc(struck, func(s record.Struck) bool { return s.Environment == environment })
	if at < 0 || struck[at].Telling() == 0 {
		return []string{phrase.None, phrase.None, phrase.None}
	}
	d := struck[at].Durability
	return []string{fmt.Sprintf("%d of %d", d.Lossy(), d.Telling()), phrase.Count(d.Worst(writesLost)), phrase.Count(d.Median(writesLost))}
}
