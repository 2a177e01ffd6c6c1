// Package experiment turns a YAML file into an Experiment: a question, the
// environments that are compared, the workloads that are driven, how long and
// how often. It is strict: what it does not know it refuses, with line, column
// and the nearest right name.
package experiment

import "plinth/internal/unit"

// Experiment is an experiment file with every default written out. Its tags are
// the one definition of the file: the decoder, the JSON schema and the table in
// docs/experiment-file.md are all made from them.
//
//   - doc is the description; default is the value of an absent key.
//   - min and max are inclusive, in the syntax of the file; enum is the words allowed.
type Experiment struct {
	Name           string            `yaml:"name" doc:"Short name of the experiment: lower-case letters, digits, hyphens and dots. The file's own name unless said."`
	Question       string            `yaml:"question" doc:"The question that the experiment answers, in one sentence."`
	Engine         string            `yaml:"engine" default:"postgres" enum:"postgres" doc:"The database under test."`
	Postgres       Postgres          `yaml:"postgres" doc:"Which PostgreSQL programs to use where an environment does not say."`
	Dataset        Dataset           `yaml:"dataset" doc:"The pgbench tables that are loaded into every environment."`
	Workloads      []Workload        `yaml:"workloads" doc:"What is driven: names of pgbench's built-in scripts, or scripts of your own."`
	Clients        []int             `yaml:"clients" default:"1" min:"1" doc:"Numbers of concurrent connections; a list makes one cell each."`
	Threads        []int             `yaml:"threads" default:"1" min:"1" doc:"Numbers of threads of the load generator; pairs with more threads than clients are skipped."`
	Rates          []float64         `yaml:"rate" min:"0.001" max:"1000000000" doc:"Open loop: transactions a second that are due, whether or not earlier ones have ended. A list makes one cell each. Absent: closed loop."`
	LatencyLimit   unit.Duration     `yaml:"latency_limit" min:"1us" max:"720h" doc:"With rate: a transaction already this late is skipped and counted; a slower one is counted as late."`
	Protocol       string            `yaml:"protocol" default:"simple" enum:"simple,extended,prepared" doc:"How queries are sent."`
	Connect        string            `yaml:"connect" default:"once" enum:"once,each" doc:"once: a client keeps its connection. each: a new connection for each transaction."`
	MaxTries       int               `yaml:"max_tries" default:"1" min:"1" doc:"How often a transaction that failed by serialization or deadlock is tried in all (pgbench 15 and later)."`
	Duration       unit.Duration     `yaml:"duration" default:"60s" min:"1s" max:"720h" doc:"How long one run is measured, in whole seconds. Not together with transactions."`
	Transactions   int64             `yaml:"transactions" min:"1" doc:"Measure this many transactions, over all clients together, in place of a duration."`
	Warmup         unit.Duration     `yaml:"warmup" default:"10s" max:"720h" doc:"How long the load runs before it is measured. 0s is fine."`
	Settle         unit.Duration     `yaml:"settle" default:"0s" max:"720h" doc:"How long a server is left alone between the checkpoint and the load."`
	Reset          string            `yaml:"reset" default:"vacuum" enum:"vacuum,reload,none" doc:"How the dataset is set back before each run: vacuum as pgbench does, reload, or none."`
	Repeats        int               `yaml:"repeats" default:"6" min:"1" doc:"How many blocks each cell gets. Six is the fewest at which a 95 % verdict is possible."`
	Metric         string            `yaml:"metric" default:"tps" doc:"The primary metric, by which verdicts are made: tps (latency where a rate is given), latency, p50, p95, p99, p99.9, failures, a share of seconds such as p99-under-10ms, or a figure such as tps-variation."`
	Margin         unit.Share        `yaml:"margin" default:"3%" max:"50%" doc:"Differences within this margin do not matter: an interval inside it is called equivalent. Failures have none."`
	Compare        []string          `yaml:"compare" doc:"The comparisons that have to be decided and share the 5 % of error: names of workloads, or WORKLOAD/ENVIRONMENT. All of them unless said."`
	Stop           string            `yaml:"stop" default:"end" enum:"end,decided" doc:"end: every repeat is run. decided: stop at the first planned look at which each comparison is decided."`
	Interleave     string            `yaml:"interleave" default:"block" enum:"block,repeat" doc:"Where environments take turns, in random order: inside each block, or (where a switch is dear) inside each repeat."`
	Seed           uint64            `yaml:"seed" min:"1" max:"9007199254740991" doc:"Seed of the random order; chosen and recorded when absent."`
	ExpectFailures bool              `yaml:"expect_failures" default:"false" doc:"Whether runs with failed transactions are valid; latencies are then of the others."`
	Settings       map[string]string `yaml:"settings" doc:"Server settings, the same in every environment, as the server itself spells them."`
	Telemetry      string            `yaml:"telemetry" default:"on" enum:"on,off" doc:"Whether the machine and the server are read once a second while the load runs."`
	KeepLog        bool              `yaml:"keep_log" default:"false" doc:"Keep the transaction log of every run (118 MB a minute at 60,000 transactions a second)."`
	Events         []Event           `yaml:"events" doc:"What happens once during each run, is timed, and is marked on its timeline."`
	Fault          string            `yaml:"fault" enum:"power-cut" doc:"power-cut: after an environment's last run the power of its emulated devices is cut while transactions commit; what was acknowledged must be there after recovery."`
	EmulatedRates  string            `yaml:"emulated_rates" doc:"full (unless said): emulated devices have the rates that they name, and those that this machine cannot reach are refused. fit, or a share such as 25%: the IOPS and throughput of all of them are scaled by one factor, which is told."`
	Environments   []Environment     `yaml:"environments" doc:"The complete stacks under test, by name."`
	Baseline       string            `yaml:"baseline" doc:"The environment that the others are compared with; the first one unless said."`

	// SeedChosen says that the file has no seed, so that Seed differs from one
	// load to the next and is no difference between two files.
	SeedChosen bool `yaml:"-"`
}

