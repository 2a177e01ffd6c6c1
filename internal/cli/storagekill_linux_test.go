package cli

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// laidOutExperiment uses everything that has to be undone, in one environment.
const laidOutExperiment = `
dataset: {scale: 1, tablespace: fast}
workloads: [simple-update]
transactions: 200
warmup: 0s
repeats: 400
seed: 1
emulated_rates: fit
settings: {max_wal_size: 64MB, min_wal_size: 32MB, shared_buffers: 16MB}
environments:
  kill-*:
    storage:
      data: {emulate: gp3, size: 512MiB, latency: 3ms}
      wal: {emulate: sata-ssd, size: 256MiB, iops: 3000, filesystem: ext4, read_ahead: 64KiB}
      tablespaces: {fast: {file: fast.img, size: 320MiB, filesystem: xfs}}
    limits: {cpus: 1, memory: 512MiB}
    pressure: {write: 1MiB/s}
`

// A plinth that is killed while it creates volumes, loads or drives leaves what its journal
// names; clean shows and removes all of that.
func TestKillOnStorage(t *testing.T) {
	w := newStorageWorld(t)
	w.file("kill.yaml", laidOutExperiment)
	for _, test := range []struct{ words, left string }{
		{"creating kill-" + w.suffix, "directory"},
		{"loading kill-" + w.suffix, "emulated device, loop device, mount, control group"},
		{"run   2 of 40", "emulated device, loop device, mount, control group"},
	} {
		w.says(test.words, "run", "kill.yaml", "--set", "seed=2")
		w.killed()
		w.cleans(strings.Split(test.left, ", ")...)
	}
}

// TestKillOnStorageAtRandom kills at random moments, and every other time resumes the experiment
// instead of running clean. Sometimes it kills an emulated device or the server first.
func TestKillOnStorageAtRandom(t *testing.T) {
	kills := 2
	if text := os.Getenv("PLINTH_KILLS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		kills = max(kills, n/5) // each takes five times as long as one of TestKill
	}
	w := newStorageWorld(t)
	w.file("kill.yaml", laidOutExperiment)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var before map[string]bool
	for n := range kills {
		args := []string{"run", "kill.yaml"}
		if len(before) > 0 {
			args = append(args, "--resume", "latest")
		}
		w.start("", args...)
		after, victim := time.Duration(random.Int64N(int64(8*time.Second))), random.IntN(4)
		select {
		case <-time.After(after):
		case <-w.end:
			t.Fatalf("plinth ended by itself before %v:\n%s", after, w.said)
		}
		t.Logf("kill %d: victim %d after %v", n+1, victim, after)
		w.strikeFirst(victim)
		w.killed()
		if n%2 == 0 || n == kills-1 {
			w.cleans()
		}
		before = w.keeps(before)
	}
	t.Logf("%d kills, %d finished runs, none lost", kills, len(before))
}

// strikeFirst kills an emulated device (0) or a server (1), if there is one, and lets plinth
// continue for a moment.
func (w *storageWorld) strikeFirst(victim int) {
	word := map[int]string{0: "plinth-emulator", 1: "/postgres "}[victim]
	for _, pid := range w.below(w.cmd.Process.Pid) {
		if cmdline := strings.ReplaceAll(fileOf(pid, "cmdline"), "\x00", " "); word != "" && strings.Contains(cmdline, word) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			select {
			case <-time.After(300 * time.Millisecond):
			case <-w.end:
			}
			return
		}
	}
}

// killed kills plinth. All processes that it started must then end on their own.
func (w *storageWorld) killed() {
	w.Helper()
	_ = w.cmd.Process.Kill() // it may have ended already
	<-w.end
	w.note()
	w.nothingRuns()
}

// cleans checks that clean shows what is left, including these kinds, removes all of it, and does
// not hang.
func (w *storageWorld) cleans(kinds ...string) {
	w.Helper()
	shown, err := w.bounded(patience, "clean", "--dry-run")
	if err != nil {
		w.Errorf("clean --dry-run: %v\n%s", err, shown)
	}
	for _, kind := range kinds {
		if !strings.Contains(shown, "\n  "+kind+" ") {
			w.Errorf("clean --dry-run shows no %s:\n%s\nplinth had said:\n%s", kind, shown, w.said)
		}
	}
	if said, err := w.bounded(patience, "clean"); err != nil {
		w.Errorf("clean: %v\n%s", err, said)
	}
	w.nothingIsLaidOut()
	if shown, _ := w.bounded(patience, "clean", "--dry-run"); shown != "nothing was left behind\n" {
		w.Errorf("after clean: %s", shown)
	}
}
