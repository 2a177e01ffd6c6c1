//go:build linux

package redis

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/unit"
)

// TestMemoryIsEstimated checks the estimated memory of keys against the measured one.
func TestMemoryIsEstimated(t *testing.T) {
	for _, program := range testPrograms(t) {
		for _, size := range []unit.Size{10, 1000, 20_000} {
			t.Run(fmt.Sprintf("%s-%s/%s", program.Name, program.VersionText, size), func(t *testing.T) {
				t.Parallel()
				config := ownConfig(t, "save", "")
				config.Experiment.Workloads = nil
				config.Experiment.Dataset = experiment.Dataset{Keys: min(10_000, 5_000_000/int64(size)), Size: size}
				own := startOwn(t, config, program)
				must(t, own.Load(t.Context(), nil))
				estimate := liveMemory(own.Experiment, own.Environment)
				// For small values newer versions keep several objects in one allocation.
				taken, most := float64(own.dataset.Bytes), 1.25
				if size < 100 {
					most = 2
				}
				if float64(estimate+noise) < 0.95*taken || float64(estimate-noise) > most*taken {
					t.Errorf("%d bytes estimated, and %d taken", estimate, own.dataset.Bytes)
				}
			})
		}
	}
}

func TestTooManyKeys(t *testing.T) {
	e := smallExperiment()
	e.Dataset = experiment.Dataset{Keys: 375_795, Size: 180_000}
	_, err := Kind{}.Needs(e, experiment.Environment{Name: "here"})
	mustRefuse(t, err, "environment here: 375795 keys of 180 kB add up to 67.6 GB, and take 73.9 GB of memory including the server's overhead: this machine has ", "lower dataset.keys")
	e = smallExperiment()
	e.Keyspace, e.Payload = 1_000_000, 1_000_000
	_, err = Kind{}.Needs(e, experiment.Environment{Name: "here"})
	mustRefuse(t, err, "1000000 keys of 1 MB that the load writes add up to 1 TB", "keyspace")
	e = smallExperiment()
	e.Workloads = []experiment.Workload{{Name: "lpush", Scripts: []experiment.Script{{Builtin: "lpush", Weight: 1}}}}
	e.Payload, e.Transactions, e.Repeats = 1_000_000, 1_000_000, 3
	_, err = Kind{}.Needs(e, experiment.Environment{Name: "here"})
	mustRefuse(t, err, "6000000 elements of 1 MB that the load adds to a list add up to 6 TB", "reset: reload")
	e = smallExperiment()
	e.Dataset.Keys, e.Dataset.Size = 100_000, 1000
	env := experiment.Environment{Name: "here", Limits: experiment.Limits{Memory: unit.Size(64 << 20)}}
	_, err = Kind{}.Needs(e, env)
	mustRefuse(t, err, "limits.memory is 67.1 MB", "lower")
	env = experiment.Environment{Name: "here", Settings: map[string]string{"maxmemory": "50mb"}}
	mustRefuse(t, Kind{}.Probe(t.Context(), e, env), "maxmemory is 52.4 MB", "lower")
	env.Settings["maxmemory-policy"] = "allkeys-lru" // then keys are evicted, and Describe notes it
	must(t, Kind{}.Probe(t.Context(), e, env))
}

// TestPushed checks how many elements are left in the list of a load.
func TestPushed(t *testing.T) {
	push, pop := experiment.Script{Builtin: "rpush", Weight: 3}, experiment.Script{Builtin: "lpop", Weight: 1}
	for _, test := range []struct {
		name         string
		scripts      []experiment.Script
		transactions int64
		rates        []float64
		reset        string
		want         int64
	}{
		{"in all runs", []experiment.Script{push}, 1000, nil, resetRewrite, 4000},
		{"until a reload", []experiment.Script{push}, 1000, nil, resetReload, 1000},
		{"some are taken away", []experiment.Script{push, pop}, 1000, nil, resetNone, 2000},
		{"more are taken away", []experiment.Script{pop}, 1000, nil, resetNone, 0},
		{"no list", []experiment.Script{{Builtin: "set", Weight: 1}}, 1000, nil, resetRewrite, 0},
		{"at two rates", []experiment.Script{push}, 0, []float64{10, 100}, resetRewrite, 4 * 110 * 70},
		{"at the greatest rate", []experiment.Script{push}, 0, []float64{10, 100}, resetReload, 7000},
		{"as many as it can", []experiment.Script{push}, 0, nil, resetRewrite, 0},
	} {
		e := smallExperiment()
		e.Workloads = []experiment.Workload{{Name: "list", Scripts: test.scripts}}
		e.Transactions, e.Rates, e.Reset, e.Repeats = test.transactions, test.rates, test.reset, 2
		e.Duration, e.Warmup = unit.Duration(60*time.Second), unit.Duration(10*time.Second)
		if got := pushed(e); got != test.want {
			t.Errorf("%s: %d, not %d", test.name, got, test.want)
		}
	}
}

