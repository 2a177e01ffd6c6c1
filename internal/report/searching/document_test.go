package searching

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/search"
	"plinth/internal/search/study"
)

// searched is a search of two rounds, which found that commits should not wait for others.
func searched() study.State {
	s := study.State{Schema: study.Schema, Engine: "postgres", Used: 3000}
	s.Request = study.Request{Source: "orders.yaml", For: 3600, Objective: "tps", Start: "oltp", Layers: nil, Restarts: true, Seed: 5}
	s.Space = []search.Dimension{
		{Name: "group commit", Knobs: []string{"commit_delay"}, About: "how long a commit waits for others to share its flush", Ordered: true, Start: 1,
			Levels: []search.Level{{Values: map[string]string{"commit_delay": "0"}, Text: "0", Advised: "pgtune"}, {Text: "925"}}},
		{Name: "background writer", About: "how many dirty buffers are written ahead of backends", Start: 0,
			Knobs:  []string{"bgwriter_delay", "bgwriter_lru_maxpages", "bgwriter_lru_multiplier"},
			Levels: []search.Level{{Text: "200ms / 100 / 2"}, {Values: map[string]string{"bgwriter_delay": "10ms"}, Text: "10ms / 1000 / 10"}}},
		{Name: "shared_buffers", About: "PostgreSQL's own cache", Start: 0,
			Levels: []search.Level{{Text: "512MB"}, {Values: map[string]string{"shared_buffers": "1GB"}, Text: "1GB", Risk: search.Memory}}},
	}
	at := search.Point{1, 0, 0}
	both := []search.Move{{Dimension: 0, From: 1, To: 0}, {Dimension: 1, From: 0, To: 1}}
	s.Rounds = []study.Round{
		{At: at, Moves: both, Record: "round-1", Runs: 24, Estimates: []search.Estimate{{Effect: 0.1, Error: 0.02}, {Effect: -0.04, Error: 0.02}}},
		{At: search.Point{0, 0, 0}, Moves: []search.Move{{Dimension: 2, From: 0, To: 1}}, Failed: "out of memory"},
	}
	s.Excluded = []study.Excluded{{Dimension: 2, Level: 1, Reason: "the server does not start: out of memory"}}
	s.Notes = []string{"Runs take 15s: what comes later is not in them."}
	s.Unfit = []study.Unfit{{Name: "published", Reason: "it needs a filesystem of its own"}}
	return s
}

// confirmed returns a confirmation of what searched found.
func confirmed(outcome record.Outcome) *study.Confirmation {
	v := record.Verdict{Workload: "tpcb-like", Metric: "tps", Effect: 0.08, Low: 0.03, High: 0.13, N: 9, Outcome: outcome}
	return &study.Confirmation{At: search.Point{0, 0, 0}, Different: true, Against: []string{"oltp", "found", "default", "pgtune"}, Repeats: 9,
		Record: "confirmation", Better: outcome == record.Better, Ended: true, Verdicts: []record.Verdict{v},
		Beside:    []record.Verdict{{Workload: "tpcb-like", Metric: "p99", Effect: 0.02, Low: -0.01, High: 0.05, N: 9}},
		Sentences: []string{"found is better than oltp."}}
}

// TestReport compares the report of a search that found something with testdata, as a terminal shows it and as its page does.
func TestReport(t *testing.T) {
	s := searched()
	s.Confirmation = confirmed(record.Better)
	s.Confirmation.NoTime = []string{"published"}
	var text strings.Builder
	if err := Write(&text, s, "text", 80); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, filepath.Join("testdata", "found.txt"), text.String())
	reporttest.Golden(t, filepath.Join("testdata", "found.md"), New(s).Document().Markdown())
	for _, line := range strings.Split(text.String(), "\n") {
		if utf8.RuneCountInString(line) > 80 {
			t.Errorf("wider than 80 columns: %s", line)
		}
	}
}

