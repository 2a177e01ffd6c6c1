// Package experiment defines an Experiment: a question, the environments to compare, the workloads,
// durations and repeats; its cells, and the order of its runs. Package reader reads one from a
// file.
package experiment

import (
	"fmt"

	"plinth/internal/conninfo"
	"plinth/internal/profile"
	"plinth/internal/unit"
)

// Experiment is an experiment file with all defaults filled in. Its struct tags are the only
// definition of the file format: the decoder, the JSON schema and the table in
// docs/experiment-file.md are derived from them.
//
//   - doc is the description; default is the value of an absent key.
//   - min and max are inclusive, in the syntax of the file; enum lists the allowed words.
//   - engine is the only engine that has the key; if absent, all engines have it.
type Experiment struct {
	Name           string            `yaml:"name" doc:"Short name of the experiment: lower-case letters, digits, hyphens and dots. The file's own name unless said."`
	Question       string            `yaml:"question" doc:"The question that the experiment answers, in one sentence."`
	Engine         string            `yaml:"engine" default:"postgres" enum:"postgres,redis" doc:"The database under test."`
	Postgres       Postgres          `yaml:"postgres" engine:"postgres" doc:"Which PostgreSQL programs to use where an environment does not say."`
	Redis          Redis             `yaml:"redis" engine:"redis" doc:"Which Redis programs to use where an environment does not say."`
	Dataset        Dataset           `yaml:"dataset" doc:"What is loaded into every environment: pgbench's tables, or keys."`
	Workloads      []Workload        `yaml:"workloads" doc:"What is driven. PostgreSQL: names of pgbench's built-in scripts, or scripts of your own. Redis: names of redis-benchmark's tests, or mixes of them such as {set: 1, get: 10}."`
	Payload        unit.Size         `yaml:"payload" engine:"redis" default:"3B" min:"1B" max:"512MiB" doc:"Size of each value that is written; 3B as redis-benchmark has it."`
	Keyspace       int64             `yaml:"keyspace" engine:"redis" default:"1" min:"1" max:"1000000000" doc:"How many keys the load uses. 1 is one key for all requests, as redis-benchmark has it without -r."`
	Distribution   string            `yaml:"distribution" engine:"redis" default:"uniform" enum:"uniform,zipfian,sequential" doc:"How keys are chosen among them. redis-benchmark has uniform only."`
	Pipeline       int               `yaml:"pipeline" engine:"redis" default:"1" min:"1" max:"10000" doc:"Requests that a client sends before it waits for their replies. Not together with rate."`
	Generator      string            `yaml:"generator" engine:"redis" default:"plinth" enum:"plinth,redis-benchmark" doc:"The load generator: plinth's own, or redis-benchmark, whose numbers people know."`
	Clients        []int             `yaml:"clients" default:"1" min:"1" doc:"Numbers of concurrent connections; a list makes one cell each."`
	Threads        []int             `yaml:"threads" default:"1" min:"1" doc:"Numbers of threads of the load generator; pairs with more threads than clients are skipped."`
	Rates          []float64         `yaml:"rate" min:"0.001" max:"1000000000" doc:"Open loop: transactions a second that are due, whether or not earlier ones have ended. A list makes one cell each. Absent: closed loop."`
	LatencyLimit   unit.Duration     `yaml:"latency_limit" engine:"postgres" min:"1us" max:"720h" doc:"With rate: a transaction already this late is skipped and counted; a slower one is counted as late."`
	Protocol       string            `yaml:"protocol" engine:"postgres" default:"simple" enum:"simple,extended,prepared" doc:"How queries are sent."`
	Connect        string            `yaml:"connect" default:"once" enum:"once,each" doc:"once: a client keeps its connection. each: a new connection for each transaction."`
	MaxTries       int               `yaml:"max_tries" engine:"postgres" default:"1" min:"1" doc:"How often a transaction that failed by serialization or deadlock is tried in all (pgbench 15 and later)."`
	Duration       unit.Duration     `yaml:"duration" default:"60s" min:"1s" max:"720h" doc:"How long one run is measured, in whole seconds. Not together with transactions."`
	Transactions   int64             `yaml:"transactions" min:"1" doc:"Measure this many transactions (of Redis: requests), over all clients together, in place of a duration."`
	Warmup         unit.Duration     `yaml:"warmup" default:"10s" max:"720h" doc:"How long the load runs before it is measured. 0s is fine."`
	Settle         unit.Duration     `yaml:"settle" default:"0s" max:"720h" doc:"How long a server is left alone between the checkpoint and the load."`
	Reset          string            `yaml:"reset" default:"vacuum" enum:"vacuum,rewrite,reload,none" doc:"How the dataset is set back before each run: vacuum as pgbench does (PostgreSQL), rewrite of the append-only file (Redis, its default), reload, or none."`
	Repeats        int               `yaml:"repeats" default:"6" min:"1" doc:"How many blocks each cell gets. Six is the fewest at which a 95 % verdict is possible."`
	Metric         string            `yaml:"metric" default:"tps" doc:"The primary metric, by which verdicts are made: tps (latency where a rate is given), latency, p50, p95, p99, p99.9, failures, a share of seconds such as p99-under-10ms, or a figure such as tps-variation."`
	Margin         unit.Share        `yaml:"margin" default:"3%" max:"50%" doc:"Differences within this margin do not matter: an interval inside it is called equivalent. Failures have none."`
	Compare        []string          `yaml:"compare" doc:"The comparisons that have to be decided and share the 5 % of error: names of workloads, or WORKLOAD/ENVIRONMENT. All of them unless said."`
	Stop           string            `yaml:"stop" default:"end" enum:"end,decided" doc:"end: every repeat is run. decided: stop at the first planned look at which each comparison is decided."`
	Interleave     string            `yaml:"interleave" default:"block" enum:"block,repeat" doc:"Where environments take turns, in random order: inside each block, or inside each repeat, where a switch is dear: that is what environments do, unless said, that differ in what only the whole machine can have."`
	Seed           uint64            `yaml:"seed" min:"1" max:"9007199254740991" doc:"Seed of the random order; chosen and recorded when absent."`
	ExpectFailures bool              `yaml:"expect_failures" default:"false" doc:"Whether runs with failed transactions are valid; latencies are then of the others."`
	Settings       map[string]string `yaml:"settings" doc:"Server settings, the same in every environment, as the server itself spells them."`
	Telemetry      string            `yaml:"telemetry" default:"on" enum:"on,off" doc:"Whether the machine and the server are read once a second while the load runs."`
	KeepLog        bool              `yaml:"keep_log" engine:"postgres" default:"false" doc:"Keep the transaction log of every run (118 MB a minute at 60,000 transactions a second)."`
	Events         []Event           `yaml:"events" doc:"What happens once during each run, is timed, and is marked on its timeline."`
	Fault          string            `yaml:"fault" enum:"kill,power-cut" doc:"Short for durability: {fault: power-cut}."`
	Durability     Durability        `yaml:"durability" doc:"What is done to each environment after its last run, while it acknowledges numbered writes, and counted afterwards: which of them are gone."`
	EmulatedRates  string            `yaml:"emulated_rates" doc:"full (unless said): emulated devices have the rates that they name, and those that this machine cannot reach are refused. fit, or a share such as 25%: the IOPS and throughput of all of them are scaled by one factor, which is told."`
	Caches         string            `yaml:"caches" default:"keep" enum:"keep,drop,prewarm" doc:"What caches hold once a server was switched in, where servers are switched: keep, what is left of them; drop, nothing (all page cache of the machine is dropped: needs allow_host); prewarm, the dataset as far as it fits (PostgreSQL, by pg_prewarm)."`
	Awake          string            `yaml:"awake" default:"auto" enum:"auto,on,off" doc:"Whether the CPUs are kept from halting while the experiment goes on, by threads that run where nobody else would: a virtual CPU that halts waits for its hypervisor when it is to go on. auto: on a virtual machine with emulated devices."`
	AllowHost      bool              `yaml:"allow_host" default:"false" doc:"Allows what changes the machine for everything that runs on it: knobs of the kernel, of CPUs, of disks and mounts that are not plinth's own. Each is put back."`
	Environments   []Environment     `yaml:"environments" doc:"The complete stacks under test, by name."`
	Steps          []Step            `yaml:"steps" doc:"Short for environments, each with what it adds to the one before: of the one environment that is given, the first step. Shown as a table of steps."`
	Ablate         string            `yaml:"ablate" enum:"layer,group,knob,pairs" doc:"Short for environments, of the one that is given: none of its tuning, all of it, and all but one part (a layer, a group of a profile, a knob) at a time; pairs: groups, and all but two at a time."`
	Baseline       string            `yaml:"baseline" doc:"The environment that the others are compared with; unless said the first one, of an ablation the one with all."`

	// SeedChosen is true if the file has no seed. Seed then differs from one load to the next and
	// does not count as a difference between two files.
	SeedChosen bool `yaml:"-"`
}

