package record

import (
	"os"
	"slices"

	"plinth/internal/host"
)

// Quantity identifies the metric and the workload that noise refers to.
type Quantity struct{ Workload, Metric string }

// FoundNoise is a Noise with the name of the record that it comes from.
type FoundNoise struct {
	Noise
	Record string
}

// LatestNoise returns, for each wanted quantity, the noise in the newest record of store that has
// it. It considers complete experiments with this engine, on this machine alone, that compared equal
// environments. Quantities without a match are omitted; damaged records are skipped.
func LatestNoise(store, engine string, machine host.Facts, wanted []Quantity) ([]FoundNoise, error) {
	entries, err := List(store)
	if err != nil {
		return nil, err
	}
	var found []FoundNoise
	missing := slices.Clone(wanted)
	for _, entry := range entries { // newest first
		if len(missing) == 0 {
			break
		}
		if entry.Damage != "" || entry.State != Complete || entry.Engine != engine {
			continue
		}
		summary, err := summaryAt(entry.Path)
		if err != nil || len(summary.Machines) > 1 || len(machine.Differences(summary.Machine)) > 0 {
			continue
		}
		for _, n := range summary.Noise {
			if i := slices.Index(missing, Quantity{n.Workload, n.Metric}); i >= 0 {
				missing = slices.Delete(missing, i, i+1)
				found = append(found, FoundNoise{n, entry.Name})
			}
		}
	}
	return found, nil
}

func summaryAt(path string) (Summary, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return Summary{}, bare(err)
	}
	defer func() { _ = root.Close() }() // nothing was written
	return readSummary(root, nil)
}
