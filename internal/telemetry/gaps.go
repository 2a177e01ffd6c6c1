package telemetry

import (
	"slices"

	"plinth/internal/record"
)

// gaps are what is not known of one board.
type gaps []record.TelemetryGap

// note adds the gaps of one column: why it has no value, for each second.
func (g *gaps) note(column string, seconds []float64, why []string) {
	for i := 0; i < len(why); {
		j := i + 1
		for j < len(why) && why[j] == why[i] {
			j++
		}
		if why[i] != "" {
			g.add(record.TelemetryGap{Columns: []string{column}, From: seconds[i], To: seconds[j-1], Why: why[i]})
		}
		i = j
	}
}

// add joins it to one of the same seconds and cause.
func (g *gaps) add(gap record.TelemetryGap) {
	same := func(o record.TelemetryGap) bool { return o.From == gap.From && o.To == gap.To && o.Why == gap.Why }
	if i := slices.IndexFunc(*g, same); i >= 0 {
		(*g)[i].Columns = append((*g)[i].Columns, gap.Columns...)
		return
	}
	if n := len(*g); n == mostGaps { // what flaps for hours must not fill the record
		rest := &(*g)[n-1]
		rest.From, rest.To = min(rest.From, gap.From), max(rest.To, gap.To)
		rest.Why = "it was often not known here: there are too many reasons to tell each"
		for _, column := range gap.Columns {
			if !slices.Contains(rest.Columns, column) {
				rest.Columns = append(rest.Columns, column)
			}
		}
		return
	}
	*g = append(*g, gap)
}

// mostGaps is how many gaps of one source are told apart.
const mostGaps = 200

// merged says "source.*" in place of all columns of it.
func (g gaps) merged(source string, columns int) []record.TelemetryGap {
	for i := range g {
		if len(g[i].Columns) == columns && columns > 1 {
			g[i].Columns = []string{source + ".*"}
		}
	}
	return g
}
