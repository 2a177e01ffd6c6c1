package recordtest

import (
	"fmt"
	"testing"

	"plinth/internal/record"
)

// HistogramHead begins a histogram log (latency.hlog).
const HistogramHead = "#[plinth: pgbench latencies in nanoseconds]\n#[StartTime: 1.0 (seconds since epoch)]\n" +
	"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"

// HistogramSecond returns the line of a second of a histogram log, made by the library.
func HistogramSecond(tb testing.TB, tag string, start float64, latencies ...int64) string {
	tb.Helper()
	h := record.NewHistogram()
	for _, ns := range latencies {
		if err := h.RecordValue(ns); err != nil {
			tb.Fatal(err)
		}
	}
	text, err := record.EncodeHistogram(h)
	if err != nil {
		tb.Fatal(err)
	}
	if tag != "" {
		tag = "Tag=" + tag + ","
	}
	return fmt.Sprintf("%s%.6f,1.000000,1.0,%s\n", tag, start, text)
}
