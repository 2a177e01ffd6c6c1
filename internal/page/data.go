// Package page renders a record as a page to share: one HTML file. The file includes the data from
// which the page's program (web/) draws runs second by second. plinth serve sends the same page
// and, on request, the data that does not fit into the file.
package page

import (
	"time"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// Schema is the schema of Data.
const Schema = "plinth/page/v1"

// Data is the input of the page's program, in addition to the tables in the HTML: the JSON in
// the element "plinth-data". Durations and times are in seconds, latencies in nanoseconds, as
// in the record.
type Data struct {
	Schema       string           `json:"schema"`
	Record       string           `json:"record"` // the name of its directory
	Question     string           `json:"question"`
	Engine       string           `json:"engine"`
	Words        experiment.Terms `json:"words"` // the engine's terms for the operations of its load
	State        record.State     `json:"state"`
	Baseline     string           `json:"baseline"`
	Environments []Environment    `json:"environments"` // in the order of the experiment
	Runs         []Run            `json:"runs"`         // in chronological order
	// Telling holds the paths of the runs that illustrate the answer best, the baseline's first.
	// The page shows them until the user chooses others.
	Telling []string `json:"telling"`
	// Details holds the runs second by second, as many as fit. It is empty in a page from plinth
	// serve, which sends each run on request.
	Details []Detail `json:"details"`
	Room    Room     `json:"room"`
	// Served reports whether the page comes from plinth serve, which can send the missing runs
	// and the progress of a running experiment.
	Served bool `json:"served"`
}

// Environment is one stack under test. Its index in the list determines its colour, marker and
// dash pattern in all charts.
type Environment struct {
	Name   string `json:"name"`
	Server string `json:"server,omitempty"` // "PostgreSQL 15.18"
	// Basis is the origin of its numbers.
	Basis Basis `json:"basis"`
}

// Basis is the origin of a number. Numbers that are not measured are displayed differently.
type Basis string

// Values of Basis.
const (
	Measured  Basis = "measured"
	Emulated  Basis = "emulated"  // measured on an emulated device
	Imported  Basis = "imported"  // measured by others
	Predicted Basis = "predicted" // computed by a model
)

// Room describes how many runs are in the file second by second.
type Room struct {
	Limit    int `json:"limit_bytes"` // maximum size of Details as JSON
	Used     int `json:"used_bytes"`
	Included int `json:"included_runs"`
	Of       int `json:"of_runs"`
}

// Run is one run as a list shows it.
type Run struct {
	Path        string `json:"path"` // "disk/tpcb-like/c10-j1/r03"
	Environment string `json:"environment"`
	experiment.Cell
	Repeat   int           `json:"repeat"`
	Attempt  int           `json:"attempt"`
	Number   int           `json:"number"`
	Status   record.Status `json:"status"`
	Counted  bool          `json:"counted"` // whether its block counts for the results
	Reasons  []record.Note `json:"reasons,omitempty"`
	Warnings []record.Note `json:"warnings,omitempty"`
	Started  time.Time     `json:"started"`
	Duration float64       `json:"duration_s"`
	TPS      float64       `json:"tps"`
	Mean     float64       `json:"mean_ns"`
	P50      int64         `json:"p50_ns"`
	P99      int64         `json:"p99_ns"`
	Max      int64         `json:"max_ns"`
	// Overview is its TPS, downsampled; nil if there are no points.
	Overview *Overview `json:"overview,omitempty"`
}

// Overview is a column of points downsampled to a few buckets. Each bucket keeps its minimum and
// maximum, so that no stall or spike is lost.
type Overview struct {
	Step float64  `json:"step_s"` // seconds in a bucket
	Low  []Number `json:"low"`
	High []Number `json:"high"`
}

// Detail is a run second by second.
type Detail struct {
	Path string `json:"path"`
	// Start is the first second; it is negative if the warm-up is included. Step is the number of
	// seconds per value: 1, or more if a long run was downsampled.
	Start  float64       `json:"start_s"`
	Step   float64       `json:"step_s"`
	Tracks []Track       `json:"tracks"`
	Marks  []record.Mark `json:"marks"`
	Heat   *Heat         `json:"heat,omitempty"` // latency over time
	// Spent shows where the time of the run went, and Tables is the run's report: as HTML, escaped by plinth.
	Spent  string `json:"spent"`
	Tables string `json:"tables"`
	// Missing is the reason why there are no tracks.
	Missing string `json:"missing,omitempty"`
}

// Track is one chart on the time axis of a run.
type Track struct {
	ID     string   `json:"id"`    // "tps", "latency", "dirty", "disk-ops.vda", "wait"
	Title  string   `json:"title"` // "Latency"
	Unit   string   `json:"unit"`  // for display: "ms", "MiB/s", "cores", "1/s", "sessions"
	Stack  bool     `json:"stack"` // its series add up and are stacked
	Log    bool     `json:"log"`   // its axis should be logarithmic
	Series []Series `json:"series"`
}

// Series is one line (or layer) of a track, in the track's unit.
type Series struct {
	Name   string   `json:"name"`   // for display: "p99", "server", "checkpointer"
	Column string   `json:"column"` // its name in docs/metrics.md; "" if it combines several
	Values []Number `json:"values"` // if downsampled: means, or for percentiles the maximum
	// Low and High are the minimum and maximum second of each value, if the run was
	// downsampled.
	Low  []Number `json:"low,omitempty"`
	High []Number `json:"high,omitempty"`
}

// Heat is the latency histogram over time: the number of transactions that ended in each step of
// time, by latency interval.
type Heat struct {
	Start  float64   `json:"start_s"`
	Step   float64   `json:"step_s"`
	Edges  []float64 `json:"edges_ns"` // ascending; one more than intervals
	Counts [][]int   `json:"counts"`   // [time][interval]
}

// LiveSchema is the schema of Live.
const LiveSchema = "plinth/live/v1"

// Live is the progress of an experiment, which plinth serve sends repeatedly to an open page.
type Live struct {
	Schema string        `json:"schema"`
	Record string        `json:"record"`
	State  record.State  `json:"state"`
	Reason string        `json:"reason,omitempty"` // why it ended early
	Runs   int           `json:"runs"`             // committed
	Counts record.Counts `json:"counts"`
	Now    *record.Now   `json:"now,omitempty"` // nil before the first step and after the end
	// Left is the estimated remaining time, in seconds; 0 if unknown.
	Left float64 `json:"left_s"`
	// Look describes the state of the sequential test: "2 more repeats until the next look".
	Look string `json:"look,omitempty"`
	// Points are the new points of the run in progress.
	Points []record.Point `json:"points"`
	From   int            `json:"from"` // index of the first of Points, from 0
}
