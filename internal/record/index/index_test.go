package index_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/record/index"
)

// verdicts returns a record's verdicts, with these words on its workloads.
func verdicts(words ...record.Outcome) []record.Verdict {
	cell := experiment.Cell{Workload: "w0", Clients: 1, Threads: 1}
	all := []record.Verdict{{Workload: "w0", Cell: &cell, Outcome: record.Unfit, Asked: true}, {Workload: "w0", Outcome: record.Inconclusive}}
	for i, w := range words {
		all = append(all, record.Verdict{
			Workload: fmt.Sprintf("w%d", i), Metric: "tps", Baseline: "one-disk", Other: "two-disks", N: 6, Asked: true, Outcome: w,
			A: 1034.1234567, B: 1203.7654321, Effect: 0.16405, Low: 0.1201234, High: 0.2098765, Level: 0.975, P: 0.03125,
			Warnings: []record.Note{{Rule: "few-blocks", Text: "six blocks are the fewest that can have a verdict", Hint: "raise repeats"}},
		})
	}
	return all
}

// TestEntryIsOfTheSummary checks that an entry has the same fields as the summary that Open
// reads.
func TestEntryIsOfTheSummary(t *testing.T) {
	store := t.TempDir()
	summary := &record.Summary{
		Question: `a "quoted" question } with \ and <script>`, Engine: "redis", Planned: 9,
		Plan:     &record.Plan{Metric: "tps", Margin: 0.03},
		Verdicts: verdicts(record.Better, "", record.Worse, record.Better),
	}
	w, err := record.Create(store, "x", created, summary, []byte("name: x"))
	must(t, err)
	summary.State, summary.Counts = record.Complete, record.Counts{Valid: 3, Invalid: 2, Failed: 1}
	summary.Finished = created.Add(time.Hour)
	must(t, w.Save(summary))
	must(t, w.Close())
	rec, err := record.Open(w.Path())
	must(t, err)
	entries, err := index.List(store)
	must(t, err)
	s := rec.Summary
	want := index.Entry{
		Name: filepath.Base(w.Path()), Path: w.Path(), Words: []record.Outcome{record.Better, record.Worse},
		Heading: record.Heading{
			Question: s.Question, Engine: s.Engine, State: s.State, Planned: s.Planned, Counts: s.Counts,
			Created: s.Created, Finished: s.Finished, Plan: s.Plan, Verdicts: s.Verdicts,
		},
	}
	if len(entries) != 1 || !reflect.DeepEqual(entries[0], want) {
		t.Errorf("entries %+v\nwant %+v", entries, want)
	}
}

// TestIndexReadsOnlyWhatChanged modifies a file without changing its stamp: the index must not
// read it again.
func TestIndexReadsOnlyWhatChanged(t *testing.T) {
	store := storeOf(t, "one")
	file := filepath.Join(store, "one-20261121T031500Z", "record.json")
	old := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(file, old, old))
	known := index.New(store)
	question := func() string {
		entries, err := known.List()
		if err != nil || len(entries) != 1 {
			t.Fatalf("%d entries, %v", len(entries), err)
		}
		return entries[0].Question
	}
	if got := question(); got != "Why one?" {
		t.Fatalf("question is %s", got)
	}
	text, err := os.ReadFile(file)
	must(t, err)
	must(t, os.WriteFile(file, bytes.Replace(text, []byte("Why one?"), []byte("Who one?"), 1), 0o644))
	must(t, os.Chtimes(file, old, old))
	if got := question(); got != "Why one?" {
		t.Errorf("question is %s: a file that looks the same was read again", got)
	}
	must(t, os.Chtimes(file, old.Add(time.Second), old.Add(time.Second)))
	if got := question(); got != "Who one?" {
		t.Errorf("question is %s: a file that changed was not read", got)
	}
}

// TestIndexIsAList checks that, whatever happens to a store, a long-lived index lists the same as
// a new one.
func TestIndexIsAList(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		store := t.TempDir()
		known := index.New(filepath.Join(store, "results"))
		store = filepath.Join(store, "results")
		var writers []*record.Writer
		defer func() {
			for _, w := range writers {
				_ = w.Close() // some are closed, and some records gone
			}
		}()
		pick := func() *record.Writer { return rapid.SampledFrom(writers).Draw(rt, "writer") }
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			what := "create"
			if len(writers) > 0 {
				what = rapid.SampledFrom([]string{"create", "save", "close", "delete", "damage", "nothing"}).Draw(rt, "what")
			}
			switch what {
			case "create":
				summary := &record.Summary{Question: "?", Engine: "postgres"}
				w, err := record.Create(store, "x", created.Add(time.Duration(len(writers)%3)*time.Hour), summary, nil)
				must(t, err)
				writers = append(writers, w)
			case "save": // fails where it is closed or gone
				state := rapid.SampledFrom([]record.State{record.Running, record.Complete}).Draw(rt, "state")
				_ = pick().Save(&record.Summary{State: state, Created: created, Verdicts: verdicts(record.Worse)})
			case "close":
				_ = pick().Close()
			case "delete":
				must(t, os.RemoveAll(pick().Path()))
			case "damage":
				_ = os.WriteFile(filepath.Join(pick().Path(), "record.json"), []byte("{"), 0o644)
			}
			got, err := known.List()
			must(t, err)
			want, err := index.List(store)
			must(t, err)
			if !reflect.DeepEqual(got, want) {
				rt.Fatalf("after %s: index lists %+v\nwant %+v", what, got, want)
			}
		}
	})
}
