package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/validity"
)

// judged runs an experiment of one environment and returns its runs. A code below
// zero stands for any.
func (w *faultWorld) judged(text string, code int) []record.Run {
	w.Helper()
	w.write("judged.yaml", text)
	w.start("", "run", "judged.yaml")
	if code < 0 {
		<-w.end // as it may
	} else {
		w.exits(code)
	}
	return w.record().Runs
}

func (w *faultWorld) write(name, text string) {
	w.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

func (w *faultWorld) has(notes []record.Note, rule, words string) {
	w.Helper()
	for _, note := range notes {
		if note.Rule == rule && strings.Contains(note.Text, words) {
			return
		}
	}
	w.Errorf("no %s with %q among %+v\n%s", rule, words, notes, w.said)
}

// A single thread that computes between its transactions is all that is
// measured: the server waits for it. Whether a core was idle meanwhile is up to the
// other tests, so the run is judged once more as on a machine with cores to spare.
func TestAStarvedGeneratorMeasuresItself(t *testing.T) {
	w := newFaultWorld(t)
	w.write("dear.sql", strings.Repeat("\\set x random(1, 1000000) * 7 % 1000 + 1\n", 4000)+"SELECT 1;\n")
	run := w.judged(`
workloads: [{name: dear, file: dear.sql}]
dataset: {scale: 0}
clients: 4
duration: 2s
warmup: 1s
repeats: 1
environments: {one: {}}
`, -1)[0]
	e := run.Evidence
	if busy := (e.Generator.CPU + e.Generator.Waiting) / e.Generator.Covered; e.Generator.Threads != 1 || busy < 0.9 || busy > 1.2 {
		t.Errorf("the generator: %+v in %.2f s, busy for %.0f %%", e.Generator, e.Covered, 100*busy)
	}
	e.Machine.CPUs = 8
	e.Machine.Idle += 6 * e.Covered
	reasons, _ := validity.Judge(validity.Case{Experiment: &experiment.Experiment{Connect: "once"}, Run: &run})
	w.has(reasons, "generator-saturated", "1 thread of the load generator")
}

func TestFailedTransactionsVoidARun(t *testing.T) {
	const contended = `
workloads: [tpcb-like]
dataset: {scale: 1}
clients: 8
duration: 2s
warmup: 0s
repeats: 1
settings: {default_transaction_isolation: repeatable read}
environments: {one: {}}
`
	w := newFaultWorld(t)
	runs := w.judged(contended, 1)
	w.has(runs[0].Reasons, "failures", "failed")
	if len(runs) != 2 || runs[1].Attempt != 2 || runs[1].Status != record.Invalid {
		t.Errorf("%d runs; want the block driven twice, invalid", len(runs))
	}
	w.plinth("show", "latest")

	expected := w.judged(contended+"expect_failures: true\n", 0)
	if len(expected) != 1 || expected[0].Status != record.Valid || expected[0].Result.Failures == 0 {
		t.Errorf("expected failures: %+v", expected)
	}
}

func TestARateThatIsMissedVoidsARun(t *testing.T) {
	w := newFaultWorld(t)
	run := w.judged(`
workloads: [select-only]
dataset: {scale: 1}
rate: 1000000
duration: 2s
warmup: 0s
repeats: 1
environments: {one: {}}
`, 1)[0]
	w.has(run.Reasons, "rate-missed", "where 1")
}

// Somebody else writes to the same disk.
func TestASecondLoadOnTheSameDiskIsSeen(t *testing.T) {
	w := newFaultWorld(t)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		w.writeUntil(stop)
	}()
	runs := w.judged(`
workloads: [tpcb-like]
dataset: {scale: 1}
clients: 1
duration: 2s
warmup: 0s
repeats: 1
environments: {one: {}}
`, 0)
	close(stop)
	<-stopped
	if slices.ContainsFunc(runs[0].Evidence.Gaps, func(g record.Gap) bool { return g.What == "machine.others_io_bytes" }) {
		t.Errorf("what others wrote could not be read: %+v", runs[0].Evidence.Gaps)
	}
	w.has(runs[0].Warnings, "others-io", "processes that are no part of the experiment")
}

// writeUntil writes to the disk until it is told to stop.
func (w *faultWorld) writeUntil(stop chan struct{}) {
	file, err := os.Create(filepath.Join(w.dir, "others"))
	if err != nil {
		w.Error(err)
		return
	}
	defer file.Close()
	for data := make([]byte, 4<<20); ; {
		select {
		case <-stop:
			return
		default:
		}
		if _, err := file.WriteAt(data, 0); err != nil {
			w.Error(err)
			return
		}
		_ = file.Sync() // what counts is that the disk is busy
	}
}
