package fio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"plinth/internal/fiojson"
	"plinth/internal/hint"
)

// Result holds what fio measured of one job.
type Result struct {
	Name        string
	Read, Write Direction
	Sync        Histogram // of each fdatasync; empty unless the job was Durable
	CPU         float64   // CPUs that fio's threads used during the job, from 0 to their number
}

// IOPS returns reads and writes per second.
func (r Result) IOPS() float64 { return r.Read.IOPS() + r.Write.IOPS() }

// Direction is the reads, or the writes, of a job.
type Direction struct {
	Operations int64
	Bytes      int64
	Time       time.Duration
	Latency    Histogram // from submission to completion
}

// IOPS returns operations per second.
func (d Direction) IOPS() float64 { return perSecond(d.Operations, d.Time) }

// Rate returns bytes per second.
func (d Direction) Rate() float64 { return perSecond(d.Bytes, d.Time) }

func perSecond(n int64, t time.Duration) float64 {
	if t <= 0 {
		return 0
	}
	return float64(n) / t.Seconds()
}

// Parse reads fio's output: optional lines of notes, then JSON. It returns an error if the
// text is not output of fio, or lacks histograms, or if a job failed.
func Parse(text []byte) ([]Result, error) {
	begin := bytes.IndexByte(text, '{')
	if begin < 0 {
		return nil, errors.New("cannot read fio's output: it contains no JSON")
	}
	var o fiojson.Output
	if err := json.NewDecoder(bytes.NewReader(text[begin:])).Decode(&o); err != nil {
		return nil, fmt.Errorf("cannot read fio's output: %w", err)
	}
	results := make([]Result, 0, len(o.Jobs))
	for _, job := range o.Jobs {
		if job.Error != 0 {
			return nil, fmt.Errorf("fio's job %s failed: %w", job.Name, syscall.Errno(job.Error))
		}
		r := Result{Name: job.Name, CPU: max(job.User+job.System, 0) / 100}
		read, readErr := parseDirection(job.Read)
		write, writeErr := parseDirection(job.Write)
		sync, syncErr := parseBins(job.Sync.Latency)
		if err := errors.Join(readErr, writeErr, syncErr); err != nil {
			return nil, fmt.Errorf("cannot read fio's output for job %s: %w", job.Name, err)
		}
		r.Read, r.Write, r.Sync = read, write, sync
		results = append(results, r)
	}
	return results, nil
}

func parseDirection(d fiojson.Direction) (Direction, error) {
	bins, err := parseBins(d.Latency)
	switch {
	case err != nil:
		return Direction{}, err
	case d.Operations < 0 || d.Bytes < 0 || d.Runtime < 0 || d.Runtime > mostRuntime:
		return Direction{}, errors.New("invalid count")
	case d.Operations > 0 && len(bins) == 0:
		return Direction{}, hint.Errorf("install fio 3.16 or later", "it contains no latency histogram")
	}
	return Direction{d.Operations, d.Bytes, time.Duration(d.Runtime) * time.Millisecond, bins}, nil
}

// mostRuntime is ten years, in milliseconds: longer runtimes are invalid.
const mostRuntime = 10 * 365 * 24 * 3600 * 1000

func parseBins(l fiojson.Latency) (Histogram, error) {
	h := Histogram{}
	for text, count := range l.Bins {
		value, err := strconv.ParseInt(text, 10, 64)
		if err != nil || value < 0 || count < 0 {
			return nil, fmt.Errorf("invalid histogram bin %q with count %d", text, count)
		}
		h[time.Duration(value)] += count
	}
	return h, nil
}

// ReadSeconds reads the file that a job with Seconds has written: bytes in each whole
// second, from the first on.
func ReadSeconds(prefix string) ([]float64, error) {
	text, err := os.ReadFile(prefix + "_bw.log")
	if err != nil {
		return nil, fmt.Errorf("cannot read fio's log: %w", err)
	}
	return parseSeconds(text)
}

// mostSeconds is the maximum length of a log: a week.
const mostSeconds = 7 * 24 * 3600

// parseSeconds reads lines of "time in ms, KiB/s, direction, ..." (HOWTO.rst, Log File
// Formats). Each thread and direction has its own lines, which are added up. A line belongs
// to the second that ends at its time, rounded; what is logged after the last whole second
// is its remainder.
func parseSeconds(text []byte) ([]float64, error) {
	var seconds []float64
	for line := range bytes.Lines(text) {
		fields := strings.Split(strings.TrimSpace(string(line)), ",")
		if len(fields) < 3 {
			return nil, fmt.Errorf("cannot read fio's log: %q", bytes.TrimSpace(line))
		}
		ms, err := strconv.ParseUint(strings.TrimSpace(fields[0]), 10, 64)
		if err != nil || ms > mostSeconds*1000 {
			return nil, fmt.Errorf("cannot read the time %q in fio's log", fields[0])
		}
		rate, err := strconv.ParseUint(strings.TrimSpace(fields[1]), 10, 48)
		if err != nil {
			return nil, fmt.Errorf("cannot read the rate %q in fio's log", fields[1])
		}
		if ms < 500 {
			continue
		}
		at := int((ms+500)/1000) - 1
		for len(seconds) <= at {
			seconds = append(seconds, 0)
		}
		seconds[at] += float64(rate) * 1024
	}
	return seconds, nil
}
