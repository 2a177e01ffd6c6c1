// Package experiment defines an Experiment: a question, the environments to compare, the workloads,
// durations and repeats. It computes the cells of an experiment and the order of its runs. Package
// decode reads an Experiment from a file.
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
//   - min and max are inclusive, in the syntax of the file; enum lists the allowed values.
//   - engine is the only engine that has the key; if absent, all engines have it.
//
// After loading, Storage is empty: each environment has its own.
type Experiment struct {
	Name           string            `yaml:"name" doc:"Short name of the experiment: lower-case letters, digits, hyphens and dots. Default: the file's name without its extension."`
	Question       string            `yaml:"question" doc:"The question that the experiment answers, in one sentence."`
	Engine         string            `yaml:"engine" default:"postgres" enum:"postgres,redis,other" doc:"The database under test. other is for imported records only."`
	Postgres       Postgres          `yaml:"postgres" engine:"postgres" doc:"PostgreSQL programs for environments that do not select their own."`
	Redis          Redis             `yaml:"redis" engine:"redis" doc:"Redis program for environments that do not select their own."`
	Dataset        Dataset           `yaml:"dataset" doc:"Data to load into every environment: pgbench's tables, or keys."`
	Workloads      []Workload        `yaml:"workloads" doc:"Workloads to run. PostgreSQL: names of pgbench's built-in scripts, or your own scripts. Redis: names of redis-benchmark's tests, or mixes of them such as {set: 1, get: 10}."`
	Payload        unit.Size         `yaml:"payload" engine:"redis" default:"3B" min:"1B" max:"512MiB" doc:"Size of each value written. The default is redis-benchmark's."`
	Keyspace       int64             `yaml:"keyspace" engine:"redis" default:"1" min:"1" max:"1000000000" doc:"Number of keys that the workloads use. 1: all requests use the same key, as with redis-benchmark without -r."`
	Distribution   string            `yaml:"distribution" engine:"redis" default:"uniform" enum:"uniform,zipfian,sequential" doc:"How the load generator chooses among the keys. redis-benchmark supports only uniform."`
	Pipeline       int               `yaml:"pipeline" engine:"redis" default:"1" min:"1" max:"10000" doc:"Number of requests that a client sends before it waits for their replies. Cannot be combined with rate."`
	Generator      string            `yaml:"generator" engine:"redis" default:"plinth" enum:"plinth,redis-benchmark" doc:"Load generator: plinth's own, or redis-benchmark, for numbers comparable with published ones."`
	Clients        []int             `yaml:"clients" default:"1" min:"1" doc:"Numbers of concurrent connections, one cell for each."`
	Threads        []int             `yaml:"threads" default:"1" min:"1" doc:"Numbers of load generator threads. Pairs with more threads than clients are skipped."`
	Rates          []float64         `yaml:"rate" min:"0.001" max:"1000000000" doc:"Open loop: scheduled transactions per second, whether or not earlier ones have completed; one cell for each. Absent: closed loop."`
	LatencyLimit   unit.Duration     `yaml:"latency_limit" engine:"postgres" min:"1us" max:"720h" doc:"With rate: a transaction that lags behind its schedule by more than this is skipped and counted; one whose latency exceeds the limit is counted as late."`
	Protocol       string            `yaml:"protocol" engine:"postgres" default:"simple" enum:"simple,extended,prepared" doc:"Query protocol."`
	Connect        string            `yaml:"connect" default:"once" enum:"once,each" doc:"once: each client keeps its connection. each: every transaction opens a new connection."`
	MaxTries       int               `yaml:"max_tries" engine:"postgres" default:"1" min:"1" doc:"Maximum number of tries for a transaction that fails with a serialization or deadlock error (pgbench 15 and later)."`
	Duration       unit.Duration     `yaml:"duration" default:"60s" min:"1s" max:"720h" doc:"Length of the measured window of a run, in whole seconds. Cannot be combined with transactions."`
	Transactions   int64             `yaml:"transactions" min:"1" doc:"Number of transactions (Redis: requests) to measure, summed over all clients, instead of a duration."`
	Warmup         unit.Duration     `yaml:"warmup" default:"10s" max:"720h" doc:"How long the load runs before measurement starts. 0s is allowed."`
	Settle         unit.Duration     `yaml:"settle" default:"0s" max:"720h" doc:"Idle time between the checkpoint and the load."`
	Reset          string            `yaml:"reset" default:"vacuum" enum:"vacuum,rewrite,reload,none" doc:"How to reset the dataset before each run: vacuum, as pgbench does (PostgreSQL); rewrite the append-only file (the default for Redis); reload; or none."`
	Repeats        int               `yaml:"repeats" default:"6" min:"1" doc:"Number of blocks for each cell. A verdict with 95 % confidence needs at least six."`
	Metric         string            `yaml:"metric" default:"tps" doc:"Primary metric for verdicts: tps (with a rate, the default is latency), latency, p50, p95, p99, p99.9, failures, a share of seconds such as p99-under-10ms, or a figure such as tps-variation."`
	Margin         unit.Share        `yaml:"margin" default:"3%" max:"50%" doc:"Differences within this margin do not matter: if the confidence interval lies inside it, the verdict is equivalent. Failures have no margin."`
	Cost           Cost              `yaml:"cost" doc:"What is paid for all environments, unless they say otherwise: {region: us-west-2, term: spot}."`
	Columns        []string          `yaml:"columns" doc:"Metrics and figures to show for each environment, in this order, in place of throughput and mean latency. They are columns of the summary and of the steps, and rows of plinth show --table metrics. usd-month and usd-million show the costs of the environments and of a million transactions. Example: [tps, wal-sync-latency, usd-month]."`
	Compare        []string          `yaml:"compare" doc:"Comparisons that must be decided and that share the 5 % error rate: workload names or WORKLOAD/ENVIRONMENT, each against the baseline; or all, for every pair of environments. Default: every environment against the baseline; with ablate: screen, only none."`
	Stop           string            `yaml:"stop" default:"end" enum:"end,decided" doc:"end: run every repeat. decided: stop at the first planned look (interim analysis) at which every comparison is decided."`
	Interleave     string            `yaml:"interleave" default:"block" enum:"block,repeat" doc:"Where environments alternate, in random order. block: within each block. repeat: within each repeat, for environments that are expensive to switch; this is the default if they differ in host-wide settings."`
	Seed           uint64            `yaml:"seed" min:"1" max:"9007199254740991" doc:"Seed of the random order. Default: chosen at random and recorded."`
	ExpectFailures bool              `yaml:"expect_failures" default:"false" doc:"Whether runs with failed transactions are valid. Latencies then cover only the successful transactions."`
	At             At                `yaml:"at" doc:"Machine of the environments that do not declare their own (plinth run --on). Default: the machine that plinth was started on."`
	Driver         Generators        `yaml:"driver" doc:"Where the load generators are."`
	Kubernetes     Cluster           `yaml:"kubernetes" doc:"The cluster of the environments that run on Kubernetes, and what plinth uses of it."`
	Storage        Storage           `yaml:"storage" doc:"Storage of every environment. A volume that an environment declares (data, wal, temp, a tablespace) replaces the one given here. In a directory, each environment has its own subdirectory."`
	Settings       map[string]string `yaml:"settings" doc:"Server settings for every environment, in the server's own spelling."`
	Telemetry      string            `yaml:"telemetry" default:"on" enum:"on,off" doc:"Whether to sample the machine and the server once a second during the load."`
	KeepLog        bool              `yaml:"keep_log" engine:"postgres" default:"false" doc:"Whether to keep the transaction log of every run (118 MB a minute at 60,000 transactions a second)."`
	Events         []Event           `yaml:"events" doc:"Actions that happen once during each run; each is timed and marked on the run's timeline."`
	Fault          string            `yaml:"fault" enum:"kill,power-cut" doc:"Short form of durability with only a fault: {fault: power-cut}."`
	Durability     Durability        `yaml:"durability" doc:"Fault injected into each environment after its last run, while its server acknowledges numbered writes. plinth then counts the acknowledged writes that are lost."`
	EmulatedRates  string            `yaml:"emulated_rates" doc:"full (default): emulated devices run at their nominal rates; rates that this machine cannot reach are refused. fit, or a share such as 25%: the IOPS and throughput of all emulated devices are scaled by one factor, which is reported."`
	Caches         string            `yaml:"caches" default:"keep" enum:"keep,drop,prewarm" doc:"What the caches hold after plinth switches to a server. keep: whatever remains. drop: nothing (empties the page cache of the whole machine, so it needs allow_host). prewarm: as much of the dataset as fits (PostgreSQL, with pg_prewarm)."`
	Awake          string            `yaml:"awake" default:"auto" enum:"auto,on,off" doc:"Whether to keep the CPUs from halting during the experiment, with threads that run only on otherwise idle CPUs: a halted virtual CPU has to wait for the hypervisor to resume it. auto: on a virtual machine with emulated devices."`
	AllowHost      bool              `yaml:"allow_host" default:"false" doc:"Allows changes that affect everything on the machine: knobs of the kernel, of CPUs, and of disks and mounts that plinth did not create. Each is restored afterwards."`
	Environments   []Environment     `yaml:"environments" doc:"The environments to compare, by name: each is a complete stack of server, settings and storage."`
	Steps          []Step            `yaml:"steps" doc:"Short form of environments: the single given environment is the first step, and each step adds to the one before it. Reports show a table of the steps."`
	Ablate         string            `yaml:"ablate" enum:"layer,group,knob,pairs,screen" doc:"Short form of environments, which are derived from the single given one: with none of its tuning, with all of it, and with all but one part (a layer, a group of a profile, or a knob). pairs: with all but one group, and with all but two groups. screen: with none, with all, and with various choices of the groups, each group in half of the environments, so that every run says something about every group."`
	Baseline       string            `yaml:"baseline" doc:"The environment that the others are compared with. Default: the first one; in an ablation, the one with all tuning."`
	Imported       bool              `yaml:"imported" doc:"Whether the file describes what others measured, as in a record that plinth import wrote. Such an experiment cannot be run, and its workloads are names alone."`
	Only           []string          `yaml:"cells" doc:"Only with imported: the cells that were measured, as in paths of records (tpcb-like/c8-j2), if they are not the whole matrix."`
	Form           string            `yaml:"form" enum:"quick,published" doc:"The form of the experiment to run: quick or published. Default: as written."`
	Quick          Form              `yaml:"quick" doc:"The short form of the experiment (plinth run --quick)."`
	Published      Form              `yaml:"published" doc:"The form with the sizes, durations and hardware of a publication (plinth run --published)."`

	// Absent lists the optional environments that the file leaves without a server: they are not in
	// Environments.
	Absent []Absent `yaml:"-"`

	// SeedChosen is true if the file has no seed. Seed then differs from one load to the next and
	// does not count as a difference between two files.
	SeedChosen bool `yaml:"-"`
}

