package record

import (
	"fmt"
	"math"
	"os"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The geometry of every latency histogram: 1 ns to one hour, three significant
// digits. One geometry for all, because histograms are merged across runs and
// a merge drops what its target cannot hold.
const (
	LongestLatency    = int64(3_600_000_000_000)
	significantDigits = 3
)

// maxHistogramText is the longest encoded histogram that is decoded. A full one
// of our geometry has 34,000 counters and stays far below it.
const maxHistogramText = 1 << 20

// NewHistogram makes an empty latency histogram, in nanoseconds. Values above
// LongestLatency are refused by RecordValue; callers record LongestLatency.
func NewHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, LongestLatency, significantDigits)
}

// EncodeHistogram writes h as HdrHistogram V2, compressed, in base64: the text
// that other HDR tools read.
func EncodeHistogram(h *hdrhistogram.Histogram) (string, error) {
	encoded, err := h.EncodeV2()
	if err != nil {
		return "", fmt.Errorf("cannot encode histogram: %w", err)
	}
	return string(encoded), nil
}

// Summarise reads mean, deviation and percentiles (in nanoseconds) from h and
// encodes it. An empty histogram gives a Latency of zeros without a histogram:
// h's own mean would be 0/0, which JSON cannot hold.
func Summarise(h *hdrhistogram.Histogram) Latency {
	if h.TotalCount() == 0 {
		return Latency{}
	}
	encoded, _ := EncodeHistogram(h) // into memory: it fails only on a closed buffer
	at := h.ValueAtPercentilesSlice([]float64{50, 95, 99, 99.9})
	return Latency{
		Mean: h.Mean(), Stddev: h.StdDev(), Min: h.Min(), Max: h.Max(),
		P50: at[0], P95: at[1], P99: at[2], P999: at[3],
		Histogram: encoded,
	}
}

// Decode is the histogram behind l; an empty one where l has none. It fails on
// text that is not a V2 histogram, and on counts that no run can reach.
func (l Latency) Decode() (*hdrhistogram.Histogram, error) {
	if l.Histogram == "" {
		return NewHistogram(), nil
	}
	if len(l.Histogram) > maxHistogramText {
		return nil, fmt.Errorf("cannot decode histogram: %d bytes are too many", len(l.Histogram))
	}
	h, err := hdrhistogram.Decode([]byte(l.Histogram))
	if err != nil {
		return nil, fmt.Errorf("cannot decode histogram: %w", err)
	}
	if h.TotalCount() > math.MaxInt64>>20 {
		return nil, fmt.Errorf("cannot decode histogram: it counts %d transactions", h.TotalCount())
	}
	return h, nil
}

// maxHistogramLog is the longest histogram log that is read, in bytes: some twelve
// hours of a busy load. A picture of more would show none of its seconds.
const maxHistogramLog = 64 << 20

// HistogramLog reads the latency.hlog of a run of this record, and opens nothing
// outside of it. A run without one gives fs.ErrNotExist.
func (r *Record) HistogramLog(id RunID) ([]byte, error) {
	name := id.Path() + "/" + histogramFile
	root, err := os.OpenRoot(r.Path)
	if err != nil {
		return nil, fmt.Errorf("cannot read histogram log %s: %w", name, err)
	}
	defer root.Close()
	data, err := readFile(root, name, maxHistogramLog)
	if err != nil {
		return nil, fmt.Errorf("cannot read histogram log %w", err)
	}
	return data, nil
}
