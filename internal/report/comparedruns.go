package report

import (
	"slices"
	"strings"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

// comparedRuns is the runs of the environments that were compared, for benchstat:
// -col /env lays the environments of one record side by side, -col record two
// records.
func comparedRuns(c *verdict.Comparison, opts Options) (string, error) {
	var b strings.Builder
	for _, rec := range opts.Records {
		show, err := gather(rec, opts.Threads, false)
		if err != nil {
			return "", err
		}
		if len(opts.Records) == 1 {
			show.counted = slices.DeleteFunc(slices.Clone(show.counted), func(r record.Run) bool { return !compared(c, r) })
		}
		b.WriteString(show.gobench())
	}
	return b.String(), nil
}

// compared says whether a run is of an environment that c compares.
func compared(c *verdict.Comparison, run record.Run) bool {
	return slices.ContainsFunc(c.Verdicts, func(v record.Verdict) bool {
		return v.Workload == run.Workload && (v.Baseline == run.Environment || v.Other == run.Environment)
	})
}