// Absent is an optional environment that cannot be measured.
type Absent struct{ Environment, Reason string }

// Form changes keys of an experiment. After loading, the form that was chosen keeps only its note: its
// changes are in the experiment.
type Form struct {
	Note string            `yaml:"note" doc:"What this form cannot answer, or what it needs. It is shown before the run and in the results."`
	Set  map[string]string `yaml:"set" doc:"Values that replace those of the file, by key, as with --set: {duration: 5s, dataset.scale: 10}."`
}

// Names of forms.
const (
	FormQuick     = "quick"
	FormPublished = "published"
)

// Chosen returns the form that was chosen; it is empty if none was.
func (e *Experiment) Chosen() Form {
	switch e.Form {
	case FormQuick:
		return e.Quick
	case FormPublished:
		return e.Published
	}
	return Form{}
}

// Postgres selects the server programs of an environment.
type Postgres struct {
	Version   int    `yaml:"version" min:"13" max:"18" doc:"Major version, 13 to 18. Default: the newest one found."`
	Directory string `yaml:"directory" doc:"Directory of the programs initdb and postgres: a build of your own, such as /usr/local/pgsql/bin."`
}

// Redis selects the server program of an environment.
type Redis struct {
	Program   string `yaml:"program" enum:"redis,valkey" doc:"redis or valkey. Default: redis if it is installed, otherwise valkey."`
	Directory string `yaml:"directory" doc:"Directory of the program redis-server or valkey-server: a build of your own, such as ./redis/src."`
}