// TestDiskNeeds checks that the bound covers what was measured with 50,000 SETs of 180 kB, on one
// key and on many.
func TestDiskNeeds(t *testing.T) {
	for _, test := range []struct {
		name     string
		keyspace int64
		settings map[string]string
		measured float64 // GB
		most     float64
	}{
		{"rewritten", 1, map[string]string{"appendonly": "yes"}, 0.397, 1.5},
		{"never rewritten", 1, map[string]string{"appendonly": "yes", "auto-aof-rewrite-percentage": "0"}, 8.6, 11},
		{"never rewritten, many keys", 40_000, map[string]string{"appendonly": "yes", "auto-aof-rewrite-percentage": "0"}, 9, 45},
		{"no append-only file", 1, map[string]string{"appendonly": "no"}, 0, 0.3},
		{"in other words", 1, map[string]string{"AppendOnly": "YES", "auto-aof-rewrite-min-size": "4gb"}, 4.5, 6},
	} {
		e := smallExperiment()
		e.Dataset = experiment.Dataset{}
		e.Workloads = []experiment.Workload{{Name: "set", Scripts: []experiment.Script{{Builtin: "set", Weight: 1}}}}
		e.Payload, e.Keyspace, e.Transactions, e.Settings = 180_000, test.keyspace, 50_000, test.settings
		got, err := diskNeeds(e, experiment.Environment{})
		must(t, err)
		if gb := float64(got) / 1e9; gb < test.measured || gb > test.most {
			t.Errorf("%s: %.2f GB, measured %.2f", test.name, gb, test.measured)
		}
	}
	e := smallExperiment()
	e.Transactions, e.Duration, e.Warmup = 0, unit.Duration(60*time.Second), unit.Duration(10*time.Second)
	e.Workloads = []experiment.Workload{
		{Name: "get", Scripts: []experiment.Script{{Builtin: "get", Weight: 1}}},
		{Name: "mix", Scripts: []experiment.Script{{Builtin: "get", Weight: 9}, {Builtin: "mset", Weight: 1}}},
	}
	if got, want := appended(e), int64(fastestWrites*70*164); got != want {
		t.Errorf("a mix of which a tenth writes ten keys adds %d bytes, want %d", got, want)
	}
	e.Rates = []float64{10, 100}
	if got, want := appended(e), int64(100*70*164); got != want {
		t.Errorf("at a rate it adds %d bytes, want %d", got, want)
	}
	e.Settings["maxmemory"] = "much"
	if _, err := diskNeeds(e, experiment.Environment{}); err == nil || !strings.Contains(err.Error(), "maxmemory is not a size: much") {
		t.Errorf("got %v", err)
	}
}

func TestAllocated(t *testing.T) {
	// jemalloc(3), size classes with quantum 8.
	for n, want := range map[int64]int64{1: 8, 8: 8, 9: 16, 64: 64, 65: 80, 81: 96, 129: 160, 1009: 1024, 1025: 1280, 180_009: 196_608} {
		if got := allocated(n); got != want {
			t.Errorf("%d bytes take %d, want %d", n, got, want)
		}
	}
}

// TestValues checks the length of values, and that no two consecutive ones are equal.
func TestValues(t *testing.T) {
	v := newValues(100)
	for n := range int64(10_000) {
		if len(v.of(n)) != 100 || string(v.of(n)) == string(v.of(n+1)) {
			t.Fatalf("value %d: %d bytes", n, len(v.of(n)))
		}
	}
}

// TestEvictionIsTold checks the warning when maxmemory is reached and keys are evicted.
func TestEvictionIsTold(t *testing.T) {
	own := startOwn(t, ownConfig(t, "maxmemory", "2500kb", "maxmemory-policy", "allkeys-lru"), oneInstalled(t))
	must(t, own.Load(t.Context(), nil))
	e, err := own.Describe(t.Context())
	must(t, err)
	if len(e.Warnings) != 1 || e.Warnings[0].Rule != "eviction" || !strings.Contains(e.Warnings[0].Text, "keys had been evicted") || e.Dataset.Rows >= smallKeys {
		t.Errorf("%d keys, warned of %+v", e.Dataset.Rows, e.Warnings)
	}
}
