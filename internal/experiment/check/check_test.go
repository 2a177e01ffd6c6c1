package check

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"plinth/internal/conninfo"
	"plinth/internal/experiment"
	"plinth/internal/experiment/experimenttest"
	"plinth/internal/experiment/mistake"
	"plinth/internal/strictyaml"
	"plinth/internal/unit"
)

// lab is a valid experiment, as returned by the decoder, with two environments whose servers plinth
// creates: a with a directory, b with an emulated device.
type lab struct {
	*experiment.Experiment
	a, b  *experiment.Environment
	notes *mistake.Notes
}

func newLab() lab {
	e := &experiment.Experiment{
		Name: "lab", Engine: experiment.EnginePostgres, Dataset: experiment.Dataset{Scale: 100},
		Workloads: []experiment.Workload{experiment.WorkloadOf("tpcb-like")},
		Clients:   []int{8}, Threads: []int{1}, Connect: "once", Duration: second(60), Repeats: 6, Metric: "tps", Baseline: "a",
		Environments: []experiment.Environment{
			{Name: "a", Storage: experiment.Storage{Data: experiment.Volume{Directory: "/a"}}},
			{Name: "b", Storage: experiment.Storage{Data: emulated("gp3")}},
		},
	}
	return lab{Experiment: e, a: &e.Environments[0], b: &e.Environments[1], notes: mistake.New("lab.yaml")}
}

func second(n int64) unit.Duration { return unit.Duration(n * 1e9) }

func emulated(name string) experiment.Volume { return experiment.Volume{Disk: emulatedDisk(name)} }

func emulatedDisk(name string) experiment.Disk {
	return experiment.Disk{Emulate: experiment.Emulation{Name: name}}
}

// connect sets an existing server for an environment.
func connect(env *experiment.Environment, to conninfo.Conninfo) {
	env.Storage, env.Connect, env.Disposable = experiment.Storage{}, to, true
}

// says sets the position of a value, so that a zero value counts as given.
func (l lab) says(pointer any, path string) { l.notes.Places[pointer] = l.node(path) }

func (l lab) node(path string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	l.notes.Elsewhere[n] = path
	return n
}

// place sets the position of each non-zero value to its key.
func (l lab) place(v reflect.Value, path string) {
	if v.IsZero() {
		return
	}
	pointer := v.Addr().Interface()
	n := l.node(path)
	l.notes.Places[pointer] = n
	switch value := pointer.(type) {
	case *map[string]string:
		for name := range *value {
			l.notes.Places[mistake.Setting{Of: value, Name: name}] = l.node(path + "." + name)
		}
		return
	case *experiment.Tuning:
		for _, name := range slices.Sorted(maps.Keys(value.Set)) {
			n.Content = append(n.Content, l.notes.Word(name, n), l.notes.Word(value.Set[name], n))
		}
		return
	}
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			l.place(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			switch name := field.Tag.Get("yaml"); {
			case field.Anonymous:
				l.place(v.Field(i), path)
			case name == "" || name == "-":
				l.place(v.Field(i), path+"."+strings.ToLower(field.Name))
			default:
				l.place(v.Field(i), strings.TrimPrefix(path+"."+name, "."))
			}
		}
	}
}

// check returns each mistake with its position and hint, and the warnings.
func (l lab) check() (string, []experiment.Warning) {
	l.place(reflect.ValueOf(l.Experiment).Elem(), "")
	warnings := All(l.Experiment, l.notes)
	var found *strictyaml.Error
	errors.As(l.notes.Err(), &found)
	var lines []string
	if found != nil {
		for _, m := range found.Mistakes {
			lines = append(lines, strings.TrimSuffix(m.Error()+" | "+m.Hint, " | "))
		}
	}
	return strings.Join(lines, "\n"), warnings
}

// mistakes maps the expected messages to the change that causes them.
type mistakes map[string]func(lab)

