package pgbench

import (
	"fmt"
	"math"

	"plinth/internal/capture"
)

// progressCount compares the transactions that the lines of progress have with those of the summary:
// never more, and not much fewer if the lines cover the run.
func progressCount(r *output, run *capture.Run) string {
	processed := r.total.numbers["processed"]
	count, seconds := r.progress.count()
	if processed == 0 || count == 0 || math.IsNaN(count) || r.progress.cut > 0 {
		return ""
	}
	covers := run.Result.Duration > 0 && seconds >= (1-tolerance/2)*run.Result.Duration
	rounding := 0.05*seconds + 1
	if count <= processed*1.01+rounding && (!covers || count >= (1-tolerance)*processed-rounding) {
		return ""
	}
	return fmt.Sprintf("the progress has %s transactions in %s s, but the summary has %s", grouped(count, 0), grouped(seconds, 1), grouped(processed, 0))
}

// progressLatency compares the mean latency over the lines of progress, weighted by transactions, with the
// summary's.
func progressLatency(r *output, run *capture.Run) string {
	sum, count := 0.0, 0.0
	for row, mean := range r.progress.columns[pMean] {
		if tps := r.progress.columns[pTPS][row]; tps > 0 {
			length := r.progress.length(row)
			if math.IsNaN(length) {
				length = 1
			}
			sum += mean * tps * length
			count += tps * length
		}
	}
	latency := run.Result.Latency.Mean
	_, measured := r.total.numbers["stddev_ms"]
	if count < 0.8*r.total.numbers["processed"] || latency == 0 || count == 0 || !measured {
		return ""
	}
	if mean := sum / count; math.Abs(mean-latency) > tolerance*latency+0.001e6 {
		return fmt.Sprintf("the mean latency of the progress is %s ms, but the latency average is %s ms", grouped(mean/1e6, 3), grouped(latency/1e6, 3))
	}
	return ""
}
