package record

import (
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"plinth/internal/record/files"
)

// The geometry of every latency histogram: 1 ns to one hour, three significant digits. All
// histograms share it, because they are merged across runs and a merge drops what its target
// cannot hold.
const (
	LongestLatency    = int64(3_600_000_000_000)
	significantDigits = 3
)

// maxHistogramText is the longest encoded histogram that is decoded, in bytes. A full one of this
// geometry has 34,000 counters and stays far below it.
const maxHistogramText = 1 << 20

// NewHistogram returns an empty latency histogram, in nanoseconds. RecordValue rejects values
// above LongestLatency; callers record LongestLatency instead.
func NewHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, LongestLatency, significantDigits)
}

// EncodeHistogram encodes h as compressed HdrHistogram V2 in base64, the format that other HDR
// tools read.
func EncodeHistogram(h *hdrhistogram.Histogram) (string, error) {
	encoded, err := h.EncodeV2()
	if err != nil {
		return "", fmt.Errorf("cannot encode histogram: %w", err)
	}
	return string(encoded), nil
}

// Summarise computes mean, deviation and percentiles (in nanoseconds) from h and encodes it. An
// empty histogram gives a Latency of zeros without a histogram: h's own mean would be 0/0, which
// JSON cannot represent.
func Summarise(h *hdrhistogram.Histogram) Latency {
	if h.TotalCount() == 0 {
		return Latency{}
	}
	encoded, _ := EncodeHistogram(h) // in memory: it fails only on a closed buffer
	at := h.ValueAtPercentilesSlice([]float64{50, 95, 99, 99.9})
	return Latency{
		Mean: h.Mean(), Stddev: h.StdDev(), Min: h.Min(), Max: h.Max(),
		P50: at[0], P95: at[1], P99: at[2], P999: at[3],
		Histogram: encoded,
	}
}

// Decode returns the histogram in l, or an empty one if l has none. It fails on text that is not
// a V2 histogram, and on counts that no run can reach.
func (l Latency) Decode() (*hdrhistogram.Histogram, error) {
	if l.Histogram == "" {
		return NewHistogram(), nil
	}
	if len(l.Histogram) > maxHistogramText {
		return nil, fmt.Errorf("cannot decode histogram: %d bytes are too many", len(l.Histogram))
	}
	if err := checkGeometry(l.Histogram); err != nil {
		return nil, fmt.Errorf("cannot decode histogram: %w", err)
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

// checkGeometry returns an error if an encoded histogram has another geometry, for whose counters the
// library would allocate up to 50 MB.
// (https://github.com/HdrHistogram/HdrHistogram, AbstractHistogram.encodeIntoCompressedByteBuffer)
func checkGeometry(text string) error {
	packed := base64.NewDecoder(base64.StdEncoding, strings.NewReader(text))
	if _, err := io.CopyN(io.Discard, packed, 8); err != nil { // a cookie, and the compressed length
		return err
	}
	content, err := zlib.NewReader(packed)
	if err != nil {
		return err
	}
	defer content.Close()
	var header struct {
		Cookie, Payload, Offset, Digits uint32
		Lowest, Highest                 int64
	}
	if err := binary.Read(content, binary.BigEndian, &header); err != nil {
		return err
	}
	if header.Digits != significantDigits || header.Lowest != 1 || header.Highest != LongestLatency {
		return errors.New("not one of 1 ns to an hour with three digits")
	}
	return nil
}

// maxHistogramLog is the longest histogram log that is read, in bytes: about twelve hours of a
// busy load. A chart of more could not show single seconds.
const maxHistogramLog = 64 << 20

// HistogramLog reads the latency.hlog of a run. It opens no file outside the record, and returns
// fs.ErrNotExist for a run without one.
func (r *Record) HistogramLog(id RunID) ([]byte, error) {
	name := id.Path() + "/" + histogramFile
	root, err := os.OpenRoot(r.Path)
	if err != nil {
		return nil, fmt.Errorf("cannot read histogram log %s: %w", name, err)
	}
	defer root.Close()
	data, err := files.Read(root, name, maxHistogramLog)
	if err != nil {
		return nil, fmt.Errorf("cannot read histogram log %w", err)
	}
	return data, nil
}
