package cli

import (
	"strings"
	"testing"

	"plinth/internal/record"
)

// TestBursts runs a server on CPU credits and on a volume with a burst, both too small for the load: the
// run has the second at which each ended, not before the one that its model expects. A t3.nano sustains a
// tenth of a CPU, and the volume 100 operations a second; 1,500 transactions need more than that and the
// bursts, unless the machine is so busy that the load gets no more than what is earned meanwhile.
func TestBursts(t *testing.T) {
	w := newStorageWorld(t)
	w.file("burst.yaml", `
dataset: {scale: 1}
workloads: [tpcb-like]
clients: 1
threads: 1
transactions: 1500
warmup: 0s
repeats: 1
settings: {max_wal_size: 64MB, min_wal_size: 32MB, shared_buffers: 16MB}
environments:
  credits-*: {limits: {cpu_credits: {instance: t3.nano, balance: 0.001}}}
  volume-*:
    storage:
      data: {emulate: {model: {name: small, read: {median: 1ms}, write: {median: 1ms}, iops: {rate: 100, burst_rate: 2000, burst: 400}}}}
`)
	if out, err := w.bounded(patience, "run", "burst.yaml", "--quiet"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rec := w.record()
	if len(rec.Runs) != 2 {
		t.Fatalf("%d runs", len(rec.Runs))
	}
	for _, run := range rec.Runs {
		if run.Environment == w.environment("credits") {
			checkCredits(t, run)
			continue
		}
		if run.Credits != nil || len(run.Bursts) != 1 {
			t.Errorf("%s: credits %+v, bursts %+v", run.Environment, run.Credits, run.Bursts)
			continue
		}
		// The emulator reports the end. After it, the bucket fills again if the machine is too busy for the load to use the
		// base rate.
		if b := run.Bursts[0]; b.Ended == nil && b.Left <= 0 || b.Left > 1 || b.Volume != "data" || b.Limit != "iops" {
			t.Errorf("the volume's burst: %+v", b)
		}
	}
	out, err := w.bounded(patience, "show", "latest", "--run", w.environment("credits"))
	if err != nil || !strings.Contains(out, "Bursts\n") || !strings.Contains(out, "CPU credits") {
		t.Errorf("%v: the page of the run does not show the credits:\n%s", err, out)
	}
}

func checkCredits(t *testing.T, run record.Run) {
	t.Helper()
	c := run.Credits
	if c == nil || c.Start != 0.001 {
		t.Fatalf("credits %+v", c)
	}
	marks := 0
	for _, m := range run.Telemetry.Marks {
		if m.Kind == "credits-spent" {
			marks++
		}
	}
	if c.Ended == nil {
		if earned := 0.1 * run.Phases.Load; c.Used > 0.06+earned || marks > 0 {
			t.Errorf("the credits did not end: %+v, earned %.3f s, %d marks", *c, earned, marks)
		}
		return
	}
	// A reading of the CPU time is taken ten times a second, or later on a busy machine.
	if c.Expected == nil || *c.Ended < *c.Expected-0.3 || c.Used <= 0.06 {
		t.Errorf("credits %+v", *c)
	}
	if marks != 1 {
		t.Errorf("%d marks of the credits' end: %+v", marks, run.Telemetry.Marks)
	}
}
