package page

import (
	"math"

	"plinth/internal/record"
)

// telling returns the paths of the runs that illustrate the answer best: those of the typical
// block of the workload with the largest decided effect, or of the last workload if none is
// decided. The baseline comes first.
func telling(rec *record.Record, counted []record.Run) []string {
	paths := []string{}
	about := mostDecided(rec.Summary.Verdicts)
	for _, block := range typicalBlocks(rec.Summary.Baseline, counted) {
		if about != "" && block[0].Workload != about {
			continue
		}
		paths = paths[:0] // without a decided workload, the last one remains
		for _, run := range block {
			path := RunPath(run.RunID)
			if run.Environment == rec.Summary.Baseline {
				paths = append([]string{path}, paths...)
			} else {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// mostDecided returns the workload with the largest effect among those decided as better or
// worse; "" if there is none.
func mostDecided(verdicts []record.Verdict) string {
	workload, most := "", 0.0
	for _, v := range verdicts {
		size := math.Abs(math.Log1p(v.Effect))
		if (v.Outcome == record.Better || v.Outcome == record.Worse) && size > most {
			workload, most = v.Workload, size
		}
	}
	return workload
}
