package validity

import (
	"slices"
	"strings"
	"testing"

	"plinth/internal/record"
)

// pairTrials change the runs of a valid block: disk, memory and nfs.
var pairTrials = []struct {
	name   string
	change func(*Case, []record.Run)
	want   string
	text   string
}{
	{"nothing", func(*Case, []record.Run) {}, "", ""},
	{"one is held back", func(_ *Case, r []record.Run) { r[1].Result.Latency.Mean = 7e6 }, "gap-differs!",
		"the load generator held clients back for 1.25 % of the time in disk and 12.5 % in memory"},
	{"one is held back, and nevertheless faster", func(c *Case, r []record.Run) {
		c.Experiment.Metric = "tps"
		r[1].Result.Latency.Mean, r[1].Result.TPS = 3.5e6, 2*r[1].Result.TPS
	}, "gap-understates", "which is nevertheless faster: the real difference is at least as large as shown"},
	{"one is held back, and faster, by its latency", func(c *Case, r []record.Run) {
		c.Experiment.Metric = "latency"
		r[1].Result.Latency.Mean, r[1].Result.TPS = 3.5e6, 2*r[1].Result.TPS
	}, "gap-differs!", ""},
	{"one is hardly held back", func(_ *Case, r []record.Run) { r[1].Result.Latency.Mean = 7.2e6 }, "", ""},
	{"all are held back", func(_ *Case, r []record.Run) {
		for i := range r {
			r[i].Result.Latency.Mean = 5e6
		}
	}, "", ""},
	{"the window's end may explain it", func(_ *Case, r []record.Run) {
		r[1].Result.Latency.Mean, r[1].Result.Latency.Max = 7e6, 3e9
	}, "", ""},
	{"no gap is known", func(_ *Case, r []record.Run) {
		r[1].Result.Latency.Mean, r[0].Result.Failures = 1e6, 1
	}, "", ""},
	{"connecting is in no latency", func(c *Case, r []record.Run) {
		c.Experiment.Connect, r[1].Result.Latency.Mean = "each", 1e6
	}, "", ""},
	{"one is throttled", func(_ *Case, r []record.Run) { r[2].Evidence.Machine.Throttled = 30 }, "quota-one-side!",
		"a CPU quota withheld 0 % of the CPU time in disk and 12.5 % in nfs"},
	{"one is hardly throttled", func(_ *Case, r []record.Run) { r[2].Evidence.Machine.Throttled = 2.4 }, "", ""},
	{"one is throttled less", func(_ *Case, r []record.Run) {
		r[0].Evidence.Machine.Throttled, r[1].Evidence.Machine.Throttled, r[2].Evidence.Machine.Throttled = 1, 30, 30
	}, "", ""},
	{"the load does not reach the volume that differs", func(c *Case, r []record.Run) {
		differInData(c)
		r[0].Volumes, r[1].Volumes = onData(2), onData(3)
	}, "load-misses-volume", "tpcb-like does fewer than 0.01 reads and writes per transaction on the volumes in which the environments differ (data)"},
	{"it reaches that of one environment", func(c *Case, r []record.Run) {
		differInData(c)
		r[0].Volumes, r[1].Volumes = onData(2), onData(300)
	}, "", ""},
	{"it does not reach a volume that is the same", func(_ *Case, r []record.Run) {
		r[0].Volumes, r[1].Volumes = onData(2), onData(3)
	}, "", ""},
	{"the volumes were not observed", func(c *Case, _ []record.Run) { differInData(c) }, "", ""},
	{"throttling is not known", func(_ *Case, r []record.Run) {
		r[2].Evidence.Machine.Throttled = 30
		r[0].Evidence.Gaps = []record.Gap{{What: "machine.throttled_s", Why: "no cgroup"}}
	}, "", ""},
	{"a checkpoint in one", func(_ *Case, r []record.Run) { r[0].Evidence.Server.Counts[record.CheckpointsTimed] = 1 }, "checkpoint-one-side",
		"a timed checkpoint ran in disk (1) but not in memory, nfs"},
	{"a checkpoint in each", func(_ *Case, r []record.Run) {
		for i := range r {
			r[i].Evidence.Server.Counts[record.CheckpointsTimed] = int64(1 + i)
		}
	}, "", ""},
	{"a checkpoint in one that only read", func(_ *Case, r []record.Run) {
		for i := range r {
			r[i].Workload = "select-only"
		}
		r[0].Evidence.Server.Counts[record.CheckpointsTimed] = 1
	}, "", ""},
	{"autovacuum in two", func(_ *Case, r []record.Run) {
		r[0].Evidence.Server.Counts[record.Autovacuums], r[2].Evidence.Server.Counts[record.Autovacuums] = 1, 3
	}, "autovacuum-one-side", "autovacuum ran in disk (1), nfs (3) but not in memory"},
	{"autovacuum is not known", func(_ *Case, r []record.Run) {
		r[0].Evidence.Server.Counts[record.Autovacuums], r[2].Evidence = 1, nil
	}, "", ""},
	{"autovacuum is not reported", func(_ *Case, r []record.Run) {
		r[0].Evidence.Server.Counts[record.Autovacuums] = 1
		delete(r[2].Evidence.Server.Counts, record.Autovacuums)
	}, "", ""},
	{"the other one failed", func(_ *Case, r []record.Run) {
		r[0].Evidence.Server.Counts[record.CheckpointsTimed] = 1
		r[1].Status, r[2].Status = record.Failed, record.Failed
	}, "", ""},
}

func TestBeside(t *testing.T) {
	for _, try := range pairTrials {
		t.Run(try.name, func(t *testing.T) {
			c, runs := sound(), soundBlock()
			try.change(&c, runs)
			b := Beside(c.Experiment, nil, runs)
			if got := rulesOf(b.Reasons, b.Warnings); got != try.want {
				t.Fatalf("got %q, want %q: %+v", got, try.want, b)
			}
			if all := slices.Concat(b.Reasons, b.Warnings); len(all) > 0 && !strings.Contains(all[0].Text, try.text) {
				t.Errorf("text %q lacks %q", all[0].Text, try.text)
			}
		})
	}
}

func soundBlock() []record.Run {
	var runs []record.Run
	for _, name := range []string{"disk", "memory", "nfs"} {
		run := *sound().Run
		run.Environment = name
		runs = append(runs, run)
	}
	return runs
}

func TestBesideNothing(t *testing.T) {
	for n := range 2 {
		if b := Beside(sound().Experiment, nil, soundBlock()[:n]); b.Reasons != nil || b.Warnings != nil {
			t.Errorf("%d runs: %+v", n, b)
		}
	}
}

// TestBesideKeepsItsInput checks that Beside does not modify its argument, which the runner
// continues to use.
func TestBesideKeepsItsInput(t *testing.T) {
	runs := soundBlock()
	runs[0].Status = record.Failed
	Beside(sound().Experiment, nil, runs)
	if runs[0].Environment != "disk" || runs[2].Environment != "nfs" {
		t.Errorf("the runs were moved: %v", runs)
	}
}

func TestEachPairRuleHasATrial(t *testing.T) {
	broken := map[string]bool{}
	for _, try := range pairTrials {
		broken[strings.TrimSuffix(try.want, "!")] = true
	}
	for _, try := range redisPairTrials {
		broken[try.want] = true
	}
	for _, r := range slices.Concat(pairReasons, pairWarnings) {
		if !broken[r.name] {
			t.Errorf("nothing breaks %s", r.name)
		}
	}
}
