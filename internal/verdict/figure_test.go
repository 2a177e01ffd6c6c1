package verdict_test

import (
	"slices"
	"strings"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/metric"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// withFigure gives each run a figure: the baseline's value, multiplied by factor in
// environment memory.
func withFigure(name string, baseline, factor float64) func(*record.Run) {
	return func(run *record.Run) {
		value := baseline * noise(run, 0.01)
		if run.Environment == "memory" {
			value *= factor
		}
		run.Figures = map[string]float64{name: value, "active-sessions": 8}
	}
}

// TestFiguresHaveWords checks that figures get outcomes by their direction; a figure without
// one gets an effect, an interval and a sentence, but no outcome.
func TestFiguresHaveWords(t *testing.T) {
	for _, c := range []struct {
		metric           string
		baseline, factor float64
		word             record.Outcome
		difference       bool
		sentence         string
	}{
		{"wal-sync-latency", 2e6, 0.8, record.Better, false, "less WAL sync latency"},
		{"wal-sync-latency", 2e6, 1, record.Equivalent, false, "WAL sync latency within 3 %"},
		{"tps-lowest", 500, 0.8, record.Worse, false, "less lowest TPS"},
		{"tps-variation", 0.4, 0.5, record.Better, true, "points less TPS variation"},
		{"buffers-backend-over-alloc", 3, 1.5, record.Worse, true, "points more buffers_backend over buffers_alloc"},
		{"cpu-use", 0.5, 1.5, "", true, "points more CPU use"},
		{"commits-per-flush", 8, 1.5, "", false, "more commits per flush"},
		{"wait.IO.WALSync", 0.5, 0.5, "", true, "points less waits for WALSync (IO)"},
	} {
		rec := made(t, file("repeats: 12"), withFigure(c.metric, c.baseline, c.factor))
		got := of(t, rec, verdict.Options{Metrics: []string{c.metric}})
		v := find(t, got.Verdicts, "tpcb-like", "memory", c.metric)
		if v.Outcome != c.word || v.Difference != c.difference || v.Level == 0 || v.Low >= v.High {
			t.Errorf("%s x %g: %+v, want %q", c.metric, c.factor, v, c.word)
		}
		if len(got.Sentences) != 1 || !strings.Contains(got.Sentences[0], c.sentence) || strings.Contains(got.Sentences[0], "verdict") {
			t.Errorf("%s: %q", c.metric, got.Sentences)
		}
		if asked := hasNote(got.Warnings, "not-declared", ""); asked != (c.word != "") || asked != v.Asked {
			t.Errorf("%s: a word was asked for: %v, %+v", c.metric, v.Asked, got.Warnings)
		}
		other := made(t, file("repeats: 12"), withFigure(c.metric, c.baseline, c.factor))
		other.Path = "results/other"
		between, err := verdict.Between(rec, other, verdict.Options{Metrics: []string{c.metric}}, func(_, _ record.Environment) []record.Note { return nil })
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range between.Verdicts {
			if plain := c.word == ""; plain != (v.Outcome == "") || plain == v.Asked || v.Level == 0 {
				t.Errorf("%s between records: %+v", c.metric, v)
			}
		}
	}
}

// TestADeclaredFigureDecides checks that a declared figure decides as TPS does.
func TestADeclaredFigureDecides(t *testing.T) {
	rec := made(t, file("metric: tps-variation", "repeats: 12"), withFigure("tps-variation", 0.4, 0.5))
	got := of(t, rec, verdict.Options{})
	if v := find(t, got.Verdicts, "tpcb-like", "memory", "tps-variation"); v.Outcome != record.Better || !got.Decided() || hasNote(got.Warnings, "not-declared", "") {
		t.Errorf("%+v", v)
	}
}

// TestAGapIsNoNumber checks that a gap costs the block and the verdict, and that the
// warning gives the run's reason.
func TestAGapIsNoNumber(t *testing.T) {
	const reset = ": a run there has no comparable value for WAL sync latency (memory: it was reset), so there is no verdict"
	for _, c := range []struct {
		name   string
		damage func(*record.Run)
		all    bool
		note   string
	}{
		{"a gap in one", func(run *record.Run) {
			run.FigureGaps = []record.Gap{{What: "cpu-use", Why: "something else"}, {What: "wal-sync-latency", Why: "it was reset"}}
		}, false, "1 block is left out" + reset},
		{"an earlier record", func(*record.Run) {}, true,
			"8 blocks are left out: a run there has no comparable value for WAL sync latency (memory: its record does not have this figure), so there is no verdict"},
		{"zero", func(run *record.Run) { run.Figures = map[string]float64{"wal-sync-latency": 0} }, false,
			"1 block is left out: a run there has no comparable value for WAL sync latency (memory: it is 0, and a ratio with 0 is undefined), so there is no verdict"},
		{"damage", func(run *record.Run) { run.Figures = map[string]float64{"wal-sync-latency": -4} }, false,
			"1 block is left out: a run there has no comparable value for WAL sync latency, so there is no verdict"},
	} {
		figures := withFigure("wal-sync-latency", 2e6, 0.5)
		rec := made(t, file("repeats: 8"), func(run *record.Run) {
			figures(run)
			if run.Environment == "memory" && (c.all || run.Repeat == 5) {
				run.Figures = nil
				c.damage(run)
			}
		})
		v := find(t, of(t, rec, verdict.Options{Metrics: []string{"wal-sync-latency"}}).Verdicts, "tpcb-like", "memory", "wal-sync-latency")
		want, n := record.Inconclusive, 7
		if c.all {
			want, n = record.Unfit, 0
		}
		if v.Outcome != want || v.N != n || v.Level != 0 || !hasNote(v.Warnings, "no-number", c.note) {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

// TestSharesOfNothing checks that a share of nothing is a number: of no reads at all, or
// of a wait that never occurred although waits were sampled. Where they were not sampled
// there is a gap.
func TestSharesOfNothing(t *testing.T) {
	const event = "wait.IO.WALSync"
	measure := withFigure(event, 0.5, 1)
	sampled := true
	rec := func() *record.Record {
		return made(t, file("repeats: 8"), func(run *record.Run) {
			if measure(run); run.Environment == "memory" {
				delete(run.Figures, event)
				if !sampled {
					run.FigureGaps = []record.Gap{{What: metric.Wait, Why: "it takes pg_monitor"}}
				}
			}
		})
	}
	v := find(t, of(t, rec(), verdict.Options{Metrics: []string{event}}).Verdicts, "tpcb-like", "memory", event)
	if v.B != 0 || v.N != 8 || v.Effect > -0.45 {
		t.Errorf("%+v", v)
	}
	sampled = false
	v = find(t, of(t, rec(), verdict.Options{Metrics: []string{event}}).Verdicts, "tpcb-like", "memory", event)
	if v.Outcome != record.Unfit || !hasNote(v.Warnings, "no-number", "(memory: it takes pg_monitor)") {
		t.Errorf("%+v", v)
	}
}

// TestAWaitThatNobodyHad checks that a wait event that no run has is refused: it is most
// likely misspelt.
func TestAWaitThatNobodyHad(t *testing.T) {
	rec := made(t, file(), withFigure("wait.IO.WALSync", 0.5, 1))
	_, err := verdict.Of(rec, verdict.Options{Metrics: []string{"wait.IO.WalSynk"}})
	if err == nil || err.Error() != "cannot compare: no run has wait.IO.WalSynk" || hint.Of(err) != "did you mean wait.IO.WALSync?" {
		t.Errorf("%v, hint %q", err, hint.Of(err))
	}
	_, err = verdict.Of(rec, verdict.Options{Metrics: []string{"wait.Lock.tuple"}})
	if err == nil || hint.Of(err) != "plinth show RECORD --run RUN lists the wait events of a run" {
		t.Errorf("%v, hint %q", err, hint.Of(err))
	}
	other := made(t, file(), nil)
	other.Path = "results/other"
	_, err = verdict.Between(other, rec, verdict.Options{Metrics: []string{"wait.Lock.tuple"}}, func(_, _ record.Environment) []record.Note { return nil })
	if err == nil || !strings.Contains(err.Error(), "no run has wait.Lock.tuple") {
		t.Errorf("%v", err)
	}
	// Where nothing was sampled the names of events are unknown: it is a gap.
	got := of(t, other, verdict.Options{Metrics: []string{"wait.Lock.tuple"}})
	if v := find(t, got.Verdicts, "tpcb-like", "memory", "wait.Lock.tuple"); v.Outcome != record.Unfit {
		t.Errorf("%+v", v)
	}
}

// TestNothingInBoth checks that 0 against 0 is no difference, whatever the number of
// blocks, and that 0 against something else gives the reason why there is no ratio.
func TestNothingInBoth(t *testing.T) {
	const metric = "checkpoints"
	zeros := func(but int) func(*record.Run) {
		return func(run *record.Run) {
			run.Figures = map[string]float64{metric: 0}
			if run.Repeat == but && run.Environment == "memory" {
				run.Figures[metric] = 2
			}
		}
	}
	rec := made(t, file("repeats: 8"), zeros(0))
	got := of(t, rec, verdict.Options{Metrics: []string{metric}})
	if v := got.Verdicts[0]; v.Outcome != record.Equivalent || v.N != 8 || v.A != 0 || v.B != 0 || v.Effect != 0 || hasNote(v.Warnings, "no-number", "") {
		t.Errorf("%+v", v)
	}
	if want := "memory: tpcb-like checkpoints within 3 % (0.0 to 0.0 %, 8 blocks): equivalent"; !slices.Contains(got.Sentences, want) {
		t.Errorf("%q, want %q", got.Sentences, want)
	}
	other := made(t, file("repeats: 8"), zeros(0))
	other.Path = "results/other"
	between, err := verdict.Between(rec, other, verdict.Options{Metrics: []string{metric}}, func(_, _ record.Environment) []record.Note { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if v := between.Verdicts[0]; v.Outcome != record.Equivalent || v.A != 0 || v.B != 0 {
		t.Errorf("%+v", v)
	}
	got = of(t, made(t, file("repeats: 8"), zeros(3)), verdict.Options{Metrics: []string{metric}})
	if want := "memory: tpcb-like checkpoints: invalid, 8 blocks are left out: a run there has no comparable value for checkpoints (disk: it is 0, and a ratio with 0 is undefined), so there is no verdict"; got.Sentences[0] != want &&
		got.Sentences[0] != strings.Replace(want, "(disk:", "(memory:", 1) {
		t.Errorf("%q, want %q", got.Sentences, want)
	}
}

// TestWhyThereIsNoNumber checks that the first sentence gives the reason, such as
// telemetry that was off.
func TestWhyThereIsNoNumber(t *testing.T) {
	figures := withFigure("wal-sync-latency", 2e6, 1)
	rec := made(t, file("repeats: 8"), func(run *record.Run) {
		if figures(run); run.Environment == "memory" {
			run.Figures, run.FigureGaps = nil, []record.Gap{{What: "wal-sync-latency", Why: "the run was not observed"}}
		}
	})
	got := of(t, rec, verdict.Options{Metrics: []string{"wal-sync-latency"}})
	if len(got.Sentences) != 1 || !strings.Contains(got.Sentences[0], "(memory: the run was not observed)") || strings.Contains(got.Sentences[0], "have a valid run") {
		t.Errorf("%q", got.Sentences)
	}
}
