package page

import (
	"math"

	"plinth/internal/record"
)

// telling are the runs that show best what the answer is about: the typical block of
// the workload with the largest effect that is known, each with its environment; of
// any workload where none is known. The baseline comes first.
func telling(rec *record.Record, counted []record.Run) []string {
	paths := []string{}
	about := mostDecided(rec.Summary.Verdicts)
	for _, block := range typicalBlocks(rec.Summary.Baseline, counted) {
		if about != "" && block[0].Workload != about {
			continue
		}
		paths = paths[:0] // the last one, where none was asked for
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

// mostDecided is the workload with the largest effect that is better or worse; "" for
// none.
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
