package pagetest

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"plinth/internal/record"
)

const (
	twoDisks = "question: Does a WAL device of its own raise write throughput?\nseed: 7\nduration: 20s\nwarmup: 2s\n" +
		"workloads: [select-only, tpcb-like]\nclients: [1, 8]\nthreads: [1, 2]\nrepeats: 6\nsettings: {max_wal_size: 1GB}\n" +
		"environments: {one-disk: {}, two-disks: {storage: {wal: /mnt/nvme1}, settings: {wal_sync_method: open_datasync}}}\n"
	oneDisk = "question: What does this disk do?\nseed: 7\nduration: 20s\nwarmup: 2s\nworkloads: [tpcb-like]\nclients: [1, 8]\nrepeats: 3\nenvironments: {disk: {}}\n"
	short   = "question: Which?\nseed: 7\nduration: 5s\nwarmup: 1s\nworkloads: [tpcb-like]\nclients: [4]\nrepeats: 6\nenvironments: {disk: {}, memory: {}}\n"
)

// recipes are all records there are, beside one that goes on: see Begin.
func recipes() []Recipe {
	return []Recipe{
		{Name: "two", file: twoDisks},
		{Name: "one", file: oneDisk},
		{Name: "three", file: "question: Which of the three?\nseed: 7\nduration: 10s\nwarmup: 1s\nworkloads: [tpcb-like, simple-update]\nclients: [4, 8]\nrepeats: 6\n" +
			"environments: {disk: {}, memory: {}, replicated: {}}\n"},
		{Name: "rate", file: "question: Does it keep up?\nseed: 7\nduration: 10s\nwarmup: 1s\nworkloads: [tpcb-like]\nclients: [16]\nrate: [500, 1000]\nrepeats: 6\n" +
			"environments: {disk: {}, memory: {}}\n"},
		{Name: "empty", file: short, begun: true},
		{Name: "interrupted", file: twoDisks, runs: 21},
		{Name: "invalid", file: short, judge: invalid},
		{Name: "mixed", file: short, judge: someInvalid},
		{Name: "no-telemetry", file: "telemetry: off\n" + short},
		{Name: "large", file: large, wide: 230},
		{Name: "long", file: "question: What happens in an hour?\nseed: 7\nduration: 1h\nwarmup: 2s\nworkloads: [tpcb-like]\nclients: [8]\nrepeats: 1\nenvironments: {disk: {}}\n", shape: spikes},
		{Name: "hostile", file: hostileFile(), judge: hostileRun, edit: hostileEdit},
		{Name: "mysql", file: short, edit: mysql},
		{Name: "later", file: short, edit: later},
	}
}

// large is 540 runs: 2 environments x 3 workloads x 15 cells x 6 repeats.
const large = "question: Does a second disk help, and where?\nseed: 7\nduration: 60s\nwarmup: 1s\nworkloads: [select-only, simple-update, tpcb-like]\n" +
	"clients: [1, 4, 10, 25, 50, 100]\nthreads: [1, 4, 8]\nrepeats: 6\nenvironments: {one-disk: {}, two-disks: {}}\n"

// usual is more TPS with more clients, and 20 % more in every environment but the
// first ones; one run differs from the next by about 1 %.
func usual(id record.RunID) float64 {
	tps := 700 * math.Pow(float64(id.Clients), 0.6)
	if id.Rate > 0 {
		tps = id.Rate
	} else {
		tps *= map[string]float64{"select-only": 9, "simple-update": 1.3}[id.Workload] + 1
		switch id.Environment {
		case "two-disks", "memory", `"><b onmouseover=alert(1)>`:
			if id.Workload != "select-only" {
				tps *= 1.2
			}
		case "replicated":
			tps *= 0.55
		}
	}
	return tps * (1 + 0.01*random(id.Path()).NormFloat64())
}

// random depends on nothing but the key.
func random(key string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(key))
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// checkpointed is slower from second 8 to 12.
func checkpointed(second float64) float64 {
	if second >= 8 && second < 12 {
		return 0.6
	}
	return 1
}

// Spikes are the seconds of the long run in which nothing moved, Burst the one with
// nine times as much: no thinning may hide them.
var (
	Spikes = []float64{611, 1777, 3599}
	Burst  = 2500.0
)

func spikes(second float64) float64 {
	for _, spike := range Spikes {
		if second == spike {
			return 0.002
		}
	}
	if second == Burst {
		return 9
	}
	return 1
}

func invalid(run *record.Run) {
	run.Status = record.Invalid
	run.Reasons = []record.Note{{Rule: "generator-cpu", Text: fmt.Sprintf("the load generator used %d %% of its threads", 97), Hint: "give it more threads"}}
}

// someInvalid leaves a repeat out, and has a run fail.
func someInvalid(run *record.Run) {
	switch {
	case run.Repeat == 2 && run.Environment == "memory":
		invalid(run)
	case run.Repeat == 5 && run.Environment == "disk":
		run.Status, run.Result, run.Telemetry = record.Failed, record.Result{}, nil
		run.Reasons = []record.Note{{Rule: "driver", Text: "pgbench: connection refused", Hint: "see raw/stderr.txt"}}
	}
}
