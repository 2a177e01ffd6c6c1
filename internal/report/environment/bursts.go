package environment

import (
	"fmt"
	"slices"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// Bursts reports when the bursts of each environment ended; nil if no run had any.
func Bursts(runs []record.Run, environments []string) prose.Document {
	t := prose.Table{Keys: 2, Columns: []prose.Column{
		{Title: "Environment"}, {Title: "Burst"}, {Title: "Runs", Right: true}, {Title: "Ended in", Right: true},
		{Title: "Ended at", Right: true}, {Title: "Model expects", Right: true},
	}}
	for _, environment := range environments {
		var names []string
		ended, expected, count := map[string][]float64{}, map[string][]float64{}, map[string]int{}
		for _, run := range runs {
			if run.Environment != environment || run.Status != record.Valid {
				continue
			}
			for _, b := range phrase.BurstsOf(run) {
				if !slices.Contains(names, b.Name) {
					names = append(names, b.Name)
				}
				count[b.Name]++
				if b.Ended != nil {
					ended[b.Name] = append(ended[b.Name], *b.Ended)
				}
				if b.Expected != nil {
					expected[b.Name] = append(expected[b.Name], *b.Expected)
				}
			}
		}
		for _, name := range names {
			t.Rows = append(t.Rows, []string{environment, name, fmt.Sprint(count[name]), fmt.Sprint(len(ended[name])),
				middle(ended[name]), middle(expected[name])})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return prose.Document{prose.Heading("Bursts"), t, prose.Paragraph("Seconds of the measured window, medians over the valid runs in which the burst ended; a burst that ended in the warm-up has a negative second. The model's second follows from the CPU time, operations or bytes of the run. A bucket is full, and the CPU credits are as declared, when a load begins.")}
}

func middle(seconds []float64) string {
	if len(seconds) == 0 {
		return phrase.None
	}
	slices.Sort(seconds)
	at := show.Median(seconds)
	return phrase.Second(&at)
}
