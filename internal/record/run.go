// Package record is the directory that an executed experiment leaves behind:
// written atomically, read strictly. docs/record.md describes its layout.
package record

import (
	"time"

	"plinth/internal/experiment"
	"plinth/internal/host"
)

// The schemas of the files of a record. A reader refuses a later one.
const (
	SummarySchema     = "plinth/record/v1"
	RunSchema         = "plinth/run/v1"
	EnvironmentSchema = "plinth/environment/v1"
)

// Status says whether a run may be used as a number.
type Status string

// A run is valid, or carries the reasons why it is not.
const (
	Valid   Status = "valid"   // fit to be a number
	Invalid Status = "invalid" // it went to its end, but its numbers can't be trusted
	Failed  Status = "failed"  // it did not go to its end
)

// Note is a fact that weakens a number or explains its absence. Rule is a
// short, stable name for programs; Text is for people; Hint says what to do.
type Note struct {
	Rule string `json:"rule"`
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
	// Environment is whose comparison with the baseline the note weakens, where it
	// is that of one.
	Environment string `json:"environment,omitempty"`
}

// RunID names one run of an experiment. Attempt is 2 when the whole block was
// repeated because one of its runs was not valid.
type RunID struct {
	Environment string `json:"environment"`
	experiment.Cell
	Repeat  int `json:"repeat"` // from 1
	Attempt int `json:"attempt"`
}

// Run is the content of run.json: one measurement of one cell in one environment.
type Run struct {
	Schema string `json:"schema"`
	RunID
	Number   int       `json:"number"`   // position in the order in which runs happened, from 1
	Position int       `json:"position"` // position inside its block, from 1
	Status   Status    `json:"status"`
	Reasons  []Note    `json:"reasons,omitempty"`  // why it is not valid
	Warnings []Note    `json:"warnings,omitempty"` // what weakens it
	Started  time.Time `json:"started"`
	Phases   Phases    `json:"phases"`
	Driver   Driver    `json:"driver"`
	Result   Result    `json:"result"`
	Evidence *Evidence `json:"evidence,omitempty"`
	// Beside is on the run that completed its block.
	Beside *Beside `json:"beside,omitempty"`
	// Telemetry is how the run was observed; nil where it was not.
	Telemetry *Telemetry `json:"telemetry,omitempty"`
	// Figures are what the points say of the window as a whole, by name
	// (docs/metrics.md); FigureGaps those that are not known.
	Figures    map[string]float64 `json:"figures,omitempty"`
	FigureGaps []Gap              `json:"figure_gaps,omitempty"`
	Resources  []Resource         `json:"resources,omitempty"` // the most used first
	// Proofs are those of the environment's emulated devices.
	Proofs []Proof `json:"proofs,omitempty"`
	// Events are those of the experiment, as they happened.
	Events []Event `json:"events,omitempty"`
	// Pressure is what the neighbour's load reached in the window.
	Pressure *Pressure `json:"pressure,omitempty"`
	// Declared is the fingerprint of the experiment and its plan as they stood when
	// the run began: an edit made later shows.
	Declared string `json:"declared_sha256,omitempty"`
}

// Phases is how long each part of a run took, in seconds. Dead is what remains
// of the time since the run before ended (since its start for the first one):
// neither declared reset, checkpoint or settling, nor load.
type Phases struct {
	Reload          float64 `json:"reload_s,omitempty"` // loading every dataset anew, before the first run of a repeat
	Reset           float64 `json:"reset_s"`
	Checkpoint      float64 `json:"checkpoint_s"`
	Settle          float64 `json:"settle_s"`
	Proof           float64 `json:"proof_s,omitempty"` // emulated devices prove their delays
	Load            float64 `json:"load_s"`            // the load generator, warm-up included
	CheckpointAfter float64 `json:"checkpoint_after_s"`
	Switch          float64 `json:"switch_s"`           // stopping one server and starting another, with all that Switched has
	Switched        *Switch `json:"switched,omitempty"` // of what Switch is made where the machine was tuned anew
	Dead            float64 `json:"dead_s"`
	PlinthCPU       float64 `json:"plinth_cpu_s"` // CPU time of plinth itself during the load
}

// Driver says which load generator made the numbers, and how it was called.
type Driver struct {
	Program string   `json:"program"` // "pgbench"
	Version string   `json:"version"` // "15.18"
	Command []string `json:"command"` // without secrets
}

// Result is what the measured window of a run holds. Latencies are in
// nanoseconds, durations in seconds.
type Result struct {
	Loop         string          `json:"loop"` // "open" (a rate was set) or "closed"
	Duration     float64         `json:"duration_s"`
	Transactions int64           `json:"transactions"` // that ended successfully in the window
	TPS          float64         `json:"tps"`
	Latency      Latency         `json:"latency"`
	Failures     int64           `json:"failures"`
	Retries      int64           `json:"retries"`                   // tries beyond the first
	Skipped      int64           `json:"skipped"`                   // by latency_limit
	Late         int64           `json:"late"`                      // slower than latency_limit, not skipped
	Partial      bool            `json:"latency_partial,omitempty"` // a part of each transaction, such as receiving most of its answer, is in no latency
	Lag          *Lag            `json:"schedule_lag,omitempty"`
	Hits         *float64        `json:"hit_share,omitempty"`  // of the reads of keys, those that found one; nil where none was read or it is not known
	Scripts      []ScriptResult  `json:"scripts,omitempty"`    // only when there are several
	Statements   []StatementMean `json:"statements,omitempty"` // pgbench's own means, warm-up included
}

