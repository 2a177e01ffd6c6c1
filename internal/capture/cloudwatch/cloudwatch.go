// Package cloudwatch reads answers of Amazon CloudWatch, as aws cloudwatch get-metric-data and get-metric-statistics print them
// as JSON. For a managed database they are the only readings of its disk: queue, latency, bursts and CPU credits. A time is
// the beginning of a period (API reference: Datapoint); plinth's is its end.
package cloudwatch

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// Kinds returns the answers of CloudWatch.
func Kinds() []capture.Kind {
	return []capture.Kind{{
		Name:   "cloudwatch",
		Title:  "an answer of Amazon CloudWatch (JSON)",
		Begins: begins,
		New:    func() capture.Reader { return &reader{} },
	}}
}

func begins(lines []string) bool {
	if !strings.HasPrefix(strings.TrimSpace(lines[0]), "{") {
		return false
	}
	head := strings.Join(lines, " ")
	return strings.Contains(head, `"MetricDataResults"`) || strings.Contains(head, `"Datapoints"`) && strings.Contains(head, `"Label"`)
}

// reader reads one answer.
type reader struct {
	document capture.Document
	label    string // of get-metric-statistics
	metrics  []metric
	notes    []record.Note
}

// metric is one metric: its values by the beginning of their periods.
type metric struct {
	name   string
	times  []time.Time
	values []float64
}

// Line takes one line.
func (r *reader) Line(line []byte) bool { return r.document.Line(line) }

// result is an element of MetricDataResults.
type result struct {
	ID         string      `json:"Id"`
	Label      string      `json:"Label"`
	Timestamps []time.Time `json:"Timestamps"`
	Values     []float64   `json:"Values"`
	StatusCode string      `json:"StatusCode"`
}

// datapoint is an element of Datapoints: a time, its unit, and a value of each statistic that was asked for.
type datapoint map[string]any

// statistics are those of get-metric-statistics. Average needs no name.
var statistics = []string{"Average", "Minimum", "Maximum", "Sum", "SampleCount"}

// End returns the readings.
func (r *reader) End() (capture.Found, error) {
	if !r.document.Complete() {
		return capture.Found{}, errors.New("the text ends before the end of the document")
	}
	var points []datapoint
	err := r.document.Members(func(name string, value *json.Decoder) error {
		switch name {
		case "Label":
			return value.Decode(&r.label)
		case "Datapoints":
			return value.Decode(&points)
		case "MetricDataResults":
			return capture.Elements(value, r.result)
		case "NextToken":
			r.note(capture.Cut, "the answer is one of several (NextToken)")
		}
		return capture.Skip(value)
	})
	if err != nil {
		return capture.Found{}, fmt.Errorf("it is no answer of CloudWatch: %w", err)
	}
	r.statistics(points)
	series := r.series()
	if series == nil {
		return capture.Found{}, errors.New("it has no value")
	}
	return capture.Found{Series: series, Notes: r.notes}, nil
}

func (r *reader) note(rule, format string, args ...any) {
	r.notes = append(r.notes, record.Note{Rule: rule, Text: fmt.Sprintf(format, args...)})
}

// result takes one metric of get-metric-data.
func (r *reader) result(value *json.Decoder) error {
	var one result
	if err := value.Decode(&one); err != nil {
		return err
	}
	name := one.Label
	if name == "" || slices.ContainsFunc(r.metrics, func(earlier metric) bool { return earlier.name == name }) {
		name = strings.TrimSpace(name + " " + one.ID) // such as that of another instance
	}
	if len(one.Timestamps) != len(one.Values) {
		r.note(capture.Contradiction, "%s has %d times and %d values", name, len(one.Timestamps), len(one.Values))
		return nil
	}
	if one.StatusCode == "PartialData" {
		r.note(capture.Cut, "%s is not complete (PartialData)", name)
	}
	r.metrics = append(r.metrics, metric{name, one.Timestamps, one.Values})
	return nil
}

// statistics takes the values of get-metric-statistics: a metric for each statistic.
func (r *reader) statistics(points []datapoint) {
	for _, statistic := range statistics {
		m := metric{name: r.label}
		if statistic != "Average" {
			m.name += " " + statistic
		}
		for _, p := range points {
			text, _ := p["Timestamp"].(string)
			at, err := time.Parse(time.RFC3339, text)
			if v, there := p[statistic].(float64); there && err == nil {
				m.times, m.values = append(m.times, at), append(m.values, v)
			}
		}
		if len(m.values) > 0 {
			r.metrics = append(r.metrics, m)
		}
	}
}

// series puts the metrics of each period into one table; nil if there is no value.
func (r *reader) series() []capture.Series {
	var periods []int64
	for _, m := range r.metrics {
		if p := m.period(); len(m.values) > 0 && !slices.Contains(periods, p) {
			periods = append(periods, p)
		}
	}
	var all []capture.Series
	for _, period := range periods {
		if period == 0 {
			r.note(capture.Unclear, "a metric has only one time, and the answer does not say how long its period is: the time is taken as its end")
		}
		all = append(all, r.table(period)...)
	}
	return all
}

// table returns the metrics of a period, in seconds, in order of time.
func (r *reader) table(period int64) []capture.Series {
	at := map[int64]map[string]float64{} // by second
	var names []string
	for _, m := range r.metrics {
		if m.period() != period {
			continue
		}
		name := "cloudwatch." + m.name
		names = append(names, name)
		for i, t := range m.times {
			if at[t.Unix()] == nil {
				at[t.Unix()] = map[string]float64{}
			}
			at[t.Unix()][name] = m.values[i]
		}
	}
	var rows capture.Rows
	for _, second := range slices.Sorted(maps.Keys(at)) {
		rows.Add(capture.Moment{Time: time.Unix(second+period, 0).UTC(), Clock: capture.UTC})
		for _, name := range names { // in the order of the answer
			if v, there := at[second][name]; there {
				rows.Set(name, v)
			}
		}
	}
	r.notes = append(r.notes, rows.Notes()...)
	return rows.Series("cloudwatch", float64(period))
}

// period returns the length of a metric's period in seconds: the smallest distance of two of its times, since the answer does not
// say it. 0 if there are no two.
func (m metric) period() int64 {
	times := slices.SortedFunc(slices.Values(m.times), time.Time.Compare)
	smallest := int64(0)
	for i := 1; i < len(times); i++ {
		if distance := times[i].Unix() - times[i-1].Unix(); distance > 0 && (smallest == 0 || distance < smallest) {
			smallest = distance
		}
	}
	return smallest
}
