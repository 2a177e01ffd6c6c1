package record

// Evidence is what was read around the load of a run: what the rules of validity
// decide from. What could not be read is a gap with a reason, never a zero.
type Evidence struct {
	// Covered is the time between the two readings of Machine and Generator: the
	// measured window, as far as readings a few times a second can meet it.
	Covered float64 `json:"covered_s"`
	// Load is the time between the two readings around the whole load, warm-up
	// included: of Others and OthersIO, of the servers, and of Changed.
	Load      float64           `json:"load_s"`
	Machine   MachineEvidence   `json:"machine"`
	Generator GeneratorEvidence `json:"generator"`
	Server    ServerEvidence    `json:"server"`
	// Neighbours are the other environments' servers, which should have been idle.
	Neighbours []NeighbourEvidence `json:"neighbours,omitempty"`
	// Changed says what somebody else changed on the machine during the run:
	// "governor of cpu0: performance then, powersave now".
	Changed []string `json:"changed,omitempty"`
	Gaps    []Gap    `json:"gaps,omitempty"`
}

// MachineEvidence is what the machine did between two readings.
type MachineEvidence struct {
	CPUs int `json:"cpus"` // that plinth may run on
	// Seconds of CPU time by mode over all CPUs of the machine (proc_stat(5)).
	// User holds nice, System irq and softirq; guest time is part of User.
	User   float64 `json:"user_s"`
	System float64 `json:"system_s"`
	Idle   float64 `json:"idle_s"`
	IOWait float64 `json:"iowait_s"`
	Steal  float64 `json:"steal_s"`
	// Others is CPU time used by neither server, load generator nor plinth.
	Others float64 `json:"others_cpu_s"`
	// Throttled is how long a CPU quota held plinth's own cgroup (or one above it)
	// back (cpu.stat: throttled_usec, summed over CPUs).
	Throttled float64 `json:"throttled_s"`
	// Thermal is how often a core or package was throttled for heat.
	Thermal int64 `json:"thermal_events"`
	SwapIn  int64 `json:"swapped_in_pages"`
	SwapOut int64 `json:"swapped_out_pages"`
	// MemoryStall is how long some task waited for memory (PSI, memory some).
	MemoryStall float64 `json:"memory_stall_s"`
	// OthersIO is what processes other than the experiment's servers, the load
	// generator and plinth read from and wrote to block devices (proc_pid_io(5)).
	OthersIO int64 `json:"others_io_bytes"`
}

// GeneratorEvidence is what the threads of the load generator did.
type GeneratorEvidence struct {
	Covered float64 `json:"covered_s"` // shorter than that of the machine when the generator ended on the way
	Threads int     `json:"threads"`
	CPU     float64 `json:"cpu_s"`
	// Waiting is how long its threads stood in a run queue, ready but without a
	// CPU (/proc/PID/schedstat, Documentation/scheduler/sched-stats.rst).
	Waiting float64 `json:"run_queue_s"`
}

// ServerEvidence is what the server did besides the load.
type ServerEvidence struct {
	// Counts is what ended during the load or was seen going on at its end, by name.
	// A name that is absent was not told: the server does not count it, or its
	// counter was set back on the way.
	Counts    map[string]int64 `json:"counts"`
	Restarted bool             `json:"restarted"`
}

// NeighbourEvidence is what a server that was not driven did.
type NeighbourEvidence struct {
	Environment string           `json:"environment"`
	Counts      map[string]int64 `json:"counts"` // as ServerEvidence has them
}

// What servers do by themselves and count. Each database has its own; what a
// count means for a run is said by the rules of validity.
const (
	// PostgreSQL (pg_stat_checkpointer, before version 17 pg_stat_bgwriter; pg_stat_all_tables).
	CheckpointsTimed     = "checkpoints_timed"     // because checkpoint_timeout had passed, without those that had nothing to do
	CheckpointsRequested = "checkpoints_requested" // for any other cause: WAL, or plinth itself
	Autovacuums          = "autovacuums"           // autovacuum's vacuums and analyzes of tables of the dataset

	// Redis, as INFO spells them.
	RDBSaves    = "rdb_saves"    // snapshots
	AOFRewrites = "aof_rewrites" // rewrites of the append-only file
	EvictedKeys = "evicted_keys" // keys that went because of maxmemory
)

// Gap is a figure that could not be read, and why.
type Gap struct {
	What string `json:"what"` // the JSON name in Evidence: "machine.thermal_events"
	Why  string `json:"why"`
}

// Beside is what the runs of one block showed when they were laid side by side;
// the block's last run keeps it. With a reason the whole block is left out.
type Beside struct {
	Reasons  []Note `json:"reasons,omitempty"`
	Warnings []Note `json:"warnings,omitempty"`
}
