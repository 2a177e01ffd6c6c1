package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report"
	"plinth/internal/verdict"
)

// cut is a decided record whose power was cut: the second environment, the quicker
// one, lost what it had acknowledged.
func cut(t *testing.T) *record.Record {
	t.Helper()
	rec := wellDecided(t)
	rec.Summary.Recoveries = map[string]record.Recovery{
		"one-disk":  {Acknowledged: 5645, Found: 5645, Took: 0.91, Mount: 0.1},
		"two-disks": {Acknowledged: 34579, Found: 0, Took: 1.2, Mount: 0.1},
	}
	return rec
}

const (
	lostWords = "two-disks: LOST 34,579 of 34,579 acknowledged transactions in a power cut"
	keptWords = "one-disk: kept all 5,645 acknowledged transactions in a power cut, answered again after 0.9 s"
)

// TestLossIsSaidFirst: before any verdict, wherever one is printed.
func TestLossIsSaidFirst(t *testing.T) {
	rec := cut(t)
	c, err := verdict.Of(rec, verdict.Options{})
	if err != nil {
		t.Fatal(err)
	}
	compared := func(format string) string {
		var b bytes.Buffer
		if err := report.WriteComparison(&b, c, format, report.Options{Width: 120, Records: []*record.Record{rec}}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	f := full(t, rec)
	wide := report.Options{Width: 120}
	for name, text := range map[string]string{
		"run":              write(t, rec, "text", report.Options{Width: 120, Brief: true}),
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
		var got struct{ Recoveries []record.Recovered }
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Recoveries) != 2 || !got.Recoveries[0].Baseline || got.Recoveries[1].Environment != "two-disks" || got.Recoveries[1].Lost() != 34579 {
			t.Errorf("%s: %+v", name, got.Recoveries)
		}
	}
}

// TestLossBetweenRecords names the record, too: the environments are called the same.
func TestLossBetweenRecords(t *testing.T) {
	a, b := wellDecided(t), cut(t)
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

func TestRecoveredLine(t *testing.T) {
	for _, c := range []struct {
		of   record.Recovery
		want string
	}{
		{record.Recovery{Acknowledged: 10, Found: 9, Took: 1}, "a: LOST 1 of 10 acknowledged transactions in a power cut"},
		{record.Recovery{Acknowledged: 1000, Found: 1000, Took: 12.34}, "a: kept all 1,000 acknowledged transactions in a power cut, answered again after 12.3 s"},
		{record.Recovery{Took: 1}, "a: no transaction was acknowledged before the power cut, so nothing is known of what it loses"},
	} {
		if got := report.RecoveredLine(record.Recovered{Environment: "a", Recovery: c.of}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
