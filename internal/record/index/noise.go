package index

import (
	"slices"

	"plinth/internal/host"
	"plinth/internal/record"
)

// LatestNoise returns, for each wanted quantity, the noise in the newest record of store that has
// it. It considers complete experiments with this engine, on this machine alone, that compared equal
// environments. Quantities without a match are omitted; damaged records are skipped.
func LatestNoise(store, engine string, machine host.Facts, wanted []record.Quantity) ([]record.FoundNoise, error) {
	entries, err := List(store)
	if err != nil {
		return nil, err
	}
	var found []record.FoundNoise
	missing := slices.Clone(wanted)
	for _, entry := range entries { // newest first
		if len(missing) == 0 {
			break
		}
		if entry.Damage != "" || entry.State != record.Complete || entry.Engine != engine {
			continue
		}
		summary, err := record.ReadSummary(entry.Path)
		if err != nil || len(summary.Machines) > 1 || len(machine.Differences(summary.Machine)) > 0 {
			continue
		}
		for _, n := range summary.Noise {
			if i := slices.Index(missing, record.Quantity{Workload: n.Workload, Metric: n.Metric}); i >= 0 {
				missing = slices.Delete(missing, i, i+1)
				found = append(found, record.FoundNoise{Noise: n, Record: entry.Name})
			}
		}
	}
	return found, nil
}