// Latency summarises the merged histogram of a window, in nanoseconds. With an
// open loop it counts from when a transaction was due.
type Latency struct {
	Mean      float64 `json:"mean_ns"`
	Stddev    float64 `json:"stddev_ns"`
	Min       int64   `json:"min_ns"`
	P50       int64   `json:"p50_ns"`
	P95       int64   `json:"p95_ns"`
	P99       int64   `json:"p99_ns"`
	P999      int64   `json:"p99_9_ns"`
	Max       int64   `json:"max_ns"`
	Histogram string  `json:"histogram,omitempty"` // HdrHistogram V2 compressed, base64
}

// Lag is how late transactions began after they were due (open loop), in nanoseconds.
type Lag struct {
	Mean float64 `json:"mean_ns"`
	Max  int64   `json:"max_ns"`
}

// ScriptResult is the part of one script of a mix.
type ScriptResult struct {
	Name         string  `json:"name"`
	Transactions int64   `json:"transactions"`
	TPS          float64 `json:"tps"`
	Failures     int64   `json:"failures"`
	Retries      int64   `json:"retries"` // tries beyond the first
	Skipped      int64   `json:"skipped"` // by latency_limit
	Late         int64   `json:"late"`    // slower than latency_limit, not skipped
	Latency      Latency `json:"latency"`
	Lag          *Lag    `json:"schedule_lag,omitempty"`
}

// StatementMean is pgbench's mean latency of one statement over the whole
// invocation, warm-up included.
type StatementMean struct {
	Script    string  `json:"script,omitempty"` // when there are several
	Statement string  `json:"statement"`
	Mean      float64 `json:"mean_ns"`
}

// Environment is the content of environments/NAME.json: what was really under
// test, as read from the machine and the server. No secrets.
type Environment struct {
	Schema   string            `json:"schema"`
	Name     string            `json:"name"`
	Kind     string            `json:"kind"`           // "own" or "connected"
	Server   string            `json:"server"`         // "PostgreSQL"
	Version  string            `json:"version"`        // "15.18 (Debian 15.18-0+deb12u1)"
	VersionN int               `json:"version_number"` // server_version_num: 150018
	Settings map[string]string `json:"settings"`       // in force, all of pg_settings that can be read, with unit
	// Declared are the settings that the experiment file asked for: its own and
	// this environment's.
	Declared map[string]string `json:"declared,omitempty"`

	Transport string  `json:"transport"`     // "socket", "tcp" or "tls"
	RoundTrip float64 `json:"round_trip_ns"` // median of an empty query
	Generator string  `json:"generator"`     // where the load generator runs: "this machine"
	Address   string  `json:"address"`       // socket directory or host:port; no user, no password
	// Elsewhere says that the server is not known to run on the machine that plinth
	// reads: what that machine did says nothing of the server's.
	Elsewhere  bool     `json:"elsewhere,omitempty"`
	Checkpoint bool     `json:"checkpoint"` // whether CHECKPOINT was permitted
	Volumes    []Volume `json:"volumes,omitempty"`
	Dataset    Dataset  `json:"dataset"`
	Warnings   []Note   `json:"warnings,omitempty"`
	// Limits are those that the experiment set for the server; nil for none.
	Limits *Limits `json:"limits,omitempty"`
	// Pressure is the neighbour's load that goes on beside it; nil for none.
	Pressure *Pressure `json:"pressure,omitempty"`
	// Replica is the server that follows it; nil for none.
	Replica *Replica `json:"replica,omitempty"`
	// Tuning is what was tuned for it; nil for nothing.
	Tuning *Tuning `json:"tuning,omitempty"`
}

// Volume is a concrete place where data lives.
type Volume struct {
	Role       string `json:"role"` // "data", "wal", "temp" or "tablespace NAME"
	Path       string `json:"path"`
	Filesystem string `json:"filesystem"` // "ext4"
	Options    string `json:"options"`    // mount options
	Source     string `json:"source"`     // "/dev/vda"
	Size       int64  `json:"size_bytes"`
	Free       int64  `json:"free_bytes"` // before anything was loaded
	// Device is the block device right under the filesystem, the one that the server's
	// requests go to: "md0". It is empty where there is none to be seen.
	Device string `json:"device,omitempty"`
	// Disks are the disks that hold it in the end: "nvme0n1".
	Disks []string `json:"disks,omitempty"`
	// Made is what plinth made for it, in words, from the disk up: "RAID 10 of 4
	// loop devices, chunk 64KiB", "xfs -s size=4096". Empty for a directory.
	Made []string `json:"made,omitempty"`
	// Unsafe are the options that can lose acknowledged data in a power cut.
	Unsafe []string `json:"unsafe,omitempty"`
	// Emulation is there where the device is a model.
	Emulation *Emulation `json:"emulation,omitempty"`
}