// TestAnswer: what a search says depends on its confirmation alone.
func TestAnswer(t *testing.T) {
	same := confirmed(record.Inconclusive)
	same.Different, same.Verdicts = false, nil
	begun := confirmed(record.Inconclusive)
	begun.Verdicts, begun.Ended = nil, false
	twin := confirmed(record.Inconclusive)
	twin.Different, twin.Same, twin.Verdicts = false, true, nil
	ahead := confirmed(record.Inconclusive)
	ahead.Ahead = []string{"pgtune"}
	for name, tc := range map[string]struct {
		confirmation *study.Confirmation
		want         string
	}{
		"searching":  {nil, "The search has not ended, and nothing is confirmed."},
		"nothing":    {same, "Nothing better than oltp is known: no value that was tried is better"},
		"confirming": {begun, "What was found is not confirmed yet."},
		"unproven":   {confirmed(record.Inconclusive), "Nothing better than oltp is known: the confirmation does not prove"},
		"better":     {confirmed(record.Better), "What was found is better than oltp, confirmed with new data."},
		"twin":       {twin, "what was found is the same as another tuning on this machine"},
		"ahead":      {ahead, "pgtune. Search from there: --start pgtune."},
	} {
		t.Run(name, func(t *testing.T) {
			s := searched()
			s.Confirmation = tc.confirmation
			var text, asJSON strings.Builder
			if err := Write(&text, s, "text", 200); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text.String(), tc.want) {
				t.Errorf("it lacks %q:\n%s", tc.want, text.String())
			}
			if found := strings.Contains(text.String(), "is better than oltp, confirmed"); found != (name == "better") {
				t.Errorf("a gain is claimed: %v", found)
			}
			if err := Write(&asJSON, s, "json", 80); err != nil || !json.Valid([]byte(asJSON.String())) {
				t.Errorf("JSON: %v\n%s", err, asJSON.String())
			}
		})
	}
}

// TestLatency: less is better, in the words, the numbers and the picture.
func TestLatency(t *testing.T) {
	s := searched()
	s.Objective = "p99"
	s.Confirmation = confirmed(record.Better)
	s.Confirmation.Verdicts[0].Effect, s.Confirmation.Verdicts[0].Low, s.Confirmation.Verdicts[0].High = -0.08, -0.13, -0.03
	r := New(s)
	if first := r.Matters[0]; first.Name != "group commit" || first.Effect >= 0 || first.Low > first.Effect || first.High < first.Effect {
		t.Errorf("what helps most is %+v", first)
	}
	text := r.Document().Markdown()
	for _, want := range []string{"better than oltp, confirmed with new data. tpcb-like: p99 latency -8.0 % (-13.0 % to -3.0 %"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	if html := r.Document().HTML(); !strings.Contains(html, "better") {
		t.Error("the picture lacks its sides")
	}
}

// TestNothingMeasured: the report of a search that was interrupted before its first round has ended.
func TestNothingMeasured(t *testing.T) {
	s := searched()
	s.Rounds, s.Excluded, s.Unfit = nil, nil, nil
	if r := New(s); r.Found != nil || r.Matters == nil || len(r.Matters) > 0 || r.Tried == nil || len(r.Tried) > 0 {
		t.Errorf("%+v", r)
	}
	if text := New(s).Document().Text(80); !strings.Contains(text, "0 rounds with 0 valid runs") || strings.Contains(text, "Estimated from") {
		t.Error(text)
	}
}

// TestRisks: the risks of what was found are named, and of no other value.
func TestRisks(t *testing.T) {
	const risk = "shared_buffers 1GB: a different load may run out of memory (memory)"
	for name, tc := range map[string]struct {
		outcome record.Outcome
		level   int
		want    bool
	}{
		"found":    {record.Better, 1, true},
		"not used": {record.Better, 0, false},
		"unproven": {record.Inconclusive, 1, false},
	} {
		s := searched()
		s.Confirmation = confirmed(tc.outcome)
		s.Confirmation.At[2] = tc.level
		if text := New(s).Document().Text(80); strings.Contains(text, risk) != tc.want {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
