package cli

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/record"
)

// Two environments with a power cut: one may lose acknowledged transactions, the other may not.
const powerCutExperiment = `
dataset: {scale: 1}
workloads: [simple-update]
duration: 1s
warmup: 0s
repeats: 1
seed: 1
fault: power-cut
emulated_rates: fit
settings: {max_wal_size: 64MB, min_wal_size: 32MB, shared_buffers: 16MB}
environments:
  safe-*:
    storage:
      data: {emulate: gp3, size: 512MiB, latency: 5ms}
      wal: {emulate: sata-ssd, size: 256MiB, iops: 3000, latency: 2ms, filesystem: ext4}
  risky-*:
    storage: {data: {emulate: sata-ssd, size: 512MiB, iops: 3000, latency: 2ms, filesystem: xfs}}
    settings: {synchronous_commit: off, wal_writer_delay: 10s}
`

func TestPowerIsCut(t *testing.T) {
	w := newStorageWorld(t)
	w.file("cut.yaml", powerCutExperiment)
	w.says("run 1 of 2", "run", "cut.yaml")
	w.endedWell(w.ends())
	for _, name := range []string{"safe", "risky"} {
		d := w.record().Summary.Durability[w.environment(name)]
		if len(d.Injections) != 1 || d.Fault != "power-cut" || d.Of != "primary" || d.Recover != "disk" {
			t.Fatalf("the durability of %s: %+v", name, d)
		}
		if s := d.Injections[0]; s.Acknowledged == 0 || s.Found > s.Acknowledged || s.Took <= s.Mount || s.Mount <= 0 || s.Broke != "" {
			t.Errorf("the strike on %s: %+v", name, s)
		}
		switch said := w.said.String(); {
		case d.Lost() > 0 && name == "safe":
			t.Errorf("lost %d of %d acknowledged writes", d.Lost(), d.Acknowledged())
		case d.Lost() > 0 && !strings.Contains(said, w.environment(name)+": LOST "),
			d.Lost() == 0 && !strings.Contains(said, w.environment(name)+": kept all "),
			!strings.Contains(said, " in a power cut, answered in "):
			t.Errorf("%+v is not told:\n%s", d, said)
		}
	}
}

const emulatedExperiment = `
dataset: {scale: 1}
workloads: [simple-update]
duration: 2s
warmup: 0s
repeats: 3
seed: 1
emulated_rates: fit
settings: {max_wal_size: 64MB, min_wal_size: 32MB, shared_buffers: 16MB}
environments:
  one-*: {storage: {data: {emulate: gp3, size: 512MiB, latency: 5ms}}}
`

// The run in which the emulator dies fails for that reason; later ones cannot run.
func TestEmulatorIsKilled(t *testing.T) {
	w := newStorageWorld(t)
	w.file("emulated.yaml", emulatedExperiment)
	w.says("run 1 of 3", "run", "emulated.yaml")
	w.signal(syscall.SIGCONT, loadGenerator) // now the second run is in progress
	w.signal(syscall.SIGKILL, emulates)
	if code := w.ends(); code != 1 {
		t.Errorf("exit code %d:\n%s", code, w.said)
	}
	const cause = "the emulated data device of one-"
	if !strings.Contains(w.said.String(), "plinth: "+cause) {
		t.Errorf("the cause is not told:\n%s", w.said)
	}
	runs := w.runsOf("one")
	if last := runs[len(runs)-1]; last.Status != record.Failed || len(last.Reasons) == 0 || !strings.Contains(last.Reasons[0].Text, cause) {
		t.Errorf("the last run is %s: %+v", last.Status, last.Reasons)
	}
	if state := w.record().Summary.State; state != record.Interrupted {
		t.Errorf("the record is %s", state)
	}
	// The experiment continues where it stopped.
	w.says("  "+w.environment("one")+"  ", "run", "--resume", "latest")
	if code := w.ends(); code != 0 || w.record().Summary.State != record.Complete {
		t.Errorf("exit code %d, the record is %s:\n%s", code, w.record().Summary.State, w.said)
	}
}

// emulates recognises the process of an emulated device.
func emulates(cmdline string) bool {
	return strings.Contains(cmdline, "plinth-emulator ")
}

// Ctrl-C while devices are created, loaded and driven.
func TestInterruptedOnStorage(t *testing.T) {
	for _, words := range []string{"creating one-", "loading one-", "run 1 of 3"} {
		t.Run(words, func(t *testing.T) {
			w := newStorageWorld(t)
			w.file("emulated.yaml", emulatedExperiment)
			w.says(words, "run", "emulated.yaml")
			_ = w.cmd.Process.Signal(syscall.SIGINT)
			if code := w.ends(); code != 130 {
				t.Errorf("exit code %d:\n%s", code, w.said)
			}
		})
	}
}

// If the backing disk is too slow for a device, its runs are invalid.
func TestBackingIsSlower(t *testing.T) {
	w := newStorageWorld(t)
	w.env = []string{allRules}
	dir, _, slow := slowDisk(t, 4*time.Millisecond)
	w.file("slow.yaml", strings.NewReplacer("gp3, size: 512MiB, latency: 5ms", "sata-ssd, size: 320MiB, iops: 3000, backing: "+dir, "repeats: 3", "repeats: 1", "duration: 2s", "duration: 1s").Replace(emulatedExperiment))
	w.says("loading one-", "run", "slow.yaml")
	slow()
	if code := w.ends(); code != 1 {
		t.Errorf("exit code %d:\n%s", code, w.said)
	}
	for _, run := range w.runsOf("one") {
		rules := map[string]bool{}
		for _, reason := range run.Reasons {
			rules[reason.Rule] = true
		}
		if run.Status != record.Invalid || !rules["emulation-unproven"] && !rules["emulation-late"] {
			t.Errorf("a run is %s: %+v", run.Status, run.Reasons)
		}
	}
	if backing := w.describes("one").Volumes[0].Emulation.Backing; !strings.HasPrefix(backing, "ext4 on /dev/loop") {
		t.Errorf("the backing is %s", backing)
	}
}

// A power cut, or a kill of two servers, that plinth does not survive is cleaned up, and resuming
// the experiment injects the missing faults.
func TestKillWhileStriking(t *testing.T) {
	const strikes = `
dataset: {scale: 1}
workloads: [simple-update]
transactions: 100
warmup: 0s
repeats: 1
seed: 1
durability: {fault: power-cut, of: both, recover: promote, times: 2}
emulated_rates: fit
settings: {max_wal_size: 64MB, min_wal_size: 32MB, shared_buffers: 16MB}
environments:
  pair-*:
    storage: {data: {emulate: gp3, size: 320MiB, latency: 5ms}}
    replica: {synchronous: true, storage: {data: {emulate: gp3, size: 320MiB, latency: 5ms}}}
`
	w := newStorageWorld(t)
	w.file("strikes.yaml", strikes)
	w.says("injecting faults into pair-", "run", "strikes.yaml")
	time.Sleep(3 * time.Second) // to a random moment
	w.killed()
	w.cleans()
	w.says("injecting faults into pair-", "run", "--resume", "latest")
	w.endedWell(w.ends())
	d := w.record().Summary.Durability[w.environment("pair")]
	if len(d.Injections) != 2 || d.Of != "both" || d.Recover != "promote" || d.Broke() != "" || d.Acknowledged() == 0 {
		t.Fatalf("%+v", d)
	}
	if d.Lost() > 0 {
		t.Errorf("a synchronous replica has lost %d of %d acknowledged writes", d.Lost(), d.Acknowledged())
	}
}
