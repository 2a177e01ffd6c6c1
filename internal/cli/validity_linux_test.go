package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plinth/internal/record"
)

// judged runs an experiment of one environment and returns its runs. A negative code accepts any
// exit code.
func (w *faultWorld) judged(text string, code int) []record.Run {
	w.Helper()
	w.write("judged.yaml", text)
	w.start("", "run", "judged.yaml")
	if code < 0 {
		<-w.end // any exit code
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
	w.has(run.Reasons, "rate-missed", "but 1000000 were due")
}

// dearWorkload is a load in which the load generator's single thread does most of the work.
func (w *faultWorld) dearWorkload() string {
	w.Helper()
	w.write("dear.sql", strings.Repeat("\\set x random(1, 1000000) * 7 % 1000 + 1\n", 4000)+"SELECT 1;\n")
	return `
workloads: [{name: dear, file: dear.sql}]
dataset: {scale: 0}
clients: 4
duration: 2s
warmup: 1s
repeats: 1
environments: {one: {}}
`
}

// make measure tests whether the generator shows as busy.
func TestGeneratorIsMeasured(t *testing.T) {
	w := newFaultWorld(t)
	run := w.judged(w.dearWorkload(), 0)[0]
	if g := run.Evidence.Generator; g.Threads != 1 || g.CPU <= 0 || g.Covered <= 0 {
		t.Errorf("the generator, of one thread: %+v\n%s", g, w.said)
	}
}

const besideWriter = `
workloads: [tpcb-like]
dataset: {scale: 1}
clients: 1
duration: 2s
warmup: 0s
repeats: 1
environments: {one: {}}
`

// TestASecondLoadOnTheSameDiskIsSeen lets another process write to the same disk.
func TestASecondLoadOnTheSameDiskIsSeen(t *testing.T) {
	w := newFaultWorld(t)
	w.writeMeanwhile(64 << 10) // in small pieces, so that some fall into each run
	run := w.judged(besideWriter, 0)[0]
	if run.Evidence.Machine.OthersIO <= 0 || slices.ContainsFunc(run.Evidence.Gaps, func(g record.Gap) bool { return g.What == "machine.others_io_bytes" }) {
		t.Errorf("others wrote %d bytes; gaps %+v\n%s", run.Evidence.Machine.OthersIO, run.Evidence.Gaps, w.said)
	}
}

// writeMeanwhile writes to the disk until the test ends, that many bytes at a time.
func (w *faultWorld) writeMeanwhile(bytes int) {
	w.Helper()
	file, err := os.Create(filepath.Join(w.dir, "others"))
	if err != nil {
		w.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	w.Cleanup(func() { close(stop); <-stopped; file.Close() })
	go func() {
		defer close(stopped)
		for data := make([]byte, bytes); ; {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := file.WriteAt(data, 0); err != nil {
				w.Error(err)
				return
			}
			_ = file.Sync() // only the load on the disk matters
		}
	}()
}
