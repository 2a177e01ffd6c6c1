package redisbench

import (
	"strings"
	"testing"

	"plinth/internal/driver"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

func someJob(conninfo, test string) driver.Job {
	return driver.Job{
		Experiment: &experiment.Experiment{Transactions: 1000, Payload: 3, Keyspace: 1, Pipeline: 1, Connect: "once"},
		Workload:   experiment.Workload{Scripts: []experiment.Script{{Builtin: test}}},
		Cell:       experiment.Cell{Clients: 20, Threads: 1},
		Conninfo:   conninfo,
	}
}

func TestConnection(t *testing.T) {
	d := New(Program{Path: "/usr/bin/redis-benchmark", Name: "redis-benchmark", Version: "7.0.15"})
	for conninfo, want := range map[string]string{
		"unix:///run/r.sock?db=0&prefix=":                "-s /run/r.sock -t set",
		"unix:///run/r.sock?db=3&prefix=key%3A":          "-s /run/r.sock --dbnum 3 -t set",
		"redis://cache:6380/2":                           "-h cache -p 6380 --dbnum 2 -t set",
		"redis://[::1]:6379/0":                           "-h ::1 -p 6379 -t set",
		"rediss://cache:6379/0?cacert=/etc/ca%20one.pem": "-h cache -p 6379 --tls --cacert /etc/ca one.pem -t set",
	} {
		args, err := d.arguments(someJob(conninfo, "set"))
		if got := strings.Join(args, " "); err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, %v; want %s", conninfo, got, err, want)
		}
	}
	for conninfo, want := range map[string]string{
		"redis://me@cache/0":                    "user or a password",
		"redis://cache/0?prefix=plinth%3Aab%3A": "chooses its own key names",
		"host=/run dbname=x":                    "cannot read",
		"%":                                     "cannot read",
	} {
		if _, err := d.arguments(someJob(conninfo, "set")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", conninfo, err, want)
		}
	}
	job := someJob("redis://cache/0?prefix=plinth%3Aab%3A", "ping")
	if args, err := d.arguments(job); err != nil || !strings.Contains(strings.Join(args, " "), "-t ping_mbulk") {
		t.Errorf("ping, which writes no key: %v, %v", args, err)
	}
	job.Env.Set = []string{PasswordVariable + "=hush"}
	if _, err := d.arguments(job); err == nil || hint.Of(err) == "" || strings.Contains(err.Error(), "hush") {
		t.Errorf("a password: %v", err)
	}
}

// TestNoSecret checks that redis-benchmark's environment has no password, even an unused
// one.
func TestNoSecret(t *testing.T) {
	for _, pair := range environment(launch.Variables{Set: []string{"A=1", PasswordVariable + "=", "B=2"}}) {
		if strings.HasPrefix(pair, PasswordVariable) {
			t.Error(pair)
		}
	}
}

// TestCheck checks that what redis-benchmark cannot do is refused, with what can do it.
func TestCheck(t *testing.T) {
	sound := func() *experiment.Experiment {
		return &experiment.Experiment{
			Transactions: 1000, Distribution: "uniform", Keyspace: 1,
			Workloads:    []experiment.Workload{{Name: "set", Scripts: []experiment.Script{{Builtin: "set"}}}},
			Environments: []experiment.Environment{{Name: "a"}},
		}
	}
	if err := Check(sound()); err != nil {
		t.Errorf("a sound one: %v", err)
	}
	for want, change := range map[string]func(*experiment.Experiment){
		"at a fixed rate":             func(e *experiment.Experiment) { e.Rates = []float64{100} },
		"after a time":                func(e *experiment.Experiment) { e.Transactions = 0 },
		"2147483647 req":              func(e *experiment.Experiment) { e.Transactions = 1 << 31 },
		"2147483647 keys":             func(e *experiment.Experiment) { e.Keyspace = 1 << 31 },
		"no warm-up":                  func(e *experiment.Experiment) { e.Warmup = 1 },
		"uniformly":                   func(e *experiment.Experiment) { e.Distribution = "zipfian" },
		"cannot mix":                  func(e *experiment.Experiment) { e.Workloads[0].Scripts = make([]experiment.Script, 2) },
		"has no redis-benchmark test": func(e *experiment.Experiment) { e.Workloads[0].Scripts[0].Builtin = "" },
		"user or a passw":             func(e *experiment.Experiment) { e.Environments[0].Connect = "redis://:hush@cache" },
		"chooses its own key names":   func(e *experiment.Experiment) { e.Environments[0].Connect = "redis://cache" },
	} {
		e := sound()
		change(e)
		if err := Check(e); err == nil || !strings.Contains(err.Error(), want) || hint.Of(err) == "" || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", want, err)
		}
	}
	ping := sound()
	ping.Workloads[0].Scripts[0].Builtin, ping.Environments[0].Connect = "ping", "redis://cache"
	if err := Check(ping); err != nil {
		t.Errorf("ping touches no key: %v", err)
	}
}