// Dataset is the data to load: pgbench's tables (pgbench -i) for PostgreSQL, keys for Redis.
type Dataset struct {
	Keys        int64     `yaml:"keys" engine:"redis" max:"10000000000" doc:"Number of keys to load in addition to those that the workloads use. Default: none."`
	Size        unit.Size `yaml:"size" engine:"redis" min:"1B" max:"512MiB" doc:"Size of the value of each of these keys. Default: payload."`
	Scale       int       `yaml:"scale" engine:"postgres" default:"10" min:"0" doc:"pgbench scale factor: one unit is 100,000 accounts, about 15 MB. 0 loads no pgbench tables."`
	Fit         bool      `yaml:"fit" engine:"postgres" default:"false" doc:"Whether to use a smaller scale if a volume cannot hold this one. plinth then reports the scale."`
	Tablespace  string    `yaml:"tablespace" engine:"postgres" doc:"Tablespace for the tables. Default: pg_default."`
	IndexSpace  string    `yaml:"index_tablespace" engine:"postgres" doc:"Tablespace for the indexes of the tables."`
	Reload      string    `yaml:"reload" default:"once" enum:"once,repeat" doc:"When to load the dataset: once, or again in each repeat, so that chance variation between loads is not attributed to an environment."`
	Shared      bool      `yaml:"shared" engine:"postgres" default:"false" doc:"Whether environments that differ in settings and tuning alone share one server's data: its storage is created and loaded once, and the server is restarted with the settings of each environment. One server runs at a time."`
	Fillfactor  int       `yaml:"fillfactor" engine:"postgres" default:"100" min:"10" max:"100" doc:"Fill factor of the tables, 10 to 100 per cent."`
	Partitions  int       `yaml:"partitions" engine:"postgres" default:"0" min:"0" doc:"Number of partitions of pgbench_accounts. 0: not partitioned."`
	ForeignKeys bool      `yaml:"foreign_keys" engine:"postgres" default:"false" doc:"Whether to create foreign keys between the tables."`
}

