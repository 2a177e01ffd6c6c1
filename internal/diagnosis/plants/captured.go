package plants

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strings"

	"plinth/internal/diagnosis"
	"plinth/internal/record"
)

// Captured is a run of a plant, reduced to what a diagnosis reads: small enough to be a test's fixture.
type Captured struct {
	Experiment  string              `json:"experiment"`
	In          string              `json:"in"`
	Run         record.Run          `json:"run"`
	Environment record.Environment  `json:"environment"`
	Columns     map[string][]number `json:"columns"`
}

// number is a value of a point, with four significant digits; null is a gap.
type number float64

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	if v != 0 {
		scale := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
		v = math.Round(v*scale) / scale
	}
	return json.Marshal(v)
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(text []byte) error {
	v := math.NaN()
	if string(text) != "null" {
		if err := json.Unmarshal(text, &v); err != nil {
			return err
		}
	}
	*n = number(v)
	return nil
}

// settings are the settings that a diagnosis reads.
var settings = []string{"synchronous_commit", "appendfsync", "maxmemory", "maxmemory-samples", "save"}

// unread are the beginnings of columns that no rule reads.
var unread = []string{"netdev.", "pg_stat_io.", "numastat.", "pg_statio_user_tables.", "schedstat.", "stat.intr", "script.", "latency_p", "vmstat.numa", "vmstat.workingset"}

// Capture reduces a run.
func Capture(p Plant, rec *record.Record, run *record.Run) (Captured, error) {
	points, err := rec.Points(run)
	if err != nil {
		return Captured{}, err
	}
	c := Captured{Experiment: p.Experiment, In: p.In, Run: *run, Environment: rec.Environments[run.Environment], Columns: map[string][]number{}}
	c.Run.Result.Latency.Histogram, c.Run.Evidence, c.Run.Beside, c.Run.Calibrations, c.Run.Volumes = "", nil, nil, nil, nil
	c.Run.Warnings, c.Run.Reasons = nil, nil
	if c.Run.Telemetry != nil {
		c.Run.Telemetry = &record.Telemetry{Gaps: c.Run.Telemetry.Gaps}
	}
	c.Run.Driver.Command = append([]string{run.Driver.Program}, slices.DeleteFunc(slices.Clone(run.Driver.Command), func(arg string) bool { return arg != "-C" })...)
	if c.Environment.Replica != nil {
		c.Environment.Replica = &record.Replica{}
	}
	c.Environment.Address, c.Environment.Volumes = "", slices.Clone(c.Environment.Volumes)
	for i := range c.Environment.Volumes {
		v := &c.Environment.Volumes[i]
		v.Path, v.Source, v.Made = "", "", nil
		if v.Emulation != nil {
			e := *v.Emulation
			e.Backing = ""
			v.Emulation = &e
		}
	}
	kept := map[string]string{}
	for _, name := range settings {
		if v, known := c.Environment.Settings[name]; known {
			kept[name] = v
		}
	}
	c.Environment.Settings, c.Environment.Warnings, c.Environment.Tuning, c.Environment.Dataset.Tables = kept, nil, nil, nil
	for _, column := range points.Columns {
		if slices.ContainsFunc(unread, func(prefix string) bool { return strings.HasPrefix(column.Name, prefix) }) {
			continue
		}
		values := make([]number, len(column.Values))
		constant := true
		for i, v := range column.Values {
			values[i] = number(v)
			constant = constant && (v == 0 || math.IsNaN(v))
		}
		// A column of zeros is known; one of gaps is not.
		if !constant || slices.ContainsFunc(column.Values, func(v float64) bool { return !math.IsNaN(v) }) {
			c.Columns[column.Name] = values
		}
	}
	return c, nil
}

// Diagnose diagnoses a captured run.
func (c *Captured) Diagnose() diagnosis.Diagnosis {
	var points record.Points
	for name, values := range c.Columns {
		column := record.Column{Name: name}
		for _, v := range values {
			column.Values = append(column.Values, float64(v))
		}
		points.Columns = append(points.Columns, column)
	}
	return diagnosis.Of(diagnosis.Input{Run: &c.Run, Points: points, Environment: c.Environment})
}

// Write writes captured runs, compressed.
func Write(w io.Writer, all []Captured) error {
	z := gzip.NewWriter(w)
	if err := json.NewEncoder(z).Encode(all); err != nil {
		return err
	}
	return z.Close()
}

// Read reads what Write has written.
func Read(r io.Reader) (all []Captured, err error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	if err := json.NewDecoder(z).Decode(&all); err != nil {
		return nil, err
	}
	return all, z.Close()
}