// Postgres says which server programs an environment uses.
type Postgres struct {
	Version int `yaml:"version" min:"13" max:"18" doc:"Major version, 13 to 18; the newest one found unless said."`
}

// Dataset is what pgbench -i loads.
type Dataset struct {
	Scale       int    `yaml:"scale" default:"10" min:"0" doc:"pgbench scale factor: 100,000 accounts each, about 15 MB. 0 loads no pgbench tables."`
	Fit         bool   `yaml:"fit" default:"false" doc:"Use a smaller scale, and say so, where a volume cannot hold this one."`
	Tablespace  string `yaml:"tablespace" doc:"The tablespace for the tables; pg_default unless said."`
	IndexSpace  string `yaml:"index_tablespace" doc:"The tablespace for their indexes."`
	Reload      string `yaml:"reload" default:"once" enum:"once,repeat" doc:"When it is loaded: once, or anew in each repeat, so that the luck of a load is not that of an environment."`
	Fillfactor  int    `yaml:"fillfactor" default:"100" min:"10" max:"100" doc:"Fill factor of the tables, 10 to 100 per cent."`
	Partitions  int    `yaml:"partitions" default:"0" min:"0" doc:"Number of partitions of pgbench_accounts; 0 for none."`
	ForeignKeys bool   `yaml:"foreign_keys" default:"false" doc:"Whether foreign keys are created between the tables."`
}

// Workload is what one run drives: one built-in script, or a weighted mix.
type Workload struct {
	Name      string            `yaml:"name" doc:"Name of the workload, as it appears in tables and paths."`
	Scripts   []Script          `yaml:"scripts" doc:"The scripts of a mix."`
	Variables map[string]string `yaml:"variables" doc:"Variables for the scripts, as pgbench -D sets them."`
	Init      Init              `yaml:"init" doc:"SQL that makes the workload's own tables, run once after the dataset is loaded."`
}