// KeyDataset is the dataset of a single environment.
type KeyDataset struct {
	Keys int64     `yaml:"keys" max:"10000000000" doc:"Number of keys to load into this environment."`
	Size unit.Size `yaml:"size" min:"1B" max:"512MiB" doc:"Size of the value of each of these keys. Default: the size in the experiment's dataset, or payload."`
}

// Workload is the load of one run: one built-in script, or a weighted mix.
type Workload struct {
	Name      string            `yaml:"name" doc:"Name of the workload in tables and paths."`
	Scripts   []Script          `yaml:"scripts" doc:"The scripts of a mix."`
	Variables map[string]string `yaml:"variables" engine:"postgres" doc:"Variables for the scripts, as set with pgbench -D. Unless it is given here, scale is the scale of the dataset."`
	Init      Init              `yaml:"init" engine:"postgres" doc:"SQL that creates the workload's own tables. It runs once, after the dataset is loaded."`
}

// Script is one pgbench script, or, as Builtin, one test of redis-benchmark. After loading, exactly
// one of Builtin and SQL is set and File is empty: its content is in SQL, so the experiment does
// not depend on other files.
type Script struct {
	Name    string `yaml:"name" doc:"Name of the script in the second-by-second data and in histograms. Default: the name of the built-in script or the file, otherwise script-1, script-2 and so on."`
	Builtin string `yaml:"builtin" doc:"One of pgbench's built-in scripts: select-only, simple-update or tpcb-like. Redis: a test such as set."`
	File    string `yaml:"file" engine:"postgres" doc:"File that contains the script, relative to the experiment file."`
	SQL     string `yaml:"sql" engine:"postgres" doc:"The script itself."`
	Weight  int    `yaml:"weight" default:"1" min:"1" doc:"Relative frequency with which this script is chosen."`
}

// Init is SQL that creates a workload's own tables. After loading, File is empty and its content is
// in SQL.
type Init struct {
	File string `yaml:"file" doc:"File that contains the SQL, relative to the experiment file."`
	SQL  string `yaml:"sql" doc:"The SQL itself."`
}

