package show

import (
	"slices"
	"time"

	"plinth/internal/cost"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/record"
)

// Schema is the schema of the JSON that `plinth show --format json` prints.
const Schema = "plinth/show/v1"

// Numbers holds the numbers of a record. Latencies are in nanoseconds, durations in seconds. A
// block counts only if every environment has a valid run in it.
type Numbers struct {
	Schema  string `json:"schema"`
	Record  Head   `json:"record"`
	Threads int    `json:"threads,omitempty"` // only this thread count; absent: all
	// Durability holds the acknowledged writes that each environment kept after a fault; absent
	// without fault injection.
	Durability   []record.Survival `json:"durability,omitempty"`
	Workloads    []Workload        `json:"workloads"`
	Environments []Environment     `json:"environments"`
	Missing      []experiment.Cell `json:"cells_missing"` // without a block that counts
	NotValid     []NotValid        `json:"runs_not_valid"`
	LeftOut      []record.Note     `json:"blocks_left_out"`
	Warnings     []record.Note     `json:"warnings"` // of the whole experiment
	Method       Method            `json:"method"`

	Experiment *experiment.Experiment `json:"-"`
	Counted    []record.Run           `json:"-"` // the runs behind the numbers
	lostBlocks []incident             // the same blocks as LeftOut
	rec        *record.Record
	columns    []Column    // chosen by Choose
	costs      *cost.Sheet // made on demand
	Unread     bool        `json:"-"` // the experiment could not be read
}

// Head identifies the record and its state.
type Head struct {
	Name       string        `json:"name"` // of its directory
	Experiment string        `json:"experiment"`
	Question   string        `json:"question"`
	Engine     string        `json:"engine"`
	State      record.State  `json:"state"`
	Reason     string        `json:"reason,omitempty"`
	Created    time.Time     `json:"created"`
	Finished   time.Time     `json:"finished,omitzero"`
	Baseline   string        `json:"baseline"`
	Planned    int           `json:"planned_runs"`
	Counts     record.Counts `json:"counts"`
}

// Words returns the words for the operations of the load.
func (s *Numbers) Words() experiment.Terms { return experiment.TermsOf(s.Record.Engine) }

// Workload is a workload and its label in tables: RO for pgbench's select-only, RW for
// simple-update, TPC-B for tpcb-like.
type Workload struct {
	Name  string `json:"name"`
	Label string `json:"label"`

	ReadOnly bool `json:"-"`
}

// Environment holds the numbers of one environment.
type Environment struct {
	Name      string          `json:"name"`
	Kind      string          `json:"kind,omitempty"`
	Basis     string          `json:"basis,omitempty"`  // "measured", "emulated" or "imported"
	Server    string          `json:"server,omitempty"` // "PostgreSQL 15.18"
	Transport string          `json:"transport,omitempty"`
	Rows      []Row           `json:"rows"`
	Averages  []Average       `json:"averages"`
	Overall   float64         `json:"overall_tps"`       // mean of the workloads' averages; 0 if one is missing
	Columns   []ColumnValue   `json:"columns,omitempty"` // the chosen ones
	Cells     []Cell          `json:"cells"`
	Dataset   *record.Dataset `json:"dataset,omitempty"`
	Warnings  []record.Note   `json:"warnings"`
}

// Row is a row of the published table: clients and rate, with the mean over the thread counts,
// which have equal weight.
type Row struct {
	Clients int       `json:"clients"`
	Rate    float64   `json:"rate,omitempty"`
	Threads []int     `json:"threads,omitempty"` // those with a number
	Values  []Average `json:"values"`
}

// Average is the mean over the cells of one workload.
type Average struct {
	Workload string  `json:"workload"`
	TPS      float64 `json:"tps"`
	Latency  float64 `json:"latency_ns"`
	Cells    int     `json:"cells"`
}

// Cell holds the numbers of one cell in one environment over its blocks.
type Cell struct {
	experiment.Cell
	Blocks      int          `json:"blocks"`
	TPS         Range        `json:"tps"`
	Latency     Range        `json:"latency_mean_ns"`
	Percentiles *Percentiles `json:"latency,omitempty"`
	Failures    int64        `json:"failures"`
	Retries     int64        `json:"retries"`
	Skipped     int64        `json:"skipped"`
	Late        int64        `json:"late"`

	Distribution *Distribution `json:"-"` // if percentiles were merged
}

// Range is the mean, the minimum and the maximum of a value over blocks.
type Range struct {
	Mean float64 `json:"mean"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
}

// Percentiles are those of the merged histogram of all runs of a cell, in nanoseconds. Averages
// of percentiles would not be percentiles.
type Percentiles struct {
	P50  int64 `json:"p50_ns"`
	P95  int64 `json:"p95_ns"`
	P99  int64 `json:"p99_ns"`
	P999 int64 `json:"p99_9_ns"`
	Max  int64 `json:"max_ns"`
}

// NotValid is a run that is not counted, with the reasons.
type NotValid struct {
	Number int `json:"number"`
	record.RunID
	Status  record.Status `json:"status"`
	Reasons []record.Note `json:"reasons"`
}

// Method describes how the numbers were measured.
type Method struct {
	Seed       uint64     `json:"seed"`
	Interleave string     `json:"interleave"`
	Repeats    int        `json:"repeats"`
	Duration   float64    `json:"duration_s,omitempty"`
	Transacted int64      `json:"transactions,omitempty"`
	Warmup     float64    `json:"warmup_s"`
	Loop       string     `json:"loop"` // "open" or "closed"
	Runs       int        `json:"runs"`
	DeadMedian float64    `json:"dead_median_s"` // dead time between runs
	DeadMax    float64    `json:"dead_max_s"`
	Plinth     string     `json:"plinth"`
	Drivers    []string   `json:"drivers"` // "pgbench 15.18"
	Machine    host.Facts `json:"machine"` // the baseline's
	// Machines are all machines, by the At of environments; nil if plinth was started on the only one.
	Machines map[string]host.Facts `json:"machines,omitempty"`
	// Imported says what is known about the order of imported runs; empty for runs of plinth, which chose it
	// at random.
	Imported record.Order `json:"imported,omitempty"`
	// DrivenFrom lists the machines of the load generators, if they were not beside the servers.
	DrivenFrom []string `json:"driven_from,omitempty"`
}

// Title returns the name of an environment in tables, which says if its numbers are imported.
func (e Environment) Title() string {
	if e.Kind == record.BasisImported {
		return e.Name + " (imported)"
	}
	return e.Name
}

// Titled returns the title of the environment of that name.
func (s *Numbers) Titled(name string) string {
	if e := s.Environment(name); e != nil {
		return e.Title()
	}
	return name
}

// Names returns the names of the environments, in the order of the experiment.
func (s *Numbers) Names() []string {
	var names []string
	for _, e := range s.Environments {
		names = append(names, e.Name)
	}
	return names
}

// Environment returns the environment of that name; nil if none exists.
func (s *Numbers) Environment(name string) *Environment {
	at := slices.IndexFunc(s.Environments, func(e Environment) bool { return e.Name == name })
	if at < 0 {
		return nil
	}
	return &s.Environments[at]
}

// Whole reports whether s covers all environments of an experiment that could be read.
func (s *Numbers) Whole() bool {
	return !s.Unread && s.Experiment != nil && len(s.Environments) == len(s.Experiment.Environments)
}

// Label returns the label of a workload in tables: "RO".
func (s *Numbers) Label(workload string) string {
	for _, w := range s.Workloads {
		if w.Name == workload {
			return w.Label
		}
	}
	return workload
}
