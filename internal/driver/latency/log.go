package latency

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"plinth/internal/record"
)

// Log writes a histogram log (HdrHistogram log format 1.3, histograms in V2 compressed
// form), one interval a second, latencies in nanoseconds. It has its own encoder because
// the library's allocates a new compressor for every interval; the tests read the result
// back with the library.
type Log struct {
	out        *bufio.Writer
	raw        []byte
	compressed bytes.Buffer
	zlib       *zlib.Writer
	text       []byte
	err        error // the first failure; later intervals are dropped
}

// NewLog returns a log that is written to w.
func NewLog(w io.Writer) *Log {
	return &Log{out: bufio.NewWriterSize(w, 32<<10)}
}

// Begin writes the header: the load generator's name, and the start of the intervals'
// times, in seconds.
func (h *Log) Begin(program string, start time.Time) {
	seconds := float64(start.UnixMicro()) / 1e6
	fmt.Fprintf(h.out, "#[plinth: %s latencies in nanoseconds]\n"+
		"#[Histogram log format version 1.3]\n"+
		"#[BaseTime: %.3f (seconds since epoch)]\n"+
		"#[StartTime: %.3f (seconds since epoch), %s]\n"+
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
		program, seconds, seconds, start.UTC().Format(time.RFC3339))
}

// Interval writes one histogram. The tag is empty if there is only one script.
func (h *Log) Interval(tag string, start, length float64, c *Counts) {
	if h.err != nil {
		return
	}
	if tag != "" {
		fmt.Fprintf(h.out, "Tag=%s,", tag)
	}
	top := int64(0)
	if c.total > 0 {
		top = highest(c.hi)
	}
	fmt.Fprintf(h.out, "%.6f,%.6f,%.6f,", start, length, float64(top)/1e6)
	h.encode(c)
	h.text = base64.StdEncoding.AppendEncode(h.text[:0], h.compressed.Bytes())
	h.text = append(h.text, '\n')
	_, err := h.out.Write(h.text)
	h.fail(err)
}

// Close writes what is left; the error is the first of all. The caller closes the file.
func (h *Log) Close() error {
	h.fail(h.out.Flush())
	if h.err != nil {
		return fmt.Errorf("cannot write the histogram log: %w", h.err)
	}
	return nil
}

func (h *Log) fail(err error) {
	if h.err == nil {
		h.err = err
	}
}

// The cookies of HdrHistogram's V2 encoding. The library's constants lack the word-size
// bits that every writer sets.
const (
	cookieV2           = 0x1c849303 | 0x10
	cookieV2Compressed = 0x1c849304 | 0x10
	headerV2           = 40
)

// encode leaves c in h.compressed.
func (h *Log) encode(c *Counts) {
	h.raw = appendV2(h.raw[:0], c)
	h.compressed.Reset()
	h.compressed.Write(make([]byte, 8)) // cookie and length, known below
	if h.zlib == nil {
		h.zlib = zlib.NewWriter(&h.compressed)
	} else {
		h.zlib.Reset(&h.compressed)
	}
	_, err := h.zlib.Write(h.raw)
	h.fail(err)
	h.fail(h.zlib.Close())
	b := h.compressed.Bytes()
	binary.BigEndian.PutUint32(b, cookieV2Compressed)
	binary.BigEndian.PutUint32(b[4:], uint32(len(b)-8))
}

// appendV2 appends c in the uncompressed V2 form: a header, then counters as zigzag LEB128,
// runs of empty buckets as negative numbers. (The form's ninth byte differs from a
// varint's, which only matters for counts above 2^56.)
func appendV2(b []byte, c *Counts) []byte {
	b = binary.BigEndian.AppendUint32(b, cookieV2)
	b = binary.BigEndian.AppendUint32(b, 0) // length, known below
	b = binary.BigEndian.AppendUint32(b, 0) // normalizing index offset
	b = binary.BigEndian.AppendUint32(b, 3) // significant digits
	b = binary.BigEndian.AppendUint64(b, 1) // lowest value
	b = binary.BigEndian.AppendUint64(b, uint64(record.LongestLatency))
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(1))
	zeros := int64(c.lo)
	for bucket := c.lo; bucket <= c.hi; bucket++ {
		n := int64(c.n[bucket])
		if n == 0 {
			zeros++
			continue
		}
		if zeros > 0 {
			b = binary.AppendVarint(b, -zeros)
			zeros = 0
		}
		b = binary.AppendVarint(b, n)
	}
	binary.BigEndian.PutUint32(b[4:], uint32(len(b)-headerV2))
	return b
}

// TagOf turns a script's name into a tag: the format has no quoting.
func TagOf(name string) string {
	return strings.Map(func(r rune) rune {
		if r == ',' || r <= ' ' || r == 0x7f {
			return '_'
		}
		return r
	}, name)
}