// Postgres selects the server programs of an environment.
type Postgres struct {
	Version int `yaml:"version" min:"13" max:"18" doc:"Major version, 13 to 18; the newest one found unless said."`
}

// Redis selects the server program of an environment.
type Redis struct {
	Program string `yaml:"program" enum:"redis,valkey" doc:"redis or valkey; unless said, redis where it is installed."`
}

// Dataset is the data to load: pgbench's tables (pgbench -i) for PostgreSQL, keys for Redis.
type Dataset struct {
	Keys        int64     `yaml:"keys" engine:"redis" max:"10000000000" doc:"How many keys are loaded, beside those of the load; none unless said."`
	Size        unit.Size `yaml:"size" engine:"redis" min:"1B" max:"512MiB" doc:"Size of each of their values; payload unless said."`
	Scale       int       `yaml:"scale" engine:"postgres" default:"10" min:"0" doc:"pgbench scale factor: 100,000 accounts each, about 15 MB. 0 loads no pgbench tables."`
	Fit         bool      `yaml:"fit" engine:"postgres" default:"false" doc:"Use a smaller scale, and say so, where a volume cannot hold this one."`
	Tablespace  string    `yaml:"tablespace" engine:"postgres" doc:"The tablespace for the tables; pg_default unless said."`
	IndexSpace  string    `yaml:"index_tablespace" engine:"postgres" doc:"The tablespace for their indexes."`
	Reload      string    `yaml:"reload" default:"once" enum:"once,repeat" doc:"When it is loaded: once, or anew in each repeat, so that the luck of a load is not that of an environment."`
	Fillfactor  int       `yaml:"fillfactor" engine:"postgres" default:"100" min:"10" max:"100" doc:"Fill factor of the tables, 10 to 100 per cent."`
	Partitions  int       `yaml:"partitions" engine:"postgres" default:"0" min:"0" doc:"Number of partitions of pgbench_accounts; 0 for none."`
	ForeignKeys bool      `yaml:"foreign_keys" engine:"postgres" default:"false" doc:"Whether foreign keys are created between the tables."`
}

