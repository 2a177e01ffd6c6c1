package verdict_test

import (
	"fmt"
	"testing"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

// TestWarnings checks that each warning appears exactly where it weakens something.
func TestWarnings(t *testing.T) {
	rec := made(t, file(three, "repeats: 8"), memory(1.2))
	rec.Summary.Warnings = []record.Note{
		{Rule: "governor", Text: "of the whole"},
		{Rule: "parity-settings", Text: "of memory", Environment: "memory"},
		{Rule: "parity-settings", Text: "of nfs", Environment: "nfs"},
		{Rule: record.RuleBlockInvalid, Text: "as it was when the record was saved"},
		{Rule: record.RuleBlockIncomplete, Text: "as it was when the record was saved"},
	}
	for name, environment := range rec.Environments {
		environment.Warnings = []record.Note{{Rule: "checkpoint", Text: "not permitted"}}
		rec.Environments[name] = environment
	}
	c := of(t, rec, verdict.Options{})
	if got, want := texts(c.Warnings), "[of the whole disk: not permitted memory: not permitted nfs: not permitted]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for other, want := range map[string]string{"memory": "[memory: of memory]", "nfs": "[nfs: of nfs]"} {
		if got := texts(parityOf(find(t, c.Verdicts, "tpcb-like", other, "tps"))); got != want {
			t.Errorf("%s: got %s, want %s", other, got, want)
		}
	}
	pair := of(t, rec, verdict.Options{Environments: []string{"disk", "memory"}})
	if got, want := texts(pair.Warnings), "[of the whole disk: not permitted memory: not permitted]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// Two that are not the baseline: notes on either of them against the baseline may
	// apply here.
	pair = of(t, rec, verdict.Options{Environments: []string{"nfs", "memory"}})
	if got, want := texts(parityOf(tps(t, pair))), "[memory: of memory nfs: of nfs]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func parityOf(v record.Verdict) []record.Note {
	var notes []record.Note
	for _, note := range v.Warnings {
		if note.Environment != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

func texts(notes []record.Note) string {
	var all []string
	for _, note := range notes {
		if note.Environment != "" {
			note.Text = note.Environment + ": " + note.Text
		}
		all = append(all, note.Text)
	}
	return fmt.Sprint(all)
}

// TestAMarginAskedForAfterwards checks that a margin other than the declared one gets a
// note.
func TestAMarginAskedForAfterwards(t *testing.T) {
	rec := made(t, file("margin: 0.5%"), memory(1.02))
	for margin, want := range map[float64]bool{0.05: true, 0.005: false} {
		c := of(t, rec, verdict.Options{Margin: &margin})
		if hasNote(c.Warnings, "not-declared", "a margin of 5 % was not declared before the first run (0.5 % was)") != want || (tps(t, c).Outcome == record.Equivalent) != want {
			t.Errorf("%g: %+v", margin, c)
		}
	}
}

// TestNothingIsNotDecided checks that an empty comparison is not decided.
func TestNothingIsNotDecided(t *testing.T) {
	if (&verdict.Comparison{}).Decided() {
		t.Error("nothing was compared")
	}
}
