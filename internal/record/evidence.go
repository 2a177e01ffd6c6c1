package record

// Evidence holds the readings taken around the load of a run, on which the validity rules base
// their decisions. A value that could not be read is listed in Gaps, with the reason; its figure is
// zero and has no meaning.
type Evidence struct {
	// Covered is the time between the two readings of Machine and Generator: the measured window,
	// as closely as several readings a second can match it.
	Covered float64 `json:"covered_s"`
	// Load is the time between the two readings around the whole load, warm-up included. It
	// applies to Others, OthersIO, Server, Neighbours and Changed.
	Load      float64           `json:"load_s"`
	Machine   MachineEvidence   `json:"machine"`
	Generator GeneratorEvidence `json:"generator"`
	Server    ServerEvidence    `json:"server"`
	// Neighbours are the servers of the other environments, which should have been idle.
	Neighbours []NeighbourEvidence `json:"neighbours,omitempty"`
	// Changed lists what was changed on the machine from outside during the run: "governor of
	// cpu0: performance then, powersave now".
	Changed []string `json:"changed,omitempty"`
	Gaps    []Gap    `json:"gaps,omitempty"`
}

// MachineEvidence is the machine's activity between two readings.
type MachineEvidence struct {
	CPUs int `json:"cpus"` // available to plinth
	// CPU time by mode over all CPUs of the machine, in seconds (proc_stat(5)). User includes
	// nice, System includes irq and softirq; guest time is part of User.
	User   float64 `json:"user_s"`
	System float64 `json:"system_s"`
	Idle   float64 `json:"idle_s"`
	IOWait float64 `json:"iowait_s"`
	Steal  float64 `json:"steal_s"`
	// Others is CPU time not used by the servers, the load generator or plinth.
	Others float64 `json:"others_cpu_s"`
	// Throttled is how long a CPU quota throttled plinth's own cgroup or one of its ancestors
	// (cpu.stat: throttled_usec, summed over CPUs).
	Throttled float64 `json:"throttled_s"`
	// Thermal counts how often a core or package was throttled because of heat.
	Thermal int64 `json:"thermal_events"`
	SwapIn  int64 `json:"swapped_in_pages"`
	SwapOut int64 `json:"swapped_out_pages"`
	// MemoryStall is how long at least one task waited for memory (PSI, memory some).
	MemoryStall float64 `json:"memory_stall_s"`
	// OthersIO is the block device I/O of processes other than the experiment's servers, the load
	// generator and plinth (proc_pid_io(5)).
	OthersIO int64 `json:"others_io_bytes"`
}

// CPUTime returns the time of all CPUs between the two readings, idle time included.
func (m MachineEvidence) CPUTime() float64 { return m.User + m.System + m.Idle + m.IOWait + m.Steal }

// GeneratorEvidence is the activity of the load generator's threads.
type GeneratorEvidence struct {
	Covered float64 `json:"covered_s"` // shorter than the machine's if the load generator ended early
	Threads int     `json:"threads"`
	CPU     float64 `json:"cpu_s"`
	// Waiting is how long its threads were runnable but waited in a run queue for a CPU
	// (/proc/PID/schedstat, Documentation/scheduler/sched-stats.rst).
	Waiting float64 `json:"run_queue_s"`
}

// ServerEvidence is the server's activity besides the load.
type ServerEvidence struct {
	// Counts holds the numbers of background activities, by name, that ended during the load or
	// were in progress at its end. If a name is missing, its number is unknown: the server does
	// not count this activity, or the counter was reset meanwhile.
	Counts    map[string]int64 `json:"counts"`
	Restarted bool             `json:"restarted"`
}

// NeighbourEvidence is the activity of a server that was not under load.
type NeighbourEvidence struct {
	Environment string           `json:"environment"`
	Counts      map[string]int64 `json:"counts"` // as in ServerEvidence
}

// Names of background activities that servers count. Each database has its own; the validity
// rules decide what a count means for a run.
const (
	// PostgreSQL (pg_stat_checkpointer, before version 17 pg_stat_bgwriter; pg_stat_all_tables).
	CheckpointsTimed     = "checkpoints_timed"     // triggered by checkpoint_timeout, except those that had nothing to do
	CheckpointsRequested = "checkpoints_requested" // for any other reason: WAL volume, or plinth itself
	Autovacuums          = "autovacuums"           // autovacuum's vacuums and analyzes of tables of the dataset

	// Redis, as INFO spells them.
	RDBSaves    = "rdb_saves"    // snapshots
	AOFRewrites = "aof_rewrites" // rewrites of the append-only file
	EvictedKeys = "evicted_keys" // keys evicted because of maxmemory
)

// Gap is a value that could not be read, and why.
type Gap struct {
	What string `json:"what"` // the JSON name in Evidence: "machine.thermal_events"
	Why  string `json:"why"`
}

// Beside is the result of comparing the runs of one block; the block's last run carries it. If
// Reasons is not empty, the whole block is left out.
type Beside struct {
	Reasons  []Note `json:"reasons,omitempty"`
	Warnings []Note `json:"warnings,omitempty"`
}
