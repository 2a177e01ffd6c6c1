package record

// Telemetry says how a run was observed; the observations are in the columns of its points.
type Telemetry struct {
	Marks []Mark         `json:"marks,omitempty"` // in order of time
	Gaps  []TelemetryGap `json:"gaps,omitempty"`
	Cost  []Cost         `json:"cost,omitempty"`
	// Unmarked is the number of marks that were not kept because there were too many.
	Unmarked int `json:"marks_left_out,omitempty"`
}

// Mark is an event on the timeline.
type Mark struct {
	Second float64 `json:"second"` // from the start of the window; negative during the warm-up
	Kind   string  `json:"kind"`   // "checkpoint-start", "checkpoint-end", "autovacuum", "wal-segment", "credits-spent", "log", ...
	Text   string  `json:"text,omitempty"`
}

// TelemetryGap names columns that are unknown for some seconds, and why.
type TelemetryGap struct {
	Columns []string `json:"columns"` // "pressure.*" stands for all columns of one source
	From    float64  `json:"from_s"`  // the first second
	To      float64  `json:"to_s"`    // the last one
	Why     string   `json:"why"`
}

// Cost is the overhead of observing, from the first to the last reading.
type Cost struct {
	Lane     string  `json:"lane"` // "kernel", "server"
	Readings int     `json:"readings"`
	Covered  float64 `json:"covered_s"`
	// CPU is plinth's own CPU time. Server is the CPU time of the server process that answers
	// plinth's queries, 0 if Known is false (on another machine).
	CPU    float64 `json:"cpu_s"`
	Server float64 `json:"server_cpu_s"`
	Known  bool    `json:"server_cpu_known"`
	// Pace is the mean interval between two samples of a sampler, in seconds; 0 without a
	// sampler.
	Pace float64 `json:"pace_s,omitempty"`
	// Held says why the sampler sampled less often than intended.
	Held string `json:"held_back,omitempty"`
}

// Resource is how much of a resource the run used, compared with its ceiling.
type Resource struct {
	Name string  `json:"name"` // "cpu", "memory", "vda iops", "vda throughput", "vda busy"
	Unit string  `json:"unit"` // "s/s", "bytes", "1/s", "bytes/s"
	Mean float64 `json:"mean"`
	Peak float64 `json:"peak"` // maximum over the seconds
	// Ceiling is the maximum available, and From its source ("4 CPUs", "io.max of the cgroup"); 0
	// if unknown. Use is Mean/Ceiling.
	Ceiling float64 `json:"ceiling"`
	From    string  `json:"ceiling_from,omitempty"`
	Use     float64 `json:"use"`
}
