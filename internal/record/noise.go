package record

import "plinth/internal/host"

// LatestNoise is the newest record in store that compared equals on this machine,
// by its name, and what it found; empty where there is none. Damaged records are
// passed over.
func LatestNoise(store, engine string, machine host.Facts) (name string, noise []Noise, err error) {
	entries, err := List(store)
	if err != nil {
		return "", nil, err
	}
	for _, entry := range entries { // newest first
		if entry.Damage != "" {
			continue
		}
		summary, err := summaryAt(entry.Path)
		if err == nil && len(summary.Noise) > 0 && summary.Engine == engine && len(machine.Differences(summary.Machine)) == 0 {
			return entry.Name, summary.Noise, nil
		}
	}
	return "", nil, nil
}
