package report

import (
	"fmt"
	"maps"
	"slices"

	"plinth/internal/record"
)

// recoveredLines say what a power cut did to each environment, before any verdict:
// what loses what was promised is not better, however quick it is. Losses come first.
func recoveredLines(all []record.Recovered) list {
	var lost, kept list
	for _, r := range all {
		if r.Lost() > 0 {
			lost = append(lost, RecoveredLine(r))
		} else {
			kept = append(kept, RecoveredLine(r))
		}
	}
	return slices.Concat(lost, kept)
}

// RecoveredLine is what a power cut did to one environment, in words.
func RecoveredLine(r record.Recovered) string {
	who := r.Environment
	if r.Record != "" {
		who = r.Record + "/" + who
	}
	switch {
	case r.Lost() > 0:
		return fmt.Sprintf("%s: LOST %s of %s acknowledged transactions in a power cut", who, Count(float64(r.Lost())), Count(float64(r.Acknowledged)))
	case r.Acknowledged == 0:
		return who + ": no transaction was acknowledged before the power cut, so nothing is known of what it loses"
	}
	return fmt.Sprintf("%s: kept all %s acknowledged transactions in a power cut, answered again after %.1f s", who, Count(float64(r.Acknowledged)), r.Took)
}

// Losses are sentences on the environments that lost acknowledged transactions, by
// name, for a list of records.
func Losses(of map[string]record.Recovery) []string {
	var sentences []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if of[name].Lost() > 0 {
			sentences = append(sentences, RecoveredLine(record.Recovered{Environment: name, Recovery: of[name]})+".")
		}
	}
	return sentences
}

// recovered is what power cuts did to the environments of all records that are shown.
func (f *Full) recovered() []record.Recovered {
	var all []record.Recovered
	for i, s := range f.shows {
		for _, r := range s.Recoveries {
			if f.comparison != nil {
				r.Record = f.comparison.nameOf(i)
			}
			all = append(all, r)
		}
	}
	return all
}
