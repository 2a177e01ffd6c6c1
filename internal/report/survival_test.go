package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/summary"
	"plinth/internal/verdict"
)

// cut returns a decided record with a power cut, in which the second, faster environment lost
// acknowledged writes.
func cut(t *testing.T) *record.Record {
	t.Helper()
	rec := reporttest.WellDecided(t)
	rec.Summary.Durability = map[string]record.Durability{
		"one-disk":  powerCut(record.Injection{Acknowledged: 5645, Found: 5645, Took: 0.91, Mount: 0.1}),
		"two-disks": powerCut(record.Injection{Acknowledged: 34579, Found: 0, Took: 1.2, Mount: 0.1}),
	}
	return rec
}

func powerCut(faults ...record.Injection) record.Durability {
	return record.Durability{Fault: "power-cut", Of: "primary", Recover: "disk", Injections: faults}
}

const (
	lostWords = "two-disks: LOST 34,579 of 34,579 acknowledged writes in a power cut"
	keptWords = "one-disk: kept all 5,645 acknowledged writes in a power cut, answered again after 0.9 s"
)

func write(t *testing.T, rec *record.Record, format string, opts summary.Options) string {
	t.Helper()
	var b strings.Builder
	if err := summary.Write(&b, rec, format, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestLossIsSaidFirst checks that every output reports a loss before any verdict.
func TestLossIsSaidFirst(t *testing.T) {
	rec := cut(t)
	c, err := verdict.Of(rec, verdict.Options{})
	if err != nil {
		t.Fatal(err)
	}
	compared := func(format string) string {
		var b bytes.Buffer
		if err := summary.WriteComparison(&b, c, format, summary.Options{Width: 120, Records: []*record.Record{rec}}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	f := full(t, rec)
	wide := summary.Options{Width: 120}
	for name, text := range map[string]string{
		"run":              write(t, rec, "text", summary.Options{Width: 120, Brief: true}),
		"show":             write(t, rec, "text", wide),
		"show, markdown":   write(t, rec, "markdown", wide),
		"compare":          compared("text"),
		"compare markdown": compared("markdown"),
		"report.md":        f.Markdown(),
		"report.html":      bodyHTML(f),
	} {
		lost, kept := strings.Index(text, lostWords), strings.Index(text, keptWords)
		rest := strings.IndexAny(strings.ReplaceAll(text, "TPC-B", ""), "%") // the first effect or table
		if lost < 0 || kept < lost || rest >= 0 && rest < kept {
			t.Errorf("%s: the loss at %d, what was kept at %d, the first effect at %d:\n%.2000s", name, lost, kept, rest, text)
		}
		if strings.Count(text, lostWords) != 1 {
			t.Errorf("%s: the loss is said %d times", name, strings.Count(text, lostWords))
		}
	}
	for name, text := range map[string]string{"show": write(t, rec, "json", wide), "compare": compared("json")} {
		var got struct{ Durability []record.Survival }
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Durability) != 2 || !got.Durability[0].Baseline || got.Durability[1].Environment != "two-disks" || got.Durability[1].Lost() != 34579 {
			t.Errorf("%s: %+v", name, got.Durability)
		}
	}
}

// TestLossBetweenRecords checks that the record is named, too: the environments have the same
// names.
func TestLossBetweenRecords(t *testing.T) {
	a, b := reporttest.WellDecided(t), cut(t)
	a.Path, b.Path = "results/before", "results/after"
	c, err := verdict.Between(a, b, verdict.Options{}, func(_, _ record.Environment) []record.Note { return nil })
	if err != nil {
		t.Fatal(err)
	}
	f, err := report.NewComparison(c, a, b)
	if err != nil {
		t.Fatal(err)
	}
	if text := f.Markdown(); strings.Count(text, "after/"+lostWords) != 1 {
		t.Errorf("the loss is not said once, of its record:\n%s", text)
	}
}
