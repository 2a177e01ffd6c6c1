package redis

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// readDocument reads a document member by member, so that what is whole of one that is cut is kept.
func (r *memtierReader) readDocument() ([]record.Note, error) {
	err := r.document.Members(r.member)
	switch {
	case err == nil:
		return nil, nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return []record.Note{{Rule: capture.Cut, Text: "the JSON document is cut"}}, nil
	}
	return nil, fmt.Errorf("cannot read memtier_benchmark's JSON: %w", err)
}

func (r *memtierReader) member(name string, d *json.Decoder) error {
	switch {
	case name == "configuration":
		return r.configuration(d)
	case name == "run information":
		return r.information(d)
	case titleLine.MatchString(name) && len(r.tables) < maxRuns:
		r.add(name)
		return capture.Members(d, r.current.member)
	}
	return capture.Skip(d)
}

// secret names what is not kept of the configuration.
func secret(name string) bool {
	return name == "authenticate" || strings.Contains(name, "password") || name == "key"
}

func (r *memtierReader) configuration(d *json.Decoder) error {
	var values map[string]json.RawMessage
	if err := d.Decode(&values); err != nil {
		return err
	}
	for name, value := range values {
		if text := strings.Trim(string(value), `"`); !secret(name) && text != "null" && text != "(null)" && text != "" {
			r.load.set(name, text)
		}
	}
	if n, err := strconv.ParseUint(string(values["pipeline"]), 10, 31); err == nil {
		r.load.pipeline = int(n)
	}
	return nil
}

func (r *memtierReader) information(d *json.Decoder) error {
	var values map[string]any
	if err := d.Decode(&values); err != nil {
		return err
	}
	r.load.threads, r.load.connections = whole(values["Threads"]), whole(values["Connections per thread"])
	r.load.seconds = float64(whole(values["Seconds"]))
	return nil
}

// whole returns a number of JSON that is a count; 0 for another value.
func whole(value any) int {
	if x, ok := value.(float64); ok && x >= 0 && x < math.MaxInt32 {
		return int(x)
	}
	return 0
}

func (t *table) member(name string, d *json.Decoder) error {
	switch name {
	case "Runtime":
		return t.runtime(d)
	case "Active Clients", "Per-Key Misses":
		return capture.Skip(d)
	}
	if name == strings.ToUpper(name) || len(t.rows) == maxRows {
		return capture.Skip(d) // the distribution of latencies of "GET"
	}
	one := row{name: name}
	progress := progress{}
	err := capture.Members(d, func(name string, d *json.Decoder) error {
		switch name {
		case "Time-Serie":
			return capture.Members(d, progress.second)
		case "Percentile Latencies":
			return one.percentiles(d)
		}
		return one.member(name, d)
	})
	if err != nil {
		return err
	}
	t.rows = append(t.rows, one)
	if name == "Totals" {
		t.progress, t.partial = progress.series(t.duration)
	}
	return nil
}

func (t *table) runtime(d *json.Decoder) error {
	var values struct {
		Start       int64   `json:"Start time"`
		Duration    float64 `json:"Total duration"`
		Unit        string  `json:"Time unit"`
		Interrupted string  `json:"Interrupted"`
	}
	if err := d.Decode(&values); err != nil {
		return err
	}
	t.stopped = values.Interrupted == "true"
	if values.Unit != "MILLISECONDS" {
		return nil
	}
	if values.Duration > 0 {
		t.duration = values.Duration / 1000
	}
	if at := time.UnixMilli(values.Start).UTC(); at.Year() > 1980 && at.Year() < 2200 {
		t.began = capture.Moment{Time: at, Clock: capture.UTC}
	}
	return nil
}

// member reads a number of a row. "Latency" is the mean, as "Average Latency" is.
func (o *row) member(name string, d *json.Decoder) error {
	var value any
	if err := d.Decode(&value); err != nil {
		return err
	}
	x, ok := value.(float64)
	if !ok || x < 0 || x > math.MaxInt64/1e7 {
		return nil
	}
	switch name {
	case "Count":
		o.count = int64(x)
	case "Average Latency":
		o.set("Avg. Latency", x)
	case "Min Latency":
		o.times.Min = nanoseconds(x)
	case "Max Latency":
		o.times.Max = nanoseconds(x)
	default:
		o.set(name, x)
	}
	return nil
}

func (o *row) percentiles(d *json.Decoder) error {
	var values map[string]any
	if err := d.Decode(&values); err != nil {
		return err
	}
	for name, value := range values {
		if x, ok := value.(float64); ok && x >= 0 && x < math.MaxInt64/1e7 {
			o.percentile(name, x)
		}
	}
	sort.Slice(o.times.Percentiles, func(a, b int) bool { return o.times.Percentiles[a].Share < o.times.Percentiles[b].Share })
	return nil
}

// progress gathers the seconds of a "Time-Serie".
type progress struct {
	seconds []int
	points  []row
}

// maxSeconds is a week.
const maxSeconds = 7 * 24 * 3600

func (p *progress) second(name string, d *json.Decoder) error {
	second, err := strconv.Atoi(name)
	if err != nil || second < 0 || second > maxSeconds || len(p.seconds) > maxSeconds {
		return capture.Skip(d)
	}
	one := row{}
	err = capture.Members(d, func(name string, d *json.Decoder) error {
		if strings.HasPrefix(name, "p") {
			var x float64
			if err := d.Decode(&x); err != nil {
				return err
			}
			one.percentile(name, x)
			return nil
		}
		return one.member(name, d)
	})
	p.seconds, p.points = append(p.seconds, second), append(p.points, one)
	return err
}

// series returns a row for each whole second of the run, and whether the last second was left out.
func (p *progress) series(duration float64) (capture.Series, bool) {
	names := []string{"tps", "latency_mean_ns", "latency_p50_ns", "latency_p95_ns", "latency_p99_ns", "latency_p99_9_ns", "latency_max_ns"}
	s := capture.Series{Source: "memtier_benchmark", Interval: 1}
	for _, name := range names {
		s.Columns = append(s.Columns, record.Column{Name: name})
	}
	partial := false
	for i, second := range p.seconds {
		if duration == 0 || float64(second+1) > duration {
			partial = true
			continue
		}
		s.Times = append(s.Times, capture.Moment{Time: time.Unix(int64(second)+1, 0).UTC(), Clock: capture.Relative})
		var l record.Latency
		setLatency(&l, p.points[i].times)
		for c, value := range []float64{float64(p.points[i].count), l.Mean, float64(l.P50), float64(l.P95), float64(l.P99), float64(l.P999), float64(l.Max)} {
			if value == 0 && c > 0 {
				value = math.NaN() // not printed
			}
			s.Columns[c].Values = append(s.Columns[c].Values, value)
		}
	}
	if len(s.Times) == 0 {
		return capture.Series{}, partial
	}
	return s, partial
}
