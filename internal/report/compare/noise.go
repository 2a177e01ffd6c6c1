package compare

import (
	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/verdict"
)

// noiseTable shows the variation within equal environments. Standard deviations of logarithms
// are shown as per cent, which is accurate for small values.
func noiseTable(w experiment.Terms, all []record.Noise) prose.Table {
	t := prose.Table{
		Title: "Differences between equal environments (standard deviation)",
		Columns: []prose.Column{
			{Title: "Workload"}, {Title: "Metric"}, {Title: "From block to block", Right: true}, {Title: "of it from load to load", Right: true},
			{Title: "Blocks", Right: true}, {Title: "A block takes", Right: true},
		},
		Keys: 2,
	}
	for _, n := range all {
		load := phrase.None
		if n.LoadSD > 0 {
			load = verdict.Fixed(n.LoadSD*100, 1) + " %"
		}
		t.Rows = append(t.Rows, []string{
			n.Workload, MetricShort(w, n.Metric), verdict.Fixed(n.PairSD*100, 1) + " %", load,
			phrase.Count(float64(n.Blocks)), phrase.Seconds(n.BlockTime),
		})
	}
	return t
}