// Environment is one complete stack under test.
type Environment struct {
	Name       string            `yaml:"-"`
	Label      string            `yaml:"label" doc:"Description of the environment, for tables and pages: t3.large, CloudNativePG 1.24."`
	Facts      map[string]string `yaml:"facts" doc:"Facts about the environment that plinth cannot read, for tables and pages: {instance: t3.large, region: ap-southeast-3}."`
	Instance   string            `yaml:"instance" doc:"Cloud instance on which the server runs, or which it stands for: m6i.large, db.t3.large (plinth instances lists them). plinth then knows its limits on EBS volumes and its CPU credits."`
	At         At                `yaml:"at" doc:"Machine of this environment: ssh://db1. With connect: the machine from which the server is reached. Default: the experiment's at (plinth run --on), or the machine that plinth was started on."`
	Kubernetes Kubernetes        `yaml:"kubernetes" doc:"Runs this environment's server on Kubernetes: {operator: cnpg}, {operator: none}, or {existing: cluster/orders}. Cannot be combined with at or connect."`
	Listen     string            `yaml:"listen" doc:"With driver: the IP address at which the load generators reach this environment's server: the only one on which it listens. Default: the address at which plinth reaches its machine. Cannot be combined with connect."`
	Transport  string            `yaml:"transport" engine:"postgres" enum:"tcp,tls" doc:"How the load reaches this environment's server: tcp, or tls with a certificate that plinth creates. Default: a private socket; with driver, tcp. Cannot be combined with connect or kubernetes."`
	Storage    Storage           `yaml:"storage" doc:"Where the data is stored. Cannot be combined with connect."`
	Postgres   Postgres          `yaml:"postgres" engine:"postgres" doc:"PostgreSQL programs of this environment. Cannot be combined with connect."`
	Redis      Redis             `yaml:"redis" engine:"redis" doc:"Redis program of this environment. Cannot be combined with connect."`
	Dataset    KeyDataset        `yaml:"dataset" engine:"redis" doc:"Data to load into this environment instead of the experiment's dataset. The difference is then part of the comparison."`
	Replica    Replica           `yaml:"replica" doc:"A replica of this environment's server. Cannot be combined with connect."`
	Connect    conninfo.Conninfo `yaml:"connect" doc:"An existing server: a libpq connection URI or string, or redis://user@host:6379 (rediss:// with TLS). The password is never recorded."`
	Disposable bool              `yaml:"disposable" doc:"With connect, or with kubernetes: {existing: ...}: allows plinth to create and drop a database named plinth_... on this server; Redis: to write and delete keys named plinth:..."`
	Optional   bool              `yaml:"optional" doc:"Whether the environment is left out, and the reason reported, if what it needs is not there: a storage class of the cluster, or a connection string (connect: \"\"). Default: the experiment does not run."`
	Telemetry  string            `yaml:"telemetry" enum:"on,off" doc:"Whether to sample this environment once a second. Default: the experiment's telemetry."`
	Settings   map[string]string `yaml:"settings" doc:"Settings of this environment only. They are then part of the comparison."`
	Limits     Limits            `yaml:"limits" doc:"Machine resources that the server may use, enforced with cgroups. On Kubernetes, they are the requests and the limits of its pods. The load generator and emulated devices are not limited. Cannot be combined with connect."`
	Pressure   Pressure          `yaml:"pressure" doc:"Background load, as from a noisy neighbour, while this environment is under load. Cannot be combined with connect."`
	Tuning     []Tuning          `yaml:"tuning" doc:"Tuning of this environment: names of profiles (plinth tune profiles), profile files, or knobs: [huge-pages, mine.yaml, {vm.swappiness: 1, read_ahead_kb@data: 64}]. Later items override earlier ones."`
	Cost       Cost              `yaml:"cost" doc:"What is paid for this environment, beside its instance and its storage."`
	Without    []string          `yaml:"without" doc:"Parts of the tuning to leave out: layers, groups or knobs."`

	// DataOf is the environment whose storage and data this one uses, with dataset.shared; "" for
	// its own. It is known once the tuning is resolved for a machine.
	DataOf string `yaml:"-"`
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
	Change   string            `yaml:"change" doc:"Short description of the change, for the table. Default: the names of the step's profiles and the values that the step sets."`
	Tuning   []Tuning          `yaml:"tuning" doc:"Tuning that the step adds."`
	Settings map[string]string `yaml:"settings" doc:"Server settings that the step changes."`
	Storage  Storage           `yaml:"storage" doc:"Storage that replaces the previous one."`
	Limits   Limits            `yaml:"limits" doc:"Limits that replace the previous ones."`
}

// Replica is a server that replicates the server of an environment.
type Replica struct {
	Storage     Storage           `yaml:"storage" doc:"Where the replica's data is stored."`
	Settings    map[string]string `yaml:"settings" doc:"Settings of the replica, in addition to the environment's."`
	Limits      Limits            `yaml:"limits" doc:"Machine resources that the replica may use."`
	Synchronous bool              `yaml:"synchronous" engine:"postgres" default:"false" doc:"Whether commits wait for the replica (synchronous_standby_names)."`
}

// There reports whether an environment has a replica.
func (r Replica) There() bool { return r.Storage.Data.There() }