// KeyDataset is the dataset of a single environment.
type KeyDataset struct {
	Keys int64     `yaml:"keys" max:"10000000000" doc:"How many keys are loaded here."`
	Size unit.Size `yaml:"size" min:"1B" max:"512MiB" doc:"Size of each of their values; that of the experiment's dataset unless said, or else payload."`
}

// Workload is the load of one run: one built-in script, or a weighted mix.
type Workload struct {
	Name      string            `yaml:"name" doc:"Name of the workload, as it appears in tables and paths."`
	Scripts   []Script          `yaml:"scripts" doc:"The scripts of a mix."`
	Variables map[string]string `yaml:"variables" engine:"postgres" doc:"Variables for the scripts, as pgbench -D sets them."`
	Init      Init              `yaml:"init" engine:"postgres" doc:"SQL that makes the workload's own tables, run once after the dataset is loaded."`
}

// Script is one pgbench script, or, as Builtin, one test of redis-benchmark. After loading, exactly
// one of Builtin and SQL is set and File is empty: its content is in SQL, so the experiment does
// not depend on other files.
type Script struct {
	Name    string `yaml:"name" doc:"Name of the script in points and histograms; from its file, or its number, unless said."`
	Builtin string `yaml:"builtin" doc:"One of pgbench's built-in scripts: select-only, simple-update or tpcb-like. Of Redis: a test, such as set."`
	File    string `yaml:"file" engine:"postgres" doc:"A file with the script, relative to the experiment file."`
	SQL     string `yaml:"sql" engine:"postgres" doc:"The script itself."`
	Weight  int    `yaml:"weight" default:"1" min:"1" doc:"How often this script is chosen, relative to the others."`
}

