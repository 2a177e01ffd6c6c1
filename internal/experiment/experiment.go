// Package experiment turns a YAML file into an Experiment: a question, the
// environments that are compared, the workloads that are driven, how long and
// how often. It is strict: what it does not know it refuses, with line, column
// and the nearest right name.
package experiment

import "plinth/internal/unit"

// Experiment is an experiment file with every default written out. The doc tags
// are the descriptions in the JSON schema that `plinth schema` prints.
type Experiment struct {
	Name         string            `yaml:"name" doc:"Short name of the experiment: lower-case letters, digits and hyphens."`
	Question     string            `yaml:"question" doc:"The question that the experiment answers, in one sentence."`
	Engine       string            `yaml:"engine" doc:"The database under test." enum:"postgres"`
	Postgres     Postgres          `yaml:"postgres" doc:"Which PostgreSQL programs to use where an environment does not say."`
	Dataset      Dataset           `yaml:"dataset" doc:"The pgbench tables that are loaded into every environment."`
	Workloads    []Workload        `yaml:"workloads" doc:"What is driven: names of pgbench's built-in scripts, or scripts of your own."`
	Clients      []int             `yaml:"clients" doc:"Numbers of concurrent connections; a list makes one cell each."`
	Threads      []int             `yaml:"threads" doc:"Numbers of threads of the load generator; pairs with more threads than clients are skipped."`
	Rates        []float64         `yaml:"rate" doc:"Open loop: transactions a second that are due, whether or not earlier ones have ended. Empty: closed loop."`
	LatencyLimit unit.Duration     `yaml:"latency_limit" doc:"With rate: a transaction already this late is skipped and counted; a slower one is counted as late."`
	Protocol     string            `yaml:"protocol" doc:"How queries are sent." enum:"simple,extended,prepared"`
	Connect      string            `yaml:"connect" doc:"once: a client keeps its connection. each: a new connection for each transaction." enum:"once,each"`
	MaxTries     int               `yaml:"max_tries" doc:"How often a transaction that failed by serialization or deadlock is tried in all (pgbench 15 and later)."`
	Duration     unit.Duration     `yaml:"duration" doc:"How long one run is measured. Not together with transactions."`
	Transactions int64             `yaml:"transactions" doc:"Measure this many transactions, over all clients together, in place of a duration."`
	Warmup       unit.Duration     `yaml:"warmup" doc:"How long the load runs before it is measured. 0s is fine."`
	Settle       unit.Duration     `yaml:"settle" doc:"How long a server is left alone between the checkpoint and the load."`
	Reset        string            `yaml:"reset" doc:"How the dataset is set back before each run: vacuum as pgbench does, reload, or none." enum:"vacuum,reload,none"`
	Repeats      int               `yaml:"repeats" doc:"How many blocks each cell gets. Six is the fewest at which a 95 % verdict is possible."`
	Interleave   string            `yaml:"interleave" doc:"What is put in random order: environments inside each block, or (where a switch is dear) inside each repeat." enum:"block,repeat"`
	Seed         uint64            `yaml:"seed" doc:"Seed of the random order; chosen and stored when absent."`
	Settings     map[string]string `yaml:"settings" doc:"Server settings, the same in every environment, as the server itself spells them."`
	KeepLog      bool              `yaml:"keep_log" doc:"Keep the transaction log of every run (118 MB a minute at 60,000 transactions a second)."`
	Environments []Environment     `yaml:"environments" doc:"The complete stacks under test, by name."`
	Baseline     string            `yaml:"baseline" doc:"The environment that the others are compared with; the first one unless said."`
}

// Postgres says which server programs an environment uses.
type Postgres struct {
	Version int `yaml:"version" doc:"Major version, 13 to 18; the newest one found unless said."`
}

// Dataset is what `pgbench -i` loads.
type Dataset struct {
	Scale       int  `yaml:"scale" doc:"pgbench scale factor: 100,000 accounts each, about 15 MB. 0 loads no pgbench tables."`
	Fillfactor  int  `yaml:"fillfactor" doc:"Fill factor of the tables, 10 to 100 per cent."`
	Partitions  int  `yaml:"partitions" doc:"Number of partitions of pgbench_accounts; 0 for none."`
	ForeignKeys bool `yaml:"foreign_keys" doc:"Whether foreign keys are created between the tables."`
}

// Workload is what one run drives: one built-in script, or a weighted mix.
type Workload struct {
	Name      string            `yaml:"name" doc:"Name of the workload, as it appears in tables and paths."`
	Scripts   []Script          `yaml:"scripts" doc:"The scripts of a mix."`
	Variables map[string]string `yaml:"variables" doc:"Variables for the scripts, as pgbench -D sets them."`
	Init      Script            `yaml:"init" doc:"SQL that makes the workload's own tables, run once after the dataset is loaded."`
}

// Script is one pgbench script. Exactly one of Builtin and SQL is set once a
// file is loaded; File then only says where SQL was read from.
type Script struct {
	Name    string `yaml:"name" doc:"Name of the script in points and histograms; its file or its number unless said."`
	Builtin string `yaml:"builtin" doc:"One of pgbench's built-in scripts." enum:"select-only,simple-update,tpcb-like"`
	File    string `yaml:"file" doc:"A file with the script, relative to the experiment file."`
	SQL     string `yaml:"sql" doc:"The script itself."`
	Weight  int    `yaml:"weight" doc:"How often this script is chosen, relative to the others."`
}

// Environment is one complete stack under test.
type Environment struct {
	Name       string            `yaml:"-"`
	Storage    Storage           `yaml:"storage" doc:"Where the data lives."`
	Postgres   Postgres          `yaml:"postgres" doc:"Which PostgreSQL programs this environment uses."`
	Connect    string            `yaml:"connect" doc:"A server that is already there: a libpq connection URI. The password is never recorded."`
	Disposable bool              `yaml:"disposable" doc:"With connect: allows plinth to make and drop a database named plinth_... there."`
	Settings   map[string]string `yaml:"settings" doc:"Settings of this environment alone; they are then part of what is compared."`
}

// Storage names the directories in which plinth makes directories of its own.
type Storage struct {
	Data string `yaml:"data" doc:"Directory for the data; the current one unless said."`
	WAL  string `yaml:"wal" doc:"Directory for the write-ahead log; with the data unless said."`
}

// Cell is one point of the matrix. It is comparable and serves as a map key.
// Rate is 0 for a closed loop.
type Cell struct {
	Workload string  `json:"workload"`
	Clients  int     `json:"clients"`
	Threads  int     `json:"threads"`
	Rate     float64 `json:"rate,omitempty"`
}
