package cli

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plinth/internal/host/hosttest"
)

// tunedExperiment switches the machine between two environments as often as possible.
const tunedExperiment = `
name: kill
dataset: {scale: 1}
workloads: [select-only]
transactions: 50
warmup: 0s
repeats: 400
seed: 1
allow_host: true
environments:
  one: {}
  two: {tuning: [{vm.vfs_cache_pressure: 90, vm.dirty_expire_centisecs: 2900}]}
`

var switched = []string{"/proc/sys/vm/vfs_cache_pressure", "/proc/sys/vm/dirty_expire_centisecs"}

// TestKillTuned kills plinth, a guard or a server while environments change the machine: plinth
// clean restores all values, whatever was killed.
func TestKillTuned(t *testing.T) {
	hosttest.NeedRoot(t)
	t.Parallel()
	w := newKillWorld(t)
	hosttest.LockKernel(t)
	if err := os.WriteFile(filepath.Join(w.dir, "kill.yaml"), []byte(tunedExperiment), 0o644); err != nil {
		t.Fatal(err)
	}
	before := reading(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var kept map[string]bool
	caught := 0
	for n := range 3 {
		w.begin(n > 0)
		for deadline := time.Now().Add(patience); reading(t) == before; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("the machine is never tuned:\n%s", w.out.String())
			}
		}
		w.strike([]string{"plinth", "guard", "server"}[n], time.Duration(random.Int64N(int64(1500*time.Millisecond))))
		if reading(t) != before {
			caught++
		}
		w.nothingRuns()
		w.plinth("clean")
		if now := reading(t); now != before {
			t.Fatalf("the machine has %q, and had %q", now, before)
		}
		kept = w.keeps(kept)
	}
	w.nothingIsLeft()
	t.Logf("%d of 3 kills were while the machine was tuned, %d finished runs", caught, len(kept))
}

// reading returns the current values of the switched knobs.
func reading(t *testing.T) string {
	t.Helper()
	var all []string
	for _, file := range switched {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.TrimSpace(string(text)))
	}
	return strings.Join(all, " ")
}
