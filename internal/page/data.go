// Package page makes the page that people share: one HTML file over a record,
// with what its program (web/) needs to draw runs second by second. plinth serve
// sends the same page, and what did not fit into the file.
package page

import (
	"time"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// Schema is the schema of Data.
const Schema = "plinth/page/v1"

// Data is what the page's program gets beside the tables that stand in the HTML.
// It is the JSON in the element "plinth-data". Durations and seconds are in
// seconds, latencies in nanoseconds, as in the record.
type Data struct {
	Schema       string           `json:"schema"`
	Record       string           `json:"record"` // the name of its directory
	Question     string           `json:"question"`
	Engine       string           `json:"engine"`
	Words        experiment.Terms `json:"words"` // what the operations of its load are called
	State        record.State     `json:"state"`
	Baseline     string           `json:"baseline"`
	Environments []Environment    `json:"environments"` // in the order of the experiment
	Runs         []Run            `json:"runs"`         // in the order in which they happened
	// Telling are the paths of the runs that show best what the answer is about, the
	// baseline's first: what to look at where nobody has chosen.
	Telling []string `json:"telling"`
	// Details are the runs second by second for which there was room; in a page that
	// plinth serve sends, none: it is asked for each of them.
	Details []Detail `json:"details"`
	Room    Room     `json:"room"`
	// Served says that the page comes from plinth serve, which has what is missing
	// here, and knows how far a running experiment is.
	Served bool `json:"served"`
}

// Environment is one stack under test. Its place in the list gives its colour,
// its marker and its dash everywhere.
type Environment struct {
	Name   string `json:"name"`
	Server string `json:"server,omitempty"` // "PostgreSQL 15.18"
	// Basis is where its numbers come from.
	Basis Basis `json:"basis"`
}

// Basis says how a number came to be: what is not measured must look different.
type Basis string

// What a number can rest on.
const (
	Measured  Basis = "measured"
	Emulated  Basis = "emulated"  // measured on an emulated device
	Predicted Basis = "predicted" // what a model says
)

// Room is how much of the runs' seconds is in the file.
type Room struct {
	Limit    int `json:"limit_bytes"` // for Details, as JSON
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
	Counted  bool          `json:"counted"` // its block is one of those that the numbers are made of
	Reasons  []record.Note `json:"reasons,omitempty"`
	Warnings []record.Note `json:"warnings,omitempty"`
	Started  time.Time     `json:"started"`
	Duration float64       `json:"duration_s"`
	TPS      float64       `json:"tps"`
	Mean     float64       `json:"mean_ns"`
	P50      int64         `json:"p50_ns"`
	P99      int64         `json:"p99_ns"`
	Max      int64         `json:"max_ns"`
	// Overview is its TPS, thinned; nil where there are no points.
	Overview *Overview `json:"overview,omitempty"`
}

// Overview is a column of points thinned to a few buckets. Each keeps its least
// and its greatest second, so that no stall and no spike is lost.
type Overview struct {
	Step float64  `json:"step_s"` // seconds in a bucket
	Low  []Number `json:"low"`
	High []Number `json:"high"`
}

// Detail is a run second by second.
type Detail struct {
	Path string `json:"path"`
	// Start is the first second, negative when the warm-up is there; Step is how many
	// seconds one value stands for: 1, or more where a long run was thinned.
	Start  float64       `json:"start_s"`
	Step   float64       `json:"step_s"`
	Tracks []Track       `json:"tracks"`
	Marks  []record.Mark `json:"marks"`
	Heat   *Heat         `json:"heat,omitempty"` // latency over time
	// Tables is HTML that plinth made: the run's own report, escaped.
	Tables string `json:"tables"`
	// Missing says why there are no tracks.
	Missing string `json:"missing,omitempty"`
}

// Track is one chart on the time axis of a run.
type Track struct {
	ID     string   `json:"id"`    // "tps", "latency", "dirty", "disk-ops.vda", "wait"
	Title  string   `json:"title"` // "Latency"
	Unit   string   `json:"unit"`  // as people read it: "ms", "MiB/s", "cores", "1/s", "sessions"
	Stack  bool     `json:"stack"` // its series add up and are drawn on each other
	Log    bool     `json:"log"`   // a logarithmic axis serves better
	Series []Series `json:"series"`
}

// Series is one line (or layer) of a track, in the track's unit.
type Series struct {
	Name   string   `json:"name"`   // as people read it: "p99", "server", "checkpointer"
	Column string   `json:"column"` // as docs/metrics.md calls it, "" when it was made of several
	Values []Number `json:"values"` // where thinned: means, or of a percentile the greatest
	// Low and High are the least and the greatest second of each value, where the run
	// was thinned.
	Low  []Number `json:"low,omitempty"`
	High []Number `json:"high,omitempty"`
}

// Heat is how many transactions ended in each second with a latency in each
// interval: the latency histogram over time.
type Heat struct {
	Start  float64   `json:"start_s"`
	Step   float64   `json:"step_s"`
	Edges  []float64 `json:"edges_ns"` // ascending, one more than there are intervals
	Counts [][]int   `json:"counts"`   // [time][interval]
}

// LiveSchema is the schema of Live.
const LiveSchema = "plinth/live/v1"

// Live is how far an experiment is: what plinth serve tells an open page, again
// and again.
type Live struct {
	Schema string        `json:"schema"`
	Record string        `json:"record"`
	State  record.State  `json:"state"`
	Reason string        `json:"reason,omitempty"` // why it did not go to its end
	Runs   int           `json:"runs"`             // committed
	Counts record.Counts `json:"counts"`
	Now    *record.Now   `json:"now,omitempty"` // nil before the first step and after the end
	// Left is how long it will still take, in seconds, at the time this was made; 0
	// when that is not known.
	Left float64 `json:"left_s"`
	// Look says how the sequential test stands: "2 more repeats until the next look".
	Look string `json:"look,omitempty"`
	// Points are those of the run that goes on, from the one asked for on.
	Points []record.Point `json:"points"`
	From   int            `json:"from"` // the number of the first of Points, from 0
}
