package runner

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plinth/internal/driver"
	"plinth/internal/experiment/decode"
	"plinth/internal/host"
	"plinth/internal/record"
)

// untilDecided plans twenty blocks of one cell, with looks at 8, 12 and 20.
const untilDecided = `
name: until-decided
workloads: [tpcb-like]
repeats: 20
seed: 7
duration: 1s
warmup: 0s
stop: decided
environments: {one: {}, two: {}}
`

// apart makes environment two faster by a factor, with some noise in each run.
func apart(factor float64) func(run int, job driver.Job) (*driver.Outcome, error) {
	return func(run int, job driver.Job) (*driver.Outcome, error) {
		tps := 1000 + float64(run*37%17)
		if serverOf(job) == "two" {
			tps *= factor
		}
		return good(tps), nil
	}
}

func TestAnExperimentEndsAtTheFirstLookThatDecides(t *testing.T) {
	w := newWorld()
	w.outcome = apart(1.2)
	rec, err := w.start(t, t.TempDir(), untilDecided, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := rec.Summary
	if len(rec.Runs) != 16 || s.State != record.Complete || s.Reason != "decided at the look after repeat 8" {
		t.Errorf("%d runs, %s, %q; want 8 repeats of 2", len(rec.Runs), s.State, s.Reason)
	}
	if v := s.Verdicts[0]; v.Outcome != record.Better || v.N != 8 || v.Level != 0.99 {
		t.Errorf("verdict %+v, want better at 8 blocks and 99 %%", v)
	}
}

func TestInconclusiveDecidesNothing(t *testing.T) {
	w := newWorld()
	random := rand.New(rand.NewPCG(1, 2))
	w.outcome = func(int, driver.Job) (*driver.Outcome, error) { return good(1000 * (1 + random.Float64())), nil }
	rec, err := w.start(t, t.TempDir(), untilDecided, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.Runs) != 40 || rec.Summary.Verdicts[0].Outcome != record.Inconclusive {
		t.Errorf("%d runs, %+v; want all 40, inconclusive", len(rec.Runs), rec.Summary.Verdicts[0])
	}
}

func TestWithoutStopThePlanIsRunToItsEnd(t *testing.T) {
	w := newWorld()
	w.outcome = apart(1.2)
	rec, err := w.start(t, t.TempDir(), strings.Replace(untilDecided, "stop: decided", "stop: end", 1), nil)
	if err != nil || len(rec.Runs) != 40 || rec.Summary.Verdicts[0].N != 20 {
		t.Errorf("%d runs, %v, %+v; want all 40", len(rec.Runs), err, rec.Summary.Verdicts)
	}
}

func TestThePlanStandsInTheRecordBeforeTheFirstRun(t *testing.T) {
	store := t.TempDir()
	w := newWorld()
	var before string
	w.outcome = func(run int, job driver.Job) (*driver.Outcome, error) {
		if run == 1 {
			files, _ := filepath.Glob(filepath.Join(store, "*", "record.json"))
			text, _ := os.ReadFile(files[0])
			before = string(text)
		}
		return apart(1.2)(run, job)
	}
	rec, err := w.start(t, store, untilDecided, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"looks"`, `"units": 8`, `"units": 12`, `"units": 20`, `"alpha": 0.025`, `"unit": "block"`} {
		if !strings.Contains(before, want) {
			t.Errorf("record.json at the first run lacks %s", want)
		}
	}
	declared := record.DeclaredFingerprint(rec.ExperimentYAML, rec.Summary.Plan)
	for _, run := range rec.Runs {
		if run.Declared != declared {
			t.Fatalf("run %d was declared as %s, want %s", run.Number, run.Declared, declared)
		}
	}
}

func TestDatasetsAreLoadedAnewInEachRepeat(t *testing.T) {
	w := newWorld()
	text := strings.Replace(twoDisks, "repeats: 2", "repeats: 3\ndataset: {reload: repeat}", 1)
	rec, err := w.start(t, t.TempDir(), text, nil)
	if err != nil {
		t.Fatal(err)
	}
	if w.count("load ") != 6 {
		t.Errorf("loaded %d times, want once for each environment and repeat", w.count("load "))
	}
	if rec.Summary.Plan.Unit != "repeat" {
		t.Errorf("the unit is a %s: all blocks of a repeat share its loads", rec.Summary.Plan.Unit)
	}
	var reloads []int
	for _, run := range rec.Runs {
		if run.Phases.Reload > 0 {
			reloads = append(reloads, run.Number)
		}
	}
	if !slices.Equal(reloads, []int{9, 17}) {
		t.Errorf("runs %v say that datasets were loaded before them, want the first of repeats 2 and 3", reloads)
	}
}

func TestARunWithFailedTransactionsIsDrivenAgain(t *testing.T) {
	w := newWorld()
	w.outcome = func(run int, _ driver.Job) (*driver.Outcome, error) {
		out := good(1000)
		if run == 3 {
			out.Result.Failures = 1
		}
		return out, nil
	}
	rec, err := w.start(t, t.TempDir(), twoDisks, nil)
	if err != nil {
		t.Fatal(err)
	}
	if bad := rec.Runs[2]; len(rec.Runs) != 18 || bad.Status != record.Invalid || bad.Reasons[0].Rule != "failures" {
		t.Errorf("%d runs, the third is %s, %v", len(rec.Runs), bad.Status, bad.Reasons)
	}
}

func TestABlockWhoseRunsCannotBeComparedIsLeftOutAndNotDrivenAgain(t *testing.T) {
	w := newWorld()
	w.outcome = func(run int, job driver.Job) (*driver.Outcome, error) {
		out := good(1000) // 1000/s at 1 ms keep one client busy
		out.Result.Latency.Mean = 1e6 * float64(job.Cell.Clients)
		if run == 1 {
			out.Result.Latency.Mean *= 0.7
		}
		return out, nil
	}
	rec, err := w.start(t, t.TempDir(), twoDisks, nil)
	if err != nil {
		t.Fatal(err)
	}
	beside := rec.Runs[1].Beside
	if len(rec.Runs) != 16 || beside == nil || beside.Reasons[0].Rule != "gap-differs" {
		t.Fatalf("%d runs, beside %+v; want 16, the first block voided", len(rec.Runs), beside)
	}
	if rec.Runs[0].Status != record.Valid || rec.Runs[0].Beside != nil {
		t.Errorf("the first run of the block is %s, %+v; it is valid by itself", rec.Runs[0].Status, rec.Runs[0].Beside)
	}
	blocks := 0
	for _, s := range rec.Summary.Samples {
		blocks += len(s.Repeats)
	}
	if blocks != 14 {
		t.Errorf("samples hold %d runs, want 14: both of the voided block are left out", blocks)
	}
}

func TestARecordWhosePlanWasEditedIsNotResumed(t *testing.T) {
	store := t.TempDir()
	w := newWorld()
	w.outcome = func(run int, _ driver.Job) (*driver.Outcome, error) {
		if run == 5 {
			w.cancel()
		}
		return good(1000), nil
	}
	rec, _ := w.start(t, store, twoDisks, nil)
	rec.Summary.Plan.Looks[0].Alpha = 0.5
	e, _, err := decode.Parse("test.yaml", []byte(twoDisks), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	err = resumable(rec, e)
	if err == nil || !strings.Contains(err.Error(), "its plan (looks, margin or metric) was edited") {
		t.Errorf("error %v", err)
	}
}

func TestWhatWasSeenAroundARunIsItsEvidence(t *testing.T) {
	w := newWorld()
	w.conditions = host.Conditions{"governor": "performance"}
	w.activity.Counts = map[string]int64{record.CheckpointsTimed: 0, record.CheckpointsRequested: 0, record.Autovacuums: 0}
	w.outcome = func(run int, _ driver.Job) (*driver.Outcome, error) {
		counts := maps.Clone(w.activity.Counts)
		counts[record.CheckpointsRequested] = int64(run)
		switch run {
		case 3:
			w.conditions["governor"] = "powersave"
		case 5:
			counts[record.Autovacuums] += 2
			w.activity.Busy = map[string]int64{record.Autovacuums: 1}
		case 6:
			w.activity.Busy = nil
		case 7:
			delete(counts, record.CheckpointsTimed)
		}
		w.activity.Counts = counts
		return good(1000), nil
	}
	rec, err := w.start(t, t.TempDir(), twoDisks, nil)
	if err != nil {
		t.Fatal(err)
	}
	touched := rec.Runs[2]
	if touched.Status != record.Invalid || touched.Reasons[0].Rule != "machine-touched" ||
		!slices.Equal(touched.Evidence.Changed, []string{"governor: performance then, powersave now"}) {
		t.Errorf("run 3 is %s, %v", touched.Status, touched.Reasons)
	}
	want := map[string]int64{record.CheckpointsTimed: 0, record.CheckpointsRequested: 1, record.Autovacuums: 3}
	if e := rec.Runs[4].Evidence; !maps.Equal(e.Server.Counts, want) || !maps.Equal(e.Neighbours[0].Counts, want) {
		t.Errorf("run 5 has %+v; want %v on each server: two that ended, one at work", e, want)
	}
	if e := rec.Runs[5].Evidence; e.Server.Counts[record.Autovacuums] != 0 {
		t.Errorf("run 6 has %+v; want no autovacuum", e.Server)
	}
	if counts := rec.Runs[6].Evidence.Server.Counts; len(counts) != 2 {
		t.Errorf("run 7 has %v; want no count of timed checkpoints, which the server does not tell", counts)
	}
}