// Init is SQL that creates a workload's own tables. After loading, File is empty and its content is
// in SQL.
type Init struct {
	File string `yaml:"file" doc:"A file with the SQL, relative to the experiment file."`
	SQL  string `yaml:"sql" doc:"The SQL itself."`
}

// Environment is one complete stack under test.
type Environment struct {
	Name       string            `yaml:"-"`
	Storage    Storage           `yaml:"storage" doc:"Where the data lives. Not together with connect."`
	Postgres   Postgres          `yaml:"postgres" engine:"postgres" doc:"Which PostgreSQL programs this environment uses. Not together with connect."`
	Redis      Redis             `yaml:"redis" engine:"redis" doc:"Which Redis program this environment uses. Not together with connect."`
	Dataset    KeyDataset        `yaml:"dataset" engine:"redis" doc:"What is loaded into this environment, in place of what the experiment says; it is then part of what is compared."`
	Replica    Replica           `yaml:"replica" doc:"A replica of this environment's server, beside it. Not together with connect."`
	Connect    conninfo.Conninfo `yaml:"connect" doc:"A server that is already there: a libpq connection URI or string, or redis://user@host:6379 (rediss:// with TLS). The password is never recorded."`
	Disposable bool              `yaml:"disposable" doc:"With connect: allows plinth to make and drop a database named plinth_... there; of Redis, keys that begin with plinth:..."`
	Telemetry  string            `yaml:"telemetry" enum:"on,off" doc:"Whether this environment is read once a second; as the experiment says unless said."`
	Settings   map[string]string `yaml:"settings" doc:"Settings of this environment alone; they are then part of what is compared."`
	Limits     Limits            `yaml:"limits" doc:"What the server may use of the machine, by cgroups; the load generator and emulated devices stay outside. Not together with connect."`
	Pressure   Pressure          `yaml:"pressure" doc:"A neighbour's load beside this environment while it is driven. Not together with connect."`
	Tuning     []Tuning          `yaml:"tuning" doc:"What is tuned here: names of profiles (plinth tune profiles), files with one, or knobs: [huge-pages, mine.yaml, {vm.swappiness: 1, read_ahead_kb@data: 64}]. Later ones take the place of earlier ones."`
	Without    []string          `yaml:"without" doc:"What of the tuning is left out: layers, groups, or knobs."`
}

// Tuning is one item of an environment's tuning: exactly one of its fields is set.
type Tuning struct {
	Name    string            // a built-in profile
	Profile *profile.Profile  // a profile from a file; it is then part of the experiment
	Set     map[string]string // values by knob.Key
}

// Step defines an environment by its difference from the previous one. After loading, the
// environments of all steps are in Environments, and a step keeps only Name and Change.
type Step struct {
	Name     string            `yaml:"name" doc:"Name of the step and of its environment."`
	Change   string            `yaml:"change" doc:"What it changes, in a few words, as the table has it; the names of its profiles unless said."`
	Tuning   []Tuning          `yaml:"tuning" doc:"Tuning that it adds."`
	Settings map[string]string `yaml:"settings" doc:"Server settings that it changes."`
	Storage  Storage           `yaml:"storage" doc:"Storage in place of what there was."`
	Limits   Limits            `yaml:"limits" doc:"Limits in place of what there were."`
}

// Replica is a server that replicates the server of an environment.
type Replica struct {
	Storage     Storage           `yaml:"storage" doc:"Where its data lives."`
	Settings    map[string]string `yaml:"settings" doc:"Its settings, on top of the environment's."`
	Limits      Limits            `yaml:"limits" doc:"What it may use of the machine."`
	Synchronous bool              `yaml:"synchronous" engine:"postgres" default:"false" doc:"Whether a commit waits for it (synchronous_standby_names)."`
}

// There reports whether an environment has a replica.
func (r Replica) There() bool { return r.Storage.Data.There() }

// Durability is the fault injected into an environment to check what survives. An empty Fault means
// none.
type Durability struct {
	Fault   string `yaml:"fault" enum:"kill,power-cut" doc:"kill: every process of the server is killed (SIGKILL); what the kernel holds survives. power-cut: the power of its emulated devices is cut; only what was flushed survives."`
	Of      string `yaml:"of" enum:"primary,both" doc:"Whom it strikes where there is a replica: the primary (unless said), or both."`
	Recover string `yaml:"recover" enum:"disk,promote" doc:"disk (unless said): the server starts again from its disk. promote: its replica takes over."`
	Times   int    `yaml:"times" min:"1" max:"1000" doc:"How often, each at a random moment; once unless said."`
}

