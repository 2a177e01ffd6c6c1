package redisbench

import (
	"fmt"
	"time"

	"plinth/internal/driver"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// writeLog writes a histogram log with one interval: redis-benchmark has no
// histograms of seconds.
func writeLog(keep driver.Keeper, program string, begin, end time.Time, h *hdrhistogram.Histogram) error {
	f, err := keep.CreateHistogramLog()
	if err != nil {
		return fmt.Errorf("cannot write the histogram log: %w", err)
	}
	defer f.Close()
	start := begin.UnixMilli()
	h.SetStartTimeMs(start)
	h.SetEndTimeMs(end.UnixMilli())
	w := hdrhistogram.NewHistogramLogWriter(f)
	w.SetBaseTime(start)
	for _, write := range []func() error{
		func() error { return w.OutputComment("[plinth: " + program + " latencies in nanoseconds]") },
		w.OutputLogFormatVersion,
		func() error { return w.OutputBaseTime(start) },
		func() error { return w.OutputStartTime(start) },
		w.OutputLegend,
		func() error { return w.OutputIntervalHistogram(h) },
		f.Close,
	} {
		if err := write(); err != nil {
			return fmt.Errorf("cannot write the histogram log: %w", err)
		}
	}
	return nil
}
