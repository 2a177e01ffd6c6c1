//go:build linux

package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"plinth/internal/host/proc"
	"plinth/internal/host/watch"
)

// TestIdlerRest checks that the time of an idle thread is moved out of nice, and that no
// mode decreases, however the two clocks disagree.
func TestIdlerRest(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		i := &idler{}
		var shown, before proc.CPUTicks
		exact, foreign := 0.0, uint64(0)
		raw := proc.CPUTicks{Known: len(proc.ModeNames)}
		raw.Modes[proc.ModeNice], raw.Modes[proc.ModeIdle] = r.Uint64N(1000), r.Uint64N(1000)
		beginning := raw.Modes[proc.ModeNice]
		for step := range 500 {
			ran := float64(r.IntN(100))
			exact += ran
			raw.Modes[proc.ModeNice] += uint64(max(0, ran+float64(r.IntN(5)-2)))
			if r.IntN(10) == 0 { // of another process
				n := r.Uint64N(30)
				raw.Modes[proc.ModeNice] += n
				foreign += n
			}
			i.ran = uint64(exact * 1e9 / proc.Ticks)
			shown = raw
			i.rest(&shown)
			if shown.Modes[proc.ModeNice]+shown.Modes[proc.ModeIdle] != raw.Modes[proc.ModeNice]+raw.Modes[proc.ModeIdle] {
				t.Fatalf("seed %d, step %d: time is lost: %+v of %+v", seed, step, shown, raw)
			}
			if step > 0 && (shown.Modes[proc.ModeNice] < before.Modes[proc.ModeNice] || shown.Modes[proc.ModeIdle] < before.Modes[proc.ModeIdle]) {
				t.Fatalf("seed %d, step %d: %+v after %+v", seed, step, shown, before)
			}
			before = shown
		}
		// What is left is the time of other processes and the initial value; the clocks
		// diverge by the square root of the number of steps.
		want := float64(beginning + foreign)
		if got := float64(shown.Modes[proc.ModeNice]); got < want-150 || got > want+150 {
			t.Errorf("seed %d: nice is %v, want about %v", seed, got, want)
		}
	}
}

// TestAwake checks that on a machine whose CPUs are kept awake, values are what they would
// be otherwise, and that columns only idle CPUs can fill are absent, with a reason.
func TestAwake(t *testing.T) {
	root := t.TempDir()
	tell := func(nice, ran, waited, all int) {
		put(t, root, "proc/stat", fmt.Sprintf("cpu  100 %d 50 1000 7 0 0 3 0 0\ncpu0 100 %d 50 1000 7 0 0 3 0 0\nintr 5\nctxt 6\nprocesses 7\nprocs_running 3\nprocs_blocked 0\n", nice, nice))
		put(t, root, "proc/9/task/10/schedstat", fmt.Sprintf("%d %d 4\n", ran, waited))
		put(t, root, "proc/schedstat", fmt.Sprintf("version 17\ncpu0 0 0 0 0 0 0 1000 %d 5\n", all))
		put(t, root, "proc/pressure/cpu", fmt.Sprintf("some avg10=0 avg60=0 avg300=0 total=%d\n", waited))
		put(t, root, "proc/pressure/io", fmt.Sprintf("some avg10=0 avg60=0 avg300=0 total=%d\n", nice))
	}
	for name, want := range map[string]map[string]float64{
		// In the second between the readings the idler ran for 0.9 s, and another process
		// for 0.1 s.
		"stat":      {"stat.cpu.nice": 0.1, "stat.cpu.idle": 0.9, "stat.cpu0.busy": 0.1, "stat.procs_running": 2},
		"schedstat": {"schedstat.run_delay": 0.25},
		"pressure":  {"pressure.io.some": 0.0001},
	} {
		tell(400, 3e9, 1e9, 2e9)
		r := readings(t, Options{Root: root, Idle: []watch.IdleThread{{CPU: 0, Process: 9, Thread: 10}}}, name)
		_ = r.read()
		tell(500, 39e8, 15e8, 275e7)
		_ = r.read()
		columns, gaps := r.cut()
		r.source.Close()
		for column, value := range want {
			expect(t, columns, column, value)
		}
		for _, column := range map[string][]string{"stat": {"stat.cpu.iowait"}, "pressure": {"pressure.cpu.some"}}[name] {
			if why := reasonOf(gaps, column, 0); why != whyAwake {
				t.Errorf("%s is %v, and not there because %q", column, columns[column], why)
			}
		}
	}
}