// Dataset is the dataset as loaded.
type Dataset struct {
	Loaded        time.Time `json:"loaded"`
	Duration      float64   `json:"duration_s"`
	Rows          int64     `json:"rows"`
	RowsPerSecond float64   `json:"rows_per_s"`
	Bytes         int64     `json:"bytes"` // tables and indexes
	SharedBuffers int64     `json:"shared_buffers_bytes"`
	Memory        int64     `json:"memory_bytes"` // of the machine; 0 where it can't be known
	Tables        []Table   `json:"tables"`
	// Tablespaces are those that hold a part of it, or were made to.
	Tablespaces []Tablespace `json:"tablespaces,omitempty"`
}

// Tablespace is a named place for tables and indexes.
type Tablespace struct {
	Name  string `json:"name"`
	Path  string `json:"path"`  // its directory on the server's machine
	Bytes int64  `json:"bytes"` // of the dataset's tables and indexes there, as loaded
}

// Table is one table or index of the dataset.
type Table struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`            // "table" or "index"
	Table string `json:"table,omitempty"` // of an index
	Rows  int64  `json:"rows,omitempty"`  // reltuples after the load's VACUUM ANALYZE
	Bytes int64  `json:"bytes"`
	// Tablespace is empty for the database's default one. Partitions may be in others
	// than what is partitioned.
	Tablespace string `json:"tablespace,omitempty"`
}

// State says how far an experiment got.
type State string

// The states of a record. A record that says Running and has no live plinth
// behind it was interrupted by force, and can be resumed.
const (
	Running     State = "running"
	Complete    State = "complete"    // every scheduled block has happened
	Interrupted State = "interrupted" // by a person or a stop that can be resumed
)

// Summary is the content of record.json.
type Summary struct {
	Schema      string     `json:"schema"`
	Name        string     `json:"name"`
	Question    string     `json:"question"`
	Engine      string     `json:"engine"`
	State       State      `json:"state"`
	Reason      string     `json:"reason,omitempty"` // why it did not go to its end
	Created     time.Time  `json:"created"`
	Finished    time.Time  `json:"finished,omitzero"`
	Plinth      string     `json:"plinth"` // version of the program
	Command     []string   `json:"command"`
	Source      string     `json:"source"`            // where the experiment came from: a path or the name of a built-in
	Sets        []string   `json:"sets,omitempty"`    // the --set values it was loaded with, without secrets
	Fingerprint string     `json:"experiment_sha256"` // of experiment.yaml
	Seed        uint64     `json:"seed"`
	Baseline    string     `json:"baseline"`
	Machine     host.Facts `json:"machine"`
	SideBySide  bool       `json:"side_by_side"`    // all servers stayed up, idle but for the one driven; else they were switched
	Awake       bool       `json:"awake,omitempty"` // CPUs were kept from halting, as virtual ones wake up late
	Directory   string     `json:"directory"`       // in which plinth was started
	Planned     int        `json:"planned_runs"`
	Counts      Counts     `json:"counts"`
	Samples     []Sample   `json:"samples"`
	Plan        *Plan      `json:"plan,omitempty"`
	Verdicts    []Verdict  `json:"verdicts,omitempty"` // of the primary metric, at the last look reached
	Noise       []Noise    `json:"noise,omitempty"`    // when equals were compared
	// Durability is what each environment kept of what it had acknowledged, by name,
	// where the experiment strikes them.
	Durability map[string]Durability `json:"durability,omitempty"`
	// LeftOut are environments of the experiment that were not measured, because this
	// machine has nothing of what they tune.
	LeftOut  []LeftOut `json:"left_out,omitempty"`
	Warnings []Note    `json:"warnings,omitempty"`
}

// Counts is how many runs a record holds, by status.
type Counts struct {
	Valid   int `json:"valid"`
	Invalid int `json:"invalid"`
	Failed  int `json:"failed"`
}

// Sample is the run-level values of one cell in one environment, one for each
// complete block, in order of repeats. Statistics see samples only.
type Sample struct {
	Environment string `json:"environment"`
	experiment.Cell
	Repeats []int     `json:"repeats"`
	TPS     []float64 `json:"tps"`
	Latency []float64 `json:"latency_mean_ns"`
}

// Event is what happened by order of the experiment during a run.
type Event struct {
	Name string  `json:"name"`
	What string  `json:"what"` // the SQL or the command
	At   float64 `json:"at_s"` // seconds after the window began
	Took float64 `json:"took_s"`
	// Error is why it failed, in the words of who did it.
	Error string `json:"error,omitempty"`
}
