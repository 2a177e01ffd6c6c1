package record_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plinth/internal/experiment"
	"plinth/internal/record"
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
	entries, err := record.List(store)
	must(t, err)
	s := rec.Summary
	want := record.Entry{
		Name: filepath.Base(w.Path()), Path: w.Path(), Question: s.Question, Engine: s.Engine, State: s.State, Planned: s.Planned,
		Counts: s.Counts, Created: s.Created, Finished: s.Finished, Plan: s.Plan, Verdicts: s.Verdicts,
		Words: []record.Outcome{record.Better, record.Worse},
	}
	if len(entries) != 1 || !reflect.DeepEqual(entries[0], want) {
		t.Errorf("entries %+v\nwant %+v", entries, want)
	}
}

// TestListDamage checks that List is as strict as Open about the fields that it reads.
func TestListDamage(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage damage
		want   string
	}{
		{"empty", write("record.json", ""), "record.json: unexpected end"},
		{"half", halve("record.json"), "record.json: unexpected end"},
		{"another kind", write("record.json", `{"schema":"other/v1"}`), `record.json: its schema is "other/v1"`},
		{"no schema", write("record.json", `{}`), `record.json: its schema is ""`},
		{"a list", write("record.json", `[]`), "record.json: not valid JSON"},
		{"text after it", replace("record.json", "}\n", "} x\n"), "record.json: "},
		{"unknown state", replace("record.json", `"running"`, `"asleep"`), `record.json: state is "asleep"`},
		{"a later one that does not fit", write("record.json", `{"question":7,"schema":"plinth/record/v2"}`), "written by a newer version of plinth"},
		{"huge", grow("record.json", 65<<20), "record.json: too large: 68157440 bytes"},
		{"a directory", becomeDir("record.json"), "record.json: not a regular file"},
		{"a symlink", become(symlink, "record.json"), "record.json: neither a file"},
		{"a FIFO", become(fifo, "record.json"), "record.json: neither a file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := storeOf(t, "good", "bad")
			c.damage(t, filepath.Join(store, "bad-20261121T041500Z"))
			entries, err := record.List(store)
			if err != nil || len(entries) != 2 {
				t.Fatalf("%d entries, %v", len(entries), err)
			}
			bad := entries[slices.IndexFunc(entries, func(e record.Entry) bool { return strings.HasPrefix(e.Name, "bad") })]
			if !strings.Contains(bad.Damage, c.want) || bad.Question != "" || bad.Created.IsZero() || bad.Later != strings.HasPrefix(c.name, "a later") {
				t.Errorf("entry %+v\nwant damage ... %s", bad, c.want)
			}
		})
	}
}

// TestIndexReadsOnlyWhatChanged modifies a file without changing its stamp: the index must not
// read it again.
func TestIndexReadsOnlyWhatChanged(t *testing.T) {
	store := storeOf(t, "one")
	file := filepath.Join(store, "one-20261121T031500Z", "record.json")
	old := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(file, old, old))
	index := record.NewIndex(store)
	question := func() string {
		entries, err := index.List()
		if err != nil || len(entries) != 1 {
			t.Fatalf("%d entries, %v", len(entries), err)
		}
		return entries[0].Question
	}
	if got := question(); got != "Why one?" {
		t.Fatalf("question is %s", got)
	}
	replace("one-20261121T031500Z/record.json", "Why one?", "Who one?")(t, store)
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
		index := record.NewIndex(filepath.Join(store, "results"))
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
			got, err := index.List()
			must(t, err)
			want, err := record.List(store)
			must(t, err)
			if !reflect.DeepEqual(got, want) {
				rt.Fatalf("after %s: index lists %+v\nwant %+v", what, got, want)
			}
		}
	})
}