// Durability is the fault injected into an environment to check what survives. An empty Fault means
// none.
type Durability struct {
	Fault   string `yaml:"fault" enum:"kill,power-cut,delete-pod,drain" doc:"kill: every server process is killed (SIGKILL); data in the kernel's page cache survives. power-cut: the power of the emulated devices is cut; only flushed data survives. On Kubernetes: kill: the first process of the primary is killed; delete-pod: the primary's pod is deleted with a grace period of a second; drain: the primary's node is cordoned, and its pod evicted."`
	Of      string `yaml:"of" enum:"primary,both" doc:"What the fault hits if there is a replica: the primary (default), or both."`
	Recover string `yaml:"recover" enum:"disk,promote" doc:"disk (default): the server restarts from its disk. promote: the replica takes over."`
	Times   int    `yaml:"times" min:"1" max:"1000" doc:"Number of faults, each at a random moment. Default: 1."`
}

// Transports of the load to a server.
const (
	TransportTCP = "tcp"
	TransportTLS = "tls"
)

// Targets of a fault, and ways to recover.
const (
	OfPrimary      = "primary"
	OfBoth         = "both"
	RecoverDisk    = "disk"
	RecoverPromote = "promote"
	RecoverCluster = "cluster" // not a value of the file: Kubernetes, or its operator, chooses
)

// Kinds of fault.
const (
	FaultKill      = "kill"
	FaultPowerCut  = "power-cut"
	FaultDeletePod = "delete-pod" // on Kubernetes
	FaultDrain     = "drain"      // on Kubernetes
)

// In returns d as it applies to one environment: without a replica, the fault hits the server,
// which recovers from its disk. On Kubernetes, the cluster recovers it.
func (d Durability) In(env Environment) Durability {
	switch {
	case d.Fault == "":
	case env.Kubernetes.There():
		d.Of, d.Recover = OfPrimary, RecoverCluster
	case !env.Replica.There():
		d.Of, d.Recover = OfPrimary, RecoverDisk
	}
	return d
}

// Limits are the resources of the machine that a server may use.
type Limits struct {
	CPUs     int       `yaml:"cpus" min:"1" max:"4096" doc:"Number of CPUs that the server runs on (cpuset): it can use each of them fully."`
	CPUQuota float64   `yaml:"cpu_quota" min:"0.01" max:"4096" doc:"CPU seconds per second (CFS quota). Unlike cpus, it throttles the server in each 100 ms period once the quota is used up."`
	Memory   unit.Size `yaml:"memory" min:"64MiB" doc:"Maximum memory of the server, including its page cache and its huge pages; with kubernetes, without huge pages."`

	HugePages unit.Size `yaml:"huge_pages" engine:"postgres" min:"2MiB" doc:"With kubernetes: memory in huge pages of 2 MiB that the server's pod is given (hugepages-2Mi), in addition to memory."`

	// Burstable says that a pod requests only half of its CPUs and memory. Tuning decides it (pod.qos).
	Burstable bool `yaml:"-"`

	CPUCredits CPUCredits `yaml:"cpu_credits" doc:"CPU credits of a burstable instance, which plinth enforces with the CFS quota while a load runs: t3.large. Cannot be combined with cpu_quota."`
}

// Pressure is a bounded background load that plinth runs beside an environment.
type Pressure struct {
	Volume string     `yaml:"volume" doc:"Volume that the background load reads and writes: data (default), wal, temp or a tablespace."`
	Write  unit.Rate  `yaml:"write" min:"4KiB/s" doc:"Bytes written per second: 50MiB/s."`
	Read   unit.Rate  `yaml:"read" min:"4KiB/s" doc:"Bytes read per second."`
	Memory unit.Share `yaml:"memory" max:"95%" doc:"Share of the machine's memory that the background load fills, in a separate cgroup that is killed first when memory runs out."`
	CPU    int        `yaml:"cpu" min:"1" max:"4096" doc:"Number of CPUs that the background load keeps busy. It avoids the load generator's CPUs if those are reserved."`
}

// Event is an action that happens once in each run, during the measured window.
type Event struct {
	Name    string        `yaml:"name" doc:"Name of the event's mark on the timeline. Default: event-1, event-2 and so on."`
	At      unit.Duration `yaml:"at" default:"0s" max:"720h" doc:"Start time, relative to the start of the measured window."`
	Send    string        `yaml:"send" engine:"redis" doc:"Command to send to the server: BGSAVE."`
	SQL     string        `yaml:"sql" engine:"postgres" doc:"SQL to run in the load's database, on a separate connection."`
	Command []string      `yaml:"command" doc:"Program to run and its arguments: [pg_dump, --file=/dev/null]. It connects to the server through libpq's environment variables (PGHOST, PGPORT, PGUSER, PGDATABASE)."`
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

// How caches are treated after plinth switches to a server.
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