func (m mistakes) test(t *testing.T) {
	t.Helper()
	for want, change := range m {
		l := newLab()
		change(l)
		got, _ := l.check()
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func ordersWith(variable, value string) experiment.Workload {
	return experiment.Workload{Name: "orders", Scripts: []experiment.Script{{Name: "orders", SQL: "SELECT 1;"}}, Variables: map[string]string{variable: value}}
}

// redis changes the experiment to Redis, with plinth's load generator.
func (l lab) redis() {
	l.Engine, l.Dataset, l.Reset, l.Generator = experiment.EngineRedis, experiment.Dataset{}, "rewrite", experiment.OwnGenerator
	l.Workloads[0], l.Distribution, l.Pipeline = experiment.WorkloadOf("set"), "uniform", 1
}

// redisBenchmark changes the experiment to use redis-benchmark.
func (l lab) redisBenchmark() {
	l.redis()
	l.Generator, l.Transactions, l.Duration = experiment.RedisBenchmark, 100, 0
}

// TestNames checks names, which become parts of paths and must be unique.
func TestNames(t *testing.T) {
	mistakes{
		`name: an experiment cannot be named "My Lab": use at most 63 lower-case letters, digits, hyphens and dots, beginning with a letter or digit | write my-lab`: func(l lab) {
			l.Name = "My Lab"
		},
		`name: an experiment cannot be named "…" (not shown: it may hold a password): use at most 63 lower-case letters, digits, hyphens and dots, beginning with a letter or digit`: func(l lab) {
			l.Name = "password=hunter2"
		},
		`workloads[0].name: a workload cannot be named "Orders_1": use at most 63 lower-case letters, digits, hyphens and dots, beginning with a letter or digit | write orders-1`: func(l lab) {
			l.Workloads[0].Name = "Orders_1"
		},
		`workloads[0].scripts[0].name: a script cannot be named "a b": use at most 63 lower-case letters, digits, hyphens and dots, beginning with a letter or digit | write a-b`: func(l lab) {
			l.Workloads[0] = experiment.Workload{Name: "mix", Scripts: []experiment.Script{{Name: "a b", SQL: "SELECT 1;"}}}
		},
		`environments[0].name: an environment cannot be named ".hidden": use at most 63 lower-case letters, digits, hyphens and dots, beginning with a letter or digit | write hidden`: func(l lab) {
			l.a.Name, l.Baseline = ".hidden", ".hidden"
		},
		`baseline: baseline: no environment is named "mars" | it can be a or b`: func(l lab) {
			l.Baseline = "mars"
		},
		`workloads[1].name: a second workload named tpcb-like`: func(l lab) {
			l.Workloads = append(l.Workloads, experiment.WorkloadOf("tpcb-like"))
		},
	}.test(t)
}

// TestWindowAndLoad checks the measured window, and the lists that define the matrix.
func TestWindowAndLoad(t *testing.T) {
	mistakes{
		`transactions: duration and transactions are both given | leave out one of the two`: func(l lab) {
			l.Transactions = 100
		},
		`duration: duration: 1.5s is not a whole number of seconds, and runs are recorded per second | write 2s`: func(l lab) {
			l.Duration = 1_500_000_000
		},
		`latency_limit: latency_limit without rate: without a schedule, no transaction can be late | give a rate, or leave latency_limit out`: func(l lab) {
			l.LatencyLimit = second(1)
		},
		`clients[2]: clients: 1 is in the list twice`: func(l lab) {
			l.Clients = []int{1, 2, 1}
		},
		`threads[1]: threads: 1 is in the list twice`: func(l lab) {
			l.Threads = []int{1, 1}
		},
		`rate[1]: rate: 0.5 is in the list twice`: func(l lab) {
			l.Rates = []float64{0.5, 0.5}
		},
		`threads: threads: all values are at least 4, but there are at most 2 clients | give fewer threads: pairs with more threads than clients are skipped`: func(l lab) {
			l.Clients, l.Threads = []int{1, 2}, []int{4, 8}
		},
		`lab.yaml: 800000 runs, more than the maximum of 5000 | lower repeats, or list fewer values of clients, threads or rates`: func(l lab) {
			l.Clients, l.Repeats = []int{1, 2, 3, 4}, 100_000
		},
		`dataset.scale: dataset.scale: 0 loads no pgbench tables, and tpcb-like needs them | give a scale of 1 or more`: func(l lab) {
			l.Dataset.Scale = 0
			l.says(&l.Dataset.Scale, "dataset.scale")
		},
	}.test(t)
}

// TestWorkloads checks workloads.
func TestWorkloads(t *testing.T) {
	mistakes{
		`lab.yaml: no workloads: there is nothing to run | add workloads: [select-only, simple-update, tpcb-like], or some of them`: func(l lab) {
			l.Workloads = nil
		},
		`workloads[0]: a workload without a script | add file: orders.sql, sql: "SELECT 1;", or scripts: [...]`: func(l lab) {
			l.Workloads = []experiment.Workload{{Name: "none"}}
		},
		`workloads[0]: a workload without a name | add a name, such as name: orders`: func(l lab) {
			l.Workloads[0].Name = ""
		},
		`workloads[0].name: tpcb-like is also the name of a built-in script of pgbench, and tables could not distinguish the two | give it another name`: func(l lab) {
			l.Workloads[0].Scripts[0].Weight = 2
		},
		`workloads[0].scripts[1].name: a second script named a in this workload | give each its own name`: func(l lab) {
			l.Workloads[0] = experiment.Workload{Name: "mix", Scripts: []experiment.Script{{Name: "a", SQL: "SELECT 1;"}, {Name: "a", SQL: "SELECT 2;"}}}
		},
		`workloads[0].scripts[0].builtin: workloads.builtin: unknown value "select-onli" | did you mean select-only?`: func(l lab) {
			l.Workloads[0] = experiment.WorkloadOf("select-onli")
		},
		`workloads[0].variables.a b: a variable name can contain only letters, digits and underscores; found "a b"`: func(l lab) {
			l.Workloads[0] = ordersWith("a b", "1")
		},
		`workloads[0].variables.lines: variables.lines: a line break or control character in the value`: func(l lab) {
			l.Workloads[0] = ordersWith("lines", "1\n2")
		},
		`workloads[0].variables.password: variables.password holds a password, and variables are recorded | leave it out`: func(l lab) {
			l.Workloads[0] = ordersWith("password", "hunter2")
		},
	}.test(t)
}

// TestEnvironments checks servers that plinth creates, and existing ones.
func TestEnvironments(t *testing.T) {
	mistakes{
		`lab.yaml: no environments: there is nothing to measure | add environments: {here: {storage: {data: .}}}`: func(l lab) {
			l.Environments = nil
		},
		`environments[0].disposable: environments.a: disposable applies only to an existing server, and this environment has no connect | leave it out`: func(l lab) {
			l.a.Disposable = true
		},
		`environments[1].connect: environments.b: connect requires disposable: true | add disposable: true if plinth may create and drop a database named plinth_... on this server (Redis: keys that begin with plinth:)`: func(l lab) {
			connect(l.b, "service=lab")
			l.b.Disposable = false
		},
		"environments[1].storage: environments.b: storage cannot be combined with connect | leave it out: with connect, plinth does not create the server; storage: {data: {is: gp3}} describes the disk under its data\n" +
			"environments[1].limits: environments.b: limits cannot be combined with connect | leave it out: with connect, plinth does not create the server": func(l lab) {
			connect(l.b, "service=lab")
			l.b.Storage.Data.Directory, l.b.Limits.CPUs = "/b", 2
		},
		"environments[1].postgres: environments.b: postgres cannot be combined with connect | leave it out: with connect, plinth does not create the server\n" +
			"environments[1].pressure: environments.b: pressure cannot be combined with connect | leave it out: with connect, plinth does not create the server": func(l lab) {
			connect(l.b, "service=lab")
			l.b.Postgres.Version, l.b.Pressure.CPU = 16, 1
		},
		"environments[1].redis: environments.b: redis cannot be combined with connect | leave it out: with connect, plinth does not create the server\n" +
			"environments[1].replica: environments.b: replica cannot be combined with connect | leave it out: with connect, plinth does not create the server": func(l lab) {
			connect(l.b, "service=lab")
			l.b.Redis.Program, l.b.Replica.Storage.Data.Directory = "valkey", "/r"
		},
		`environments[1].connect: environments.b.connect: this is a Redis server | set engine: redis, or give a PostgreSQL server`: func(l lab) {
			connect(l.b, "redis://host")
		},
		`environments[1].connect: environments.b.connect: the connection string has an @ or a / in its user or password | write @ as %40 and / as %2F`: func(l lab) {
			connect(l.b, "postgresql://u:hun@ter2@h/d")
		},
		`clients[1]: clients: 500, but with max_connections = 100 the server of a accepts only 98 (plinth itself uses 2) | set settings.max_connections to 502 or more, or leave it out`: func(l lab) {
			l.Clients, l.a.Settings = []int{1, 500}, map[string]string{"Max_Connections": "100"}
		},
		"clients[0]: clients: 60, but with max_connections = 100 the server of a accepts only 49 (plinth itself uses 2, and with connect: each a client needs up to 2) | set settings.max_connections to 122 or more, or leave it out\n" +
			"clients[0]: clients: 60, but with max_connections = 100 the server of b accepts only 49 (plinth itself uses 2, and with connect: each a client needs up to 2) | set settings.max_connections to 122 or more, or leave it out": func(l lab) {
			l.Clients, l.Connect, l.Settings = []int{60}, "each", map[string]string{"max_connections": "100"}
		},
		`caches: caches: drop empties the page cache of the whole machine | add allow_host: true, or leave it out`: func(l lab) {
			l.Caches = experiment.CachesDrop
		},
	}.test(t)
}

// TestSettings checks settings that plinth controls, and secrets that must not be recorded.
func TestSettings(t *testing.T) {
	mistakes{
		`settings.Port: settings: Port is set by plinth itself | leave it out: plinth connects to its servers through private sockets, so no other client uses them`: func(l lab) {
			l.Settings = map[string]string{"Port": "5433"}
		},
		`environments[0].settings.bad name: environments.a.settings: "bad name" cannot be the name of a setting`: func(l lab) {
			l.a.Settings = map[string]string{"bad name": "1"}
		},
		`settings.work_mem: settings: a line break or control character in the value of work_mem`: func(l lab) {
			l.Settings = map[string]string{"work_mem": "4MB\nfsync=off"}
		},
		`settings.primary_conninfo: settings: primary_conninfo holds a password, and settings are recorded | leave it out`: func(l lab) {
			l.Settings = map[string]string{"primary_conninfo": "host=a password=hunter2"}
		},
		`settings.work_mem: settings: work_mem is given twice; case is ignored`: func(l lab) {
			l.Settings = map[string]string{"WORK_MEM": "4MB", "work_mem": "8MB"}
		},
	}.test(t)
}

// TestBeside checks what runs alongside the load.
func TestBeside(t *testing.T) {
	mistakes{
		`emulated_rates: emulated_rates: unknown value "fitt" | did you mean fit?`: func(l lab) {
			l.EmulatedRates = "fitt"
		},
		`emulated_rates: emulated_rates: unknown value "0%" | it can be full, fit, or a share such as 25%`: func(l lab) {
			l.EmulatedRates = "0%"
		},
		`environments[0].pressure: environments.a.pressure: no background load is given | add one, such as write: 50MiB/s, read: 50MiB/s, memory: 80% or cpu: 2`: func(l lab) {
			l.says(&l.a.Pressure, "environments[0].pressure")
		},
		`environments[0].pressure.volume: environments.a.pressure: volume has no effect without write or read | add write or read, such as write: 50MiB/s, or leave volume out`: func(l lab) {
			l.a.Pressure = experiment.Pressure{Volume: "data", CPU: 1}
		},
		`environments[0].pressure.volume: environments.a.pressure: there is no volume "wal" in this environment | it can be data`: func(l lab) {
			l.a.Pressure = experiment.Pressure{Volume: "wal", Write: unit.Rate(unit.MiB)}
		},
		`events[0]: events: one does nothing | add an action, such as sql: "VACUUM;" or command: [pg_dump, --file=/dev/null]`: func(l lab) {
			l.Events = []experiment.Event{{Name: "one"}}
		},
		`events[0]: events: one has a statement and a command | leave out one of the two`: func(l lab) {
			l.Events = []experiment.Event{{Name: "one", SQL: "VACUUM;", Command: []string{"pg_dump"}}}
		},
		`driver.at[1]: driver.at: ssh://load1 is in the list twice | leave one of them out`: func(l lab) {
			l.Clients, l.Threads = []int{8}, []int{2}
			l.Driver.At = []experiment.At{{SSH: "ssh://load1"}, {SSH: "ssh://load1"}}
		},
		`driver.at[0]: driver.at: become does not apply to the machine that plinth was started on | start plinth with sudo`: func(l lab) {
			l.Driver.At = []experiment.At{{SSH: "here", Become: "sudo"}}
		},
		`threads: threads: 1 cannot be shared by 2 load generators, of which each needs one | give at least 2, or fewer load generators in driver`: func(l lab) {
			l.Driver.At = []experiment.At{{SSH: "here"}, {SSH: "ssh://load1"}}
		},
		`environments[0].connect: environments.a.connect: the server is reached from its own machine only, and ssh://load1 is another one | give the host and the port by which they reach it`: func(l lab) {
			connect(l.a, "host=127.0.0.1 user=bench")
			l.Driver.At = []experiment.At{{SSH: "ssh://load1"}}
		},
		`transactions: transactions: 4 cannot be shared by several load generators with 8 clients | give at least one for each client`: func(l lab) {
			l.Duration, l.Transactions, l.Threads, l.Driver.At = 0, 4, []int{2}, []experiment.At{{SSH: "here"}, {SSH: "ssh://load1"}}
		},
		`environments[0].listen: environments.a: without driver, nothing reaches the server over a network, and it listens nowhere | leave it out, or say where the load generators are: driver: {at: ssh://load1}`: func(l lab) {
			l.a.Listen = "10.0.0.5"
		},
		`environments[0].listen: environments.a.listen: "db1" is not an IP address | write it as 10.0.0.5 or fd00::5`: func(l lab) {
			l.a.Listen, l.Driver.At = "db1", []experiment.At{{SSH: "here"}}
		},
		`environments[0].listen: environments.a.listen: the server listens on one address only, and 0.0.0.0 stands for several | give an address of that machine's`: func(l lab) {
			l.a.Listen, l.Driver.At = "0.0.0.0", []experiment.At{{SSH: "here"}}
		},
		`events[0].at: events: one is at 60s, but a run ends after 60s`: func(l lab) {
			l.Events = []experiment.Event{{Name: "one", At: second(60), SQL: "VACUUM;"}}
		},
		`events[0].name: an event cannot be named "Dump It": use at most 63 lower-case letters, digits, hyphens and dots, beginning with a letter or digit | write dump-it`: func(l lab) {
			l.Events = []experiment.Event{{Name: "Dump It", SQL: "VACUUM;"}}
		},
		`events[1].name: a second event named one | give each its own name`: func(l lab) {
			l.Events = []experiment.Event{{Name: "one", SQL: "VACUUM;"}, {Name: "one", SQL: "CHECKPOINT;"}}
		},
		`events[0].command[1]: events: a line break or control character in the command of one`: func(l lab) {
			l.Events = []experiment.Event{{Name: "one", Command: []string{"psql", "a\nb"}}}
		},
		`events[0].command[1]: events: the command of one holds a password, and commands are recorded | leave it out: the program connects through PGHOST and the other libpq variables`: func(l lab) {
			l.Events = []experiment.Event{{Name: "one", Command: []string{"psql", "password=hunter2"}}}
		},
		`events: events run only in servers that plinth creates, and b is an existing one | leave them out, or leave out the existing server`: func(l lab) {
			l.Events = []experiment.Event{{Name: "one", SQL: "VACUUM;"}}
			connect(l.b, "service=lab")
		},
	}.test(t)
}

// TestReplicas checks replicas against their environments.
func TestReplicas(t *testing.T) {
	mistakes{
		`environments[1].settings.Synchronous_Standby_Names: environments.b.settings: Synchronous_Standby_Names is set by plinth itself if there is a replica | leave it out; replica: {synchronous: true} makes commits wait`: func(l lab) {
			l.b.Replica.Storage.Data = emulated("gp3")
			l.b.Settings = map[string]string{"Synchronous_Standby_Names": "*"}
		},
		`settings.wal_level: settings: wal_level = minimal does not allow a replica | leave out the setting or the replica`: func(l lab) {
			l.b.Replica.Storage.Data = emulated("gp3")
			l.Settings = map[string]string{"wal_level": "minimal"}
		},
		`environments[1].replica.settings.hot_standby: environments.b.replica.settings: hot_standby = off does not allow a replica | leave out the setting or the replica`: func(l lab) {
			l.b.Replica = experiment.Replica{Storage: l.b.Storage, Settings: map[string]string{"hot_standby": "off"}}
		},
		`environments[1].replica.settings.port: environments.b.replica.settings: port is set by plinth itself | leave it out: plinth connects to its servers through private sockets, so no other client uses them`: func(l lab) {
			l.b.Replica = experiment.Replica{Storage: l.b.Storage, Settings: map[string]string{"port": "1"}}
		},
		`environments[1].replica.storage.data.emulate.name: environments.b.replica.storage.data: there is no device "gp4" | did you mean gp2 or gp3? plinth devices lists them`: func(l lab) {
			l.b.Replica.Storage.Data = emulated("gp4")
		},
		`environments[1].replica: environments.b.replica: the primary has a volume for cold, the replica has none | add it to replica.storage`: func(l lab) {
			l.b.Replica.Storage.Data = emulated("gp3")
			l.b.Storage.Tablespaces = spaces("cold")
		},
		`environments[1].replica.storage: environments.b.replica: the replica has a volume for temp, the primary has none | add it to storage as well`: func(l lab) {
			l.b.Replica.Storage.Data = emulated("gp3")
			l.b.Replica.Storage.Temp.Directory = "/t"
		},
	}.test(t)
}

// TestDurability checks that the fault can be injected into the environments.
func TestDurability(t *testing.T) {
	mistakes{
		`durability: durability: no fault is given | add fault: kill, or fault: power-cut`: func(l lab) {
			l.Durability.Times = 3
		},
		`durability.fault: power-cut: the data volume of a is not emulated | emulate the volume, because only emulated devices can lose power (emulate: pass-through adds no delay to the disk)`: func(l lab) {
			l.Durability.Fault = experiment.FaultPowerCut
		},
		`durability.fault: power-cut: the data volume of a is an array with copies, which the kernel does not start again | use a modelled array, emulate: {raid: 10, of: gp3, members: 8}`: func(l lab) {
			l.Durability.Fault = experiment.FaultPowerCut
			l.a.Storage.Data, l.b.Storage.Data = experiment.Volume{RAID: "1", Members: []experiment.Disk{emulated("gp3").Disk, emulated("gp3").Disk}}, emulated("gp3")
		},
		`durability.fault: kill: b is an existing server, and plinth injects faults only into servers that it creates | leave it out, or leave out the existing server`: func(l lab) {
			l.Durability.Fault = experiment.FaultKill
			connect(l.b, "service=lab")
		},
		`durability.of: durability: of: both, but no environment has a replica | add replica: {} to an environment, or leave out of: both`: func(l lab) {
			l.Durability = experiment.Durability{Fault: experiment.FaultKill, Of: experiment.OfBoth}
		},
		`durability.recover: durability: recover: promote, but no environment has a replica | add replica: {} to an environment, or leave out recover: promote`: func(l lab) {
			l.Durability = experiment.Durability{Fault: experiment.FaultKill, Recover: experiment.RecoverPromote}
		},
		`durability.fault: drain: b does not run on Kubernetes | use fault: kill, or add kubernetes: {operator: cnpg} to the environment`: func(l lab) {
			l.Durability.Fault = experiment.FaultDrain
			l.onKubernetes(l.a, experiment.OperatorCNPG)
		},
		`durability.of: durability: of: both, but on Kubernetes, the fault hits the primary, and the cluster decides how it recovers | leave out of: both`: func(l lab) {
			l.Durability = experiment.Durability{Fault: experiment.FaultDeletePod, Of: experiment.OfBoth}
			l.onKubernetes(l.a, experiment.OperatorCNPG)
			l.onKubernetes(l.b, experiment.OperatorNone)
		},
		`durability.fault: power-cut: the replica data volume of a is not emulated | emulate the volume, because only emulated devices can lose power (emulate: pass-through adds no delay to the disk)`: func(l lab) {
			l.Durability = experiment.Durability{Fault: experiment.FaultPowerCut, Of: experiment.OfBoth}
			l.a.Storage.Data = emulated("gp3")
			l.a.Replica.Storage.Data.Directory = "/r"
		},
	}.test(t)
}

// TestComparisons checks the comparisons to decide, and the metric.
func TestComparisons(t *testing.T) {
	mistakes{
		`metric: metric: there is no metric or figure "p98" | did you mean p95?`: func(l lab) {
			l.Metric = "p98"
		},
		`metric: metric: a higher cpu-use is neither better nor worse, so it cannot decide a comparison | use plinth compare RECORD --metric cpu-use to see the difference`: func(l lab) {
			l.Metric = "cpu-use"
		},
		`metric: metric: wal-sync-latency needs telemetry, which is off in b | leave telemetry on`: func(l lab) {
			l.Metric, l.b.Telemetry = "wal-sync-latency", "off"
		},
		`stop: stop: decided needs two environments to compare, and there is only one`: func(l lab) {
			l.Stop, l.Environments = "decided", l.Environments[:1]
		},
		`compare[1]: compare: "tpcb-like" is in the list twice`: func(l lab) {
			l.Compare = []string{"tpcb-like", "tpcb-like"}
		},
		`compare[0]: compare: there is no workload "tpcb" | did you mean tpcb-like?`: func(l lab) {
			l.Compare = []string{"tpcb"}
		},
		`compare[0]: compare: "a" is not an environment that is compared with the baseline | it can be b`: func(l lab) {
			l.Compare = []string{"tpcb-like/a"}
		},
	}.test(t)
}

// TestRedis checks the keys of Redis, and the limits of redis-benchmark.
func TestRedis(t *testing.T) {
	mistakes{
		`pipeline: pipeline and rate are both given: requests scheduled one by one cannot be sent in batches | leave out one of the two`: func(l lab) {
			l.redis()
			l.Rates, l.Pipeline = []float64{100}, 16
		},
		`pipeline: pipeline and connect: each are both given: requests that each have a connection cannot be sent in batches | leave out one of the two`: func(l lab) {
			l.redis()
			l.Connect, l.Pipeline = "each", 16
		},
		`dataset.size: dataset.size without dataset.keys: nothing is loaded | give dataset.keys as well, or, for the size of the values that the load writes, set payload instead`: func(l lab) {
			l.redis()
			l.Dataset.Size = 100
		},
		`reset: reset: vacuum is for PostgreSQL only | it can be rewrite, reload or none`: func(l lab) {
			l.redis()
			l.Reset = "vacuum"
		},
		`events[0]: events: one does nothing | add an action, such as send: BGSAVE`: func(l lab) {
			l.redis()
			l.Events = []experiment.Event{{Name: "one"}}
		},
		`workloads[0].scripts[0].builtin: workloads.builtin: unknown value "gett" | did you mean get?`: func(l lab) {
			l.redis()
			l.Workloads[0] = experiment.WorkloadOf("gett")
		},
		`environments[0].settings.requirepass: environments.a.settings: requirepass is set by plinth itself | leave it out: only plinth uses the servers that it creates`: func(l lab) {
			l.redis()
			l.a.Settings = map[string]string{"requirepass": "hunter2"}
		},
		`settings.appendfsync no: settings: "appendfsync no" cannot be the name of a setting`: func(l lab) {
			l.redis()
			l.Settings = map[string]string{"appendfsync no": "yes"}
		},
		`environments[1].connect: environments.b.connect: this is a PostgreSQL server | set engine: postgres, or give a Redis server`: func(l lab) {
			l.redis()
			connect(l.b, "postgresql://h/d")
		},
		`workloads[0].name: set is also the name of a built-in script of redis-benchmark, and tables could not distinguish the two | give it another name`: func(l lab) {
			l.redis()
			l.Workloads[0].Scripts = append(l.Workloads[0].Scripts, experiment.Script{Name: "get", Builtin: "get", Weight: 1})
		},
		`duration: redis-benchmark sends a fixed number of requests; it cannot stop after a duration | use generator: plinth, or give transactions, such as transactions: 50000`: func(l lab) {
			l.redisBenchmark()
			l.Transactions, l.Duration = 0, second(60)
		},
		`rate: redis-benchmark cannot send requests at a given rate | use generator: plinth`: func(l lab) {
			l.redisBenchmark()
			l.Rates = []float64{100}
		},
		`distribution: redis-benchmark chooses keys uniformly, not zipfian | use generator: plinth`: func(l lab) {
			l.redisBenchmark()
			l.Distribution = "zipfian"
		},
		`warmup: redis-benchmark has no warm-up: its numbers include all requests | use generator: plinth, or leave warmup out`: func(l lab) {
			l.redisBenchmark()
			l.Warmup = second(5)
		},
		`workloads[0].name: redis-benchmark cannot mix tests, as workload mix does | use generator: plinth`: func(l lab) {
			l.redisBenchmark()
			l.Workloads[0] = experiment.Workload{Name: "mix", Scripts: []experiment.Script{{Name: "set", Builtin: "set"}, {Name: "get", Builtin: "get"}}}
		},
	}.test(t)
}

// Values in which the decoder has found a mistake are skipped, because the consequences are not
// separate mistakes.
func TestWhatIsBrokenIsPassedOver(t *testing.T) {
	for name, change := range map[string]func(lab) any{
		"duration":   func(l lab) any { l.Duration = 1; return &l.Duration },
		"clients":    func(l lab) any { l.Clients, l.Threads = []int{1}, []int{2}; return &l.Clients },
		"repeats":    func(l lab) any { l.Repeats = 1_000_000; return &l.Repeats },
		"workloads":  func(l lab) any { l.Workloads = nil; return &l.Workloads },
		"a workload": func(l lab) any { l.Workloads[0].Name = ""; return &l.Workloads[0] },
		"metric":     func(l lab) any { l.Metric = "p98"; return &l.Metric },
		"baseline":   func(l lab) any { l.Baseline = "mars"; return &l.Baseline },
		"columns":    func(l lab) any { l.Columns = []string{"p98"}; return &l.Columns[0] },
		"compare":    func(l lab) any { l.Compare = []string{"mars"}; return &l.Compare },
		"pressure":   func(l lab) any { l.a.Pressure.Volume = "wal"; return &l.a.Pressure },
		"a volume":   func(l lab) any { l.a.Storage.Data.Size = 1; return &l.a.Storage.Data },
		"emulate": func(l lab) any {
			l.b.Storage.Data.Emulate = experiment.Emulation{Of: "gp4"}
			return &l.b.Storage.Data.Emulate
		},
		"steps":      func(l lab) any { l.Steps = []experiment.Step{{Name: "c"}}; return &l.Steps },
		"a step":     func(l lab) any { l.Steps = []experiment.Step{{Name: "c"}}; return &l.Steps[0] },
		"tuning":     func(l lab) any { l.b.Without = []string{"kernel"}; return &l.b.Without },
		"durability": func(l lab) any { l.Durability.Times = 3; return &l.Durability },
		"events":     func(l lab) any { l.Events = []experiment.Event{{Name: "one"}}; return &l.Events },
	} {
		l := newLab()
		l.notes.Broken[change(l)] = true
		if got, _ := l.check(); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A warning is not a mistake.
func TestWarnings(t *testing.T) {
	for want, change := range map[string]func(lab){
		"": func(lab) {},
		"scale-below-clients: scale 7 is less than the number of clients, 8: tpcb-like then measures row lock waits": func(l lab) { l.Dataset.Scale = 7 },
		"interleave-repeat: environments differ in host-wide settings (vm.swappiness), so they alternate only once per repeat, and the unit of a verdict is the repeat": func(l lab) {
			l.AllowHost, l.a.Tuning = true, []experiment.Tuning{set("vm.swappiness", "1")}
		},
		"interleave-block: environments differ in host-wide settings (vm.dirty_ratio and vm.swappiness): plinth changes them before every run, and each change takes time": func(l lab) {
			l.AllowHost, l.Interleave = true, "block"
			l.a.Tuning, l.b.Tuning = []experiment.Tuning{set("vm.swappiness", "1")}, []experiment.Tuning{set("vm.dirty_ratio", "20")}
		},
	} {
		l := newLab()
		change(l)
		found, warnings := l.check()
		var lines []string
		for _, w := range warnings {
			lines = append(lines, w.Rule+": "+w.Text)
		}
		if got := strings.Join(lines, "\n"); got != want || found != "" {
			t.Errorf("got\n%s\nwant\n%s\nmistakes\n%s", got, want, found)
		}
		if w := warnings; len(w) > 0 && w[0].Rule == "interleave-repeat" && l.Interleave != "repeat" {
			t.Errorf("interleave %q", l.Interleave)
		}
	}
}

// Generated valid experiments have no mistakes.
func TestNothingIsFoundInWhatIsSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := lab{Experiment: experimenttest.Any().Draw(t, "experiment"), notes: mistake.New("lab.yaml")}
		if got, _ := l.check(); got != "" {
			t.Error(got)
		}
	})
}
