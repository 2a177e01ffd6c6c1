package runner

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/driver"
	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/record"
)

func TestRunsHappenInTheOrderOfTheSchedule(t *testing.T) {
	w := newWorld()
	rec, err := w.start(t, t.TempDir(), twoDisks, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, _, _ := decode.Parse("test.yaml", []byte(twoDisks), t.TempDir(), nil)
	var want []string
	for _, slots := range e.Schedule() {
		for _, slot := range slots {
			want = append(want, "drive "+slot.Environment+" "+slot.Cell.Path())
		}
	}
	var got []string
	for _, event := range w.events {
		if strings.HasPrefix(event, "drive ") {
			got = append(got, event)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("driven in the order\n%v\nscheduled\n%v", got, want)
	}
	if len(rec.Runs) != 16 || rec.Summary.State != record.Complete || rec.Summary.Counts.Valid != 16 {
		t.Errorf("%d runs, state %s, counts %+v; want 16 valid ones, complete", len(rec.Runs), rec.Summary.State, rec.Summary.Counts)
	}
	if w.count("load ") != 2 {
		t.Errorf("datasets were loaded %d times, want once for each environment", w.count("load "))
	}
}

func TestABlockWithAFailedRunIsRepeatedWholeOnceAtItsRepeatsEnd(t *testing.T) {
	w := newWorld()
	var failedCell experiment.Cell
	w.outcome = func(run int, job driver.Job) (*driver.Outcome, error) {
		if run == 3 {
			failedCell = job.Cell
			return nil, errors.New("pgbench: it broke")
		}
		return good(1000), nil
	}
	rec, err := w.start(t, t.TempDir(), twoDisks, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.Runs) != 18 {
		t.Fatalf("%d runs, want 16 and the 2 of the block again", len(rec.Runs))
	}
	for _, again := range rec.Runs[8:10] { // the first repeat has 8 runs
		if again.Attempt != 2 || again.Repeat != 1 || again.Cell != failedCell || again.Status != record.Valid {
			t.Errorf("run %d is %+v, want the second attempt of %v at the end of repeat 1", again.Number, again.RunID, failedCell)
		}
	}
	broken := rec.Runs[2]
	if broken.Status != record.Failed || !strings.HasSuffix(broken.Reasons[0].Text, "pgbench: it broke") {
		t.Errorf("the failed run is kept as %s, %v", broken.Status, broken.Reasons)
	}
	if s := rec.Summary.Samples; len(s) != 8 || len(s[0].TPS) != 2 {
		t.Errorf("samples %+v, want 8 of 2 blocks", s)
	}
}

func TestACellThatNeverHasAValidRunFailsTheExperiment(t *testing.T) {
	w := newWorld()
	w.outcome = func(_ int, job driver.Job) (*driver.Outcome, error) {
		if serverOf(job) == "two" && job.Cell.Workload == "tpcb-like" && job.Cell.Clients == 2 {
			return nil, errors.New("no")
		}
		return good(1000), nil
	}
	rec, err := w.start(t, t.TempDir(), twoDisks, nil)
	var none *NoValidRunError
	if !errors.As(err, &none) || len(none.Cells) != 1 || !strings.Contains(none.Cells[0], "tpcb-like") {
		t.Fatalf("error %v, want one cell without a valid block", err)
	}
	if rec.Summary.State != record.Complete || len(rec.Runs) != 20 {
		t.Errorf("state %s with %d runs; want complete, each bad block driven twice", rec.Summary.State, len(rec.Runs))
	}
}

func TestARunInWhichTheClockIsSteppedIsDrivenAgain(t *testing.T) {
	w := newWorld()
	w.outcome = func(run int, _ driver.Job) (*driver.Outcome, error) {
		if run == 3 {
			w.clock -= time.Hour
		}
		return good(1000), nil
	}
	rec, err := w.start(t, t.TempDir(), twoDisks, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.Runs) != 18 {
		t.Fatalf("%d runs, want 16 and the 2 of the block again", len(rec.Runs))
	}
	stepped := rec.Runs[2]
	if stepped.Status != record.Failed || stepped.Reasons[0].Rule != "clock" ||
		stepped.Reasons[0].Text != "the clock was stepped by -1h0m0s during the run" {
		t.Errorf("the run is %s, %v", stepped.Status, stepped.Reasons)
	}
}

func TestAnInvalidRunIsNotAFailedOne(t *testing.T) {
	w := newWorld()
	w.outcome = func(run int, _ driver.Job) (*driver.Outcome, error) {
		out := good(1000)
		if run == 1 {
			out.Problems = []record.Note{{Rule: "log-disagrees", Text: "counts differ"}}
		}
		return out, nil
	}
	rec, err := w.start(t, t.TempDir(), twoDisks, nil)
	if err != nil {
		t.Fatal(err)
	}
	if first := rec.Runs[0]; first.Status != record.Invalid || first.Result.TPS != 1000 || first.Reasons[0].Rule != "log-disagrees" {
		t.Errorf("first run: %s %v", first.Status, first.Reasons)
	}
}

func TestInterruptedThenResumed(t *testing.T) {
	store := t.TempDir()
	w := newWorld()
	w.outcome = func(run int, _ driver.Job) (*driver.Outcome, error) {
		if run == 4 { // the second run of the second block
			w.cancel()
		}
		return good(1000), nil
	}
	rec, err := w.start(t, store, twoDisks, nil)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want context.Canceled", err)
	}
	if len(rec.Runs) != 3 || rec.Summary.State != record.Interrupted {
		t.Fatalf("%d runs, %s; want the 3 finished ones, interrupted", len(rec.Runs), rec.Summary.State)
	}
	cut := rec.Runs[2]

	w = newWorld()
	rec, err = w.start(t, store, twoDisks, rec)
	if err != nil {
		t.Fatal(err)
	}
	if w.driven != 14 {
		t.Errorf("%d runs driven on resuming, want the 7 blocks that were not finished", w.driven)
	}
	whole := 0
	for _, run := range rec.Runs {
		if run.Cell == cut.Cell && run.Repeat == cut.Repeat && run.Attempt == 2 {
			whole++
		}
	}
	if whole != 2 || rec.Summary.State != record.Complete || len(rec.Runs) != 17 {
		t.Errorf("the cut block was driven again with %d runs, state %s, %d runs in all", whole, rec.Summary.State, len(rec.Runs))
	}
	if names := rec.Summary.Warnings; !slices.ContainsFunc(names, func(n record.Note) bool { return n.Rule == "reloaded" }) {
		t.Errorf("warnings %v do not say that the datasets were loaded anew", names)
	}
}

func TestResumeRefusesAnEditedExperimentAndAnotherMachine(t *testing.T) {
	store := t.TempDir()
	w := newWorld()
	w.outcome = func(run int, _ driver.Job) (*driver.Outcome, error) {
		if run == 4 {
			w.cancel()
		}
		return good(1000), nil
	}
	rec, _ := w.start(t, store, twoDisks, nil)
	edited, _, err := decode.Parse("test.yaml", []byte(strings.Replace(twoDisks, "duration: 1s", "duration: 2s", 1)), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var input *InputError
	if err := resumable(rec, edited); !errors.As(err, &input) || !strings.Contains(err.Error(), "duration") {
		t.Errorf("edited experiment: %v, want an InputError that names duration", err)
	}
	same, _, _ := decode.Parse("test.yaml", []byte(twoDisks), "", nil)
	if err := resumable(rec, same); err != nil {
		t.Errorf("the same experiment on the same machine: %v", err)
	}
	rec.Summary.LeftOut = []record.LeftOut{{Environment: "three"}} // it equals another one here
	more, _, err := decode.Parse("test.yaml", []byte(strings.Replace(twoDisks, "two: {}", "two: {}, three: {}", 1)), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	leaveOut(more, rec.Summary.LeftOut)
	if err := resumable(rec, more); err != nil || len(more.Environments) != 2 {
		t.Errorf("with an environment that was left out: %v, %d environments", err, len(more.Environments))
	}
	w.facts.Kernel = "6.2"
	r := newRunner(Options{Experiment: same}, &silent{})
	r.site = w.site(same)
	var changed *MachineChangedError
	if err := r.sameMachines(t.Context(), rec.Summary); !errors.As(err, &changed) {
		t.Errorf("another kernel: %v, want a MachineChangedError", err)
	}
}

func TestTheMachineChangesInMidExperiment(t *testing.T) {
	w := newWorld()
	w.outcome = func(run int, _ driver.Job) (*driver.Outcome, error) {
		if run == 8 {
			w.facts.CPUs = 1
		}
		return good(1000), nil
	}
	rec, err := w.start(t, t.TempDir(), twoDisks, nil)
	var changed *MachineChangedError
	if !errors.As(err, &changed) {
		t.Fatalf("error %v, want a MachineChangedError", err)
	}
	if len(rec.Runs) != 8 || rec.Summary.State != record.Interrupted {
		t.Errorf("%d runs, %s; want the first repeat, interrupted", len(rec.Runs), rec.Summary.State)
	}
}

func TestWhatCannotBePutBackIsSaid(t *testing.T) {
	w := newWorld()
	w.stuck = "two"
	_, err := w.start(t, t.TempDir(), twoDisks, nil)
	var putBack *PutBackError
	if !errors.As(err, &putBack) || !strings.Contains(err.Error(), "two does not go away") {
		t.Fatalf("error %v, want a PutBackError", err)
	}
	if w.count("remove one") != 1 {
		t.Error("the other environment was not removed")
	}
}