// Script is one pgbench script. Once a file is loaded, exactly one of Builtin
// and SQL is set and File is empty: what it held is in SQL, so that the
// experiment stands alone.
type Script struct {
	Name    string `yaml:"name" doc:"Name of the script in points and histograms; from its file, or its number, unless said."`
	Builtin string `yaml:"builtin" enum:"select-only,simple-update,tpcb-like" doc:"One of pgbench's built-in scripts."`
	File    string `yaml:"file" doc:"A file with the script, relative to the experiment file."`
	SQL     string `yaml:"sql" doc:"The script itself."`
	Weight  int    `yaml:"weight" default:"1" min:"1" doc:"How often this script is chosen, relative to the others."`
}

// Init is SQL that makes a workload's own tables. Once a file is loaded, File is
// empty and what it held is in SQL.
type Init struct {
	File string `yaml:"file" doc:"A file with the SQL, relative to the experiment file."`
	SQL  string `yaml:"sql" doc:"The SQL itself."`
}

// Environment is one complete stack under test.
type Environment struct {
	Name       string            `yaml:"-"`
	Storage    Storage           `yaml:"storage" doc:"Where the data lives. Not together with connect."`
	Postgres   Postgres          `yaml:"postgres" doc:"Which PostgreSQL programs this environment uses. Not together with connect."`
	Connect    Conninfo          `yaml:"connect" doc:"A server that is already there: a libpq connection URI or string. The password is never recorded."`
	Disposable bool              `yaml:"disposable" doc:"With connect: allows plinth to make and drop a database named plinth_... there."`
	Telemetry  string            `yaml:"telemetry" enum:"on,off" doc:"Whether this environment is read once a second; as the experiment says unless said."`
	Settings   map[string]string `yaml:"settings" doc:"Settings of this environment alone; they are then part of what is compared."`
	Limits     Limits            `yaml:"limits" doc:"What the server may use of the machine, by cgroups; the load generator and emulated devices stay outside. Not together with connect."`
	Pressure   Pressure          `yaml:"pressure" doc:"A neighbour's load beside this environment while it is driven. Not together with connect."`
}

// Limits are what a server may use of its machine.
type Limits struct {
	CPUs     int       `yaml:"cpus" min:"1" max:"4096" doc:"CPUs that the server runs on: a cpuset, so that it has them whole."`
	CPUQuota float64   `yaml:"cpu_quota" min:"0.01" max:"4096" doc:"CPU seconds in a second (cfs quota): another thing than cpus, it stops the server in every 100 ms that it used them up."`
	Memory   unit.Size `yaml:"memory" min:"64MiB" doc:"Memory of the server, its page cache included; huge pages lie outside of it."`
}

// Pressure is a bounded load of plinth's own beside an environment.
type Pressure struct {
	Volume string    `yaml:"volume" doc:"Where it reads and writes: data (unless said), wal, temp or a tablespace."`
	Write  unit.Rate `yaml:"write" min:"4KiB/s" doc:"Bytes that it writes in a second: 50MiB/s."`
	Read   unit.Rate `yaml:"read" min:"4KiB/s" doc:"Bytes that it reads in a second."`
}

// Event is something that happens once in each run while it is measured.
type Event struct {
	Name    string        `yaml:"name" doc:"What marks are called; event-1, event-2 and so on unless said."`
	At      unit.Duration `yaml:"at" default:"0s" max:"720h" doc:"When it begins, counted from the beginning of the measured window."`
	SQL     string        `yaml:"sql" doc:"SQL that is run in the database of the load, in a connection of its own."`
	Command []string      `yaml:"command" doc:"A program and its arguments: [pg_dump, --file=/dev/null]. It finds the server as libpq does (PGHOST, PGPORT, PGUSER, PGDATABASE)."`
}
