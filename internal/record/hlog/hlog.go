// Package hlog reads the histogram log of a run: one histogram of latencies for each second and script.
// A log may come from an untrusted source, so its sizes are checked against limits before anything
// is inflated.
package hlog

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"plinth/internal/record"
)

// Interval is one line of a histogram log, not yet decoded.
type Interval struct {
	Tag    string  // of a script; "" if there is only one
	Start  float64 // seconds from the start of the window
	Length float64 // seconds
	Text   []byte  // HdrHistogram V2 compressed, base64
}

// Read returns the intervals of a histogram log (HdrHistogram log format 1.3):
// "Tag=NAME,START,LENGTH,MAX,HISTOGRAM" with or without the tag. It ignores a truncated last
// line, which a killed run may leave.
func Read(log []byte) ([]Interval, error) {
	var all []Interval
	for number := 1; ; number++ {
		line, rest, whole := bytes.Cut(log, []byte{'\n'})
		if !whole {
			return all, nil
		}
		log = rest
		if len(line) == 0 || line[0] == '#' || line[0] == '"' {
			continue
		}
		one, err := readInterval(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if len(all) == mostIntervals {
			return nil, errors.New("too many intervals")
		}
		all = append(all, one)
	}
}

// mostIntervals is more than the lines of the longest log that is read: of 12 hours with twenty
// scripts.
const mostIntervals = 1_000_000

// believed reports whether a number of seconds is plausible: no log is longer than 11 days.
func believed(seconds float64) bool { return math.Abs(seconds) < 1_000_000 } // false for NaN

func readInterval(line []byte) (Interval, error) {
	var one Interval
	if rest, tagged := bytes.CutPrefix(line, []byte("Tag=")); tagged {
		tag, after, _ := bytes.Cut(rest, []byte{','})
		one.Tag, line = string(tag), after
	}
	fields := bytes.Split(line, []byte{','})
	if len(fields) != 4 {
		return Interval{}, errors.New("not an interval")
	}
	var err error
	if one.Start, err = strconv.ParseFloat(string(fields[0]), 64); err != nil || !believed(one.Start) {
		return Interval{}, errors.New("not the start of an interval")
	}
	if one.Length, err = strconv.ParseFloat(string(fields[1]), 64); err != nil || !believed(one.Length) || one.Length < 0 {
		return Interval{}, errors.New("not the length of an interval")
	}
	one.Text = fields[3]
	return one, nil
}

// The V2 form of a histogram, as github.com/HdrHistogram/HdrHistogram writes it
// (AbstractHistogram.encodeIntoCompressedByteBuffer).
const (
	cookieV2           = 0x1c849303
	cookieV2Compressed = 0x1c849304
	wordSize           = 0xf0 // bits of a cookie with the encoding of counters
	headerV2           = 40
	// Counters is the number of counters in the only geometry used in records: 1 ns to an hour,
	// three digits (record.NewHistogram).
	Counters = 33 * 1024
	// mostInflated limits the total uncompressed size of a log, in bytes: about four times that
	// of the longest log.
	mostInflated = 512 << 20
)

// Decoder decodes the histograms of one log, one after the other. The library's decoder allocates
// 34,000 counters for each second, and takes ten times as long.
type Decoder struct {
	compressed, raw []byte
	inflate         io.ReadCloser
	inflated        int
}

// Decode calls count for every counter of a histogram that is not zero, in order.
func (d *Decoder) Decode(text []byte, count func(index int, n int64)) error {
	if err := d.unpack(text); err != nil {
		return err
	}
	if err := checkHeader(d.raw); err != nil {
		return err
	}
	index := 0
	for rest := d.raw[headerV2:]; len(rest) > 0; {
		n, size := binary.Varint(rest)
		if size <= 0 {
			return errors.New("truncated counter")
		}
		rest = rest[size:]
		if n < 0 { // -n counters are zero
			if n < -Counters {
				return errors.New("too many counters")
			}
			index -= int(n)
			continue
		}
		if index >= Counters || n > mostCounted {
			return errors.New("counter out of range")
		}
		if n > 0 {
			count(index, n)
		}
		index++
	}
	return nil
}

// mostCounted exceeds the transactions of any second, and is small enough for JavaScript to
// represent the sum of a day exactly.
const mostCounted = 1 << 32

// unpack uncompresses a histogram into d.raw. It reads at most the maximum size of a histogram;
// checkHeader rejects what is longer.
func (d *Decoder) unpack(text []byte) error {
	var err error
	if d.compressed, err = base64.StdEncoding.AppendDecode(d.compressed[:0], text); err != nil {
		return err
	}
	if len(d.compressed) < 8 || binary.BigEndian.Uint32(d.compressed)&^wordSize != cookieV2Compressed {
		return errors.New("not a histogram of version 2")
	}
	content := bytes.NewReader(d.compressed[8:])
	if d.inflate == nil {
		d.inflate, err = zlib.NewReader(content)
	} else {
		err = d.inflate.(zlib.Resetter).Reset(content, nil)
	}
	if err != nil {
		d.inflate = nil
		return err
	}
	const most = headerV2 + Counters*binary.MaxVarintLen64
	buffer := bytes.NewBuffer(d.raw[:0])
	n, err := buffer.ReadFrom(io.LimitReader(d.inflate, most))
	d.raw = buffer.Bytes()
	if d.inflated += int(n); err == nil && d.inflated > mostInflated {
		return errors.New("the log is too large")
	}
	return err
}

// checkHeader checks that raw has the geometry of all our histograms, and is complete.
func checkHeader(raw []byte) error {
	if len(raw) < headerV2 || binary.BigEndian.Uint32(raw)&^wordSize != cookieV2 {
		return errors.New("not a histogram of version 2")
	}
	digits, lowest := binary.BigEndian.Uint32(raw[12:]), binary.BigEndian.Uint64(raw[16:])
	highest := binary.BigEndian.Uint64(raw[24:])
	if digits != 3 || lowest != 1 || highest != uint64(record.LongestLatency) {
		return errors.New("not a histogram of 1 ns to an hour with three digits")
	}
	if int(binary.BigEndian.Uint32(raw[4:])) != len(raw)-headerV2 {
		return errors.New("incomplete histogram")
	}
	return nil
}
