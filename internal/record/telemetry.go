package record

// Telemetry is what is known of how a run was observed; what was observed is in
// the columns of its points.
type Telemetry struct {
	Marks []Mark         `json:"marks,omitempty"` // in order of time
	Gaps  []TelemetryGap `json:"gaps,omitempty"`
	Cost  []Cost         `json:"cost,omitempty"`
	// Unmarked is how many marks there were beyond those that are kept.
	Unmarked int `json:"marks_left_out,omitempty"`
}

// Mark is a moment of the timeline at which something happened.
type Mark struct {
	Second float64 `json:"second"` // from the start of the window; negative during the warm-up
	Kind   string  `json:"kind"`   // "checkpoint-start", "checkpoint-end", "autovacuum", "wal-segment", "log", ...
	Text   string  `json:"text,omitempty"`
}

// TelemetryGap is columns that are not known for some seconds, and why.
type TelemetryGap struct {
	Columns []string `json:"columns"` // "pressure.*" stands for all of one source
	From    float64  `json:"from_s"`  // the first second
	To      float64  `json:"to_s"`    // the last one
	Why     string   `json:"why"`
}

// Cost is what observing took, from the first to the last reading.
type Cost struct {
	Lane     string  `json:"lane"` // "kernel", "server"
	Readings int     `json:"readings"`
	Covered  float64 `json:"covered_s"`
	// CPU is plinth's own CPU time. Server is the CPU time of the process of the
	// server that answers, 0 where Known is false (on another machine).
	CPU    float64 `json:"cpu_s"`
	Server float64 `json:"server_cpu_s"`
	Known  bool    `json:"server_cpu_known"`
	// Pace is the mean time between two samples of a sampler, 0 where there is none.
	Pace float64 `json:"pace_s,omitempty"`
	// Held says why it sampled less often than it wanted.
	Held string `json:"held_back,omitempty"`
}

// Resource is how much of something the run used, against what there is of it.
type Resource struct {
	Name string  `json:"name"` // "cpu", "memory", "vda iops", "vda throughput", "vda busy"
	Unit string  `json:"unit"` // "s/s", "bytes", "1/s", "bytes/s"
	Mean float64 `json:"mean"`
	Peak float64 `json:"peak"` // of the seconds
	// Ceiling is the most there can be, and From where that is known from ("4 CPUs",
	// "io.max of the cgroup"); 0 where it is not known. Use is Mean/Ceiling.
	Ceiling float64 `json:"ceiling"`
	From    string  `json:"ceiling_from,omitempty"`
	Use     float64 `json:"use"`
}