// Targets of a fault, and ways to recover.
const (
	OfPrimary      = "primary"
	OfBoth         = "both"
	RecoverDisk    = "disk"
	RecoverPromote = "promote"
)

// Kinds of fault.
const (
	FaultKill     = "kill"
	FaultPowerCut = "power-cut"
)

// In returns d as it applies to one environment: without a replica, the fault hits the server,
// which recovers from its disk.
func (d Durability) In(env Environment) Durability {
	if !env.Replica.There() && d.Fault != "" {
		d.Of, d.Recover = OfPrimary, RecoverDisk
	}
	return d
}

// Limits are the resources of the machine that a server may use.
type Limits struct {
	CPUs     int       `yaml:"cpus" min:"1" max:"4096" doc:"CPUs that the server runs on: a cpuset, so that it has them whole."`
	CPUQuota float64   `yaml:"cpu_quota" min:"0.01" max:"4096" doc:"CPU seconds in a second (cfs quota): another thing than cpus, it stops the server in every 100 ms that it used them up."`
	Memory   unit.Size `yaml:"memory" min:"64MiB" doc:"Memory of the server, its page cache included; huge pages lie outside of it."`
}

// Pressure is a bounded background load that plinth runs beside an environment.
type Pressure struct {
	Volume string     `yaml:"volume" doc:"Where it reads and writes: data (unless said), wal, temp or a tablespace."`
	Write  unit.Rate  `yaml:"write" min:"4KiB/s" doc:"Bytes that it writes in a second: 50MiB/s."`
	Read   unit.Rate  `yaml:"read" min:"4KiB/s" doc:"Bytes that it reads in a second."`
	Memory unit.Share `yaml:"memory" max:"95%" doc:"Part of the machine's memory that it fills, in a cgroup of its own, the first to be killed when memory ends."`
	CPU    int        `yaml:"cpu" min:"1" max:"4096" doc:"CPUs that it keeps busy, off those of the load generator where that has its own."`
}

// Event is an action that happens once in each run, during the measured window.
type Event struct {
	Name    string        `yaml:"name" doc:"What marks are called; event-1, event-2 and so on unless said."`
	At      unit.Duration `yaml:"at" default:"0s" max:"720h" doc:"When it begins, counted from the beginning of the measured window."`
	Send    string        `yaml:"send" engine:"redis" doc:"A command that is sent to the server: BGSAVE."`
	SQL     string        `yaml:"sql" engine:"postgres" doc:"SQL that is run in the database of the load, in a connection of its own."`
	Command []string      `yaml:"command" doc:"A program and its arguments: [pg_dump, --file=/dev/null]. It finds the server as libpq does (PGHOST, PGPORT, PGUSER, PGDATABASE)."`
}

// Statement returns the statement or command that an event sends to the server; "" if the event
// runs a program.
func (v Event) Statement() string { return v.SQL + v.Send }

// Whether CPUs are kept from halting.
const (
	AwakeAuto = "auto"
	AwakeOn   = "on"
	AwakeOff  = "off"
)

// How caches are treated after a server is switched in.
const (
	CachesKeep    = "keep"
	CachesDrop    = "drop"
	CachesPrewarm = "prewarm"
)

// The load generators of Redis.
const (
	OwnGenerator   = "plinth"
	RedisBenchmark = "redis-benchmark"
)

// Fixed returns, as --set values, what was decided when the experiment was first loaded: loading
// the same file with them gives the same experiment, unless the file was edited.
func (e *Experiment) Fixed() []string {
	fixed := []string{fmt.Sprintf("seed=%d", e.Seed)}
	if e.Dataset.Fit {
		fixed = append(fixed, fmt.Sprintf("dataset.scale=%d", e.Dataset.Scale))
	}
	return fixed
}

// Warning reports a weakness of the experiment that does not prevent its execution.
type Warning struct {
	Rule string // a short, stable name for programs
	Text string
	Hint string
}
