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
	rec.Summary.Durability = map[string]record.Durability{
		"one-disk":  powerCut(record.Strike{Acknowledged: 5645, Found: 5645, Took: 0.91, Mount: 0.1}),
		"two-disks": powerCut(record.Strike{Acknowledged: 34579, Found: 0, Took: 1.2, Mount: 0.1}),
	}
	return rec
}

func powerCut(strikes ...record.Strike) record.Durability {
	return record.Durability{Fault: "power-cut", Of: "primary", Recover: "disk", Strikes: strikes}
}

const (
	lostWords = "two-disks: LOST 34,579 of 34,579 acknowledged writes in a power cut"
	keptWords = "one-disk: kept all 5,645 acknowledged writes in a power cut, answered again after 0.9 s"
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
		var got struct{ Durability []record.Struck }
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Durability) != 2 || !got.Durability[0].Baseline || got.Durability[1].Environment != "two-disks" || got.Durability[1].Lost() != 34579 {
			t.Errorf("%s: %+v", name, got.Durability)
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

func TestStruckLine(t *testing.T) {
	lost := record.Strike{Acknowledged: 10, Found: 8, Took: 1, Back: 0.62}
	kept := record.Strike{Acknowledged: 1000, Found: 1000, Took: 12.34}
	broke := record.Strike{Acknowledged: 10, Took: 1, Broke: "PANIC"}
	with := func(fault, of, recovers string, strikes ...record.Strike) record.Durability {
		return record.Durability{Fault: fault, Of: of, Recover: recovers, Strikes: strikes}
	}
	for want, of := range map[string]record.Durability{
		"a: LOST 2 of 10 acknowledged writes in a power cut, 0.62 s back":                                                             powerCut(lost),
		"a: kept all 1,000 acknowledged writes in a power cut, answered again after 12.3 s":                                           powerCut(kept),
		"a: no write was acknowledged before a power cut, so nothing is known of what it loses":                                       powerCut(record.Strike{Took: 1}),
		"a: LOST acknowledged writes in 1 of 2 kills: 2 in the worst, 1 in the median; up to 0.62 s back":                             with("kill", "primary", "disk", lost, kept),
		"a: kept all 2,000 acknowledged writes in 2 kills of both (its replica took over), answered again after 12.3 s in the median": with("kill", "both", "promote", kept, kept),
		"a: LOST 10 of 10 acknowledged writes in a power cut; it did NOT COME BACK: PANIC":                                            powerCut(broke),
	} {
		if got := report.StruckLine(record.Struck{Environment: "a", Durability: of}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestPoliciesSideBySide: what each lost, and what it means that one lost nothing.
func TestPoliciesSideBySide(t *testing.T) {
	rec := wellDecided(t)
	var never, often []record.Strike
	for i := range 20 {
		never = append(never, record.Strike{Acknowledged: 500, Found: 500, Took: 0.5})
		often = append(often, record.Strike{Acknowledged: 500, Found: 500 - 10*int64(i), Back: 0.05 * float64(i), Took: 0.7})
	}
	rec.Summary.Durability = map[string]record.Durability{"one-disk": powerCut(never...), "two-disks": powerCut(often...)}
	text := full(t, rec).Markdown()
	for _, want := range []string{
		"| one-disk | 20 power cuts | 0 of 20 | 10,000 | 0 | 0 | ", "| 0.50 s |",
		"| two-disks | 20 power cuts | 19 of 20 | 10,000 | 190 | 95 | 0.95 s | 0.47 s | 0.70 s |",
		"None in 20 means that up to 14 % of such strikes may lose some",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestReplicaIsTold: what it stands on, and which of its settings are its own.
func TestReplicaIsTold(t *testing.T) {
	rec := wellDecided(t)
	e := rec.Environments["two-disks"]
	e.Replica = &record.Replica{
		Server: "PostgreSQL", Version: "15.18", Synchronous: true, Settings: map[string]string{"work_mem": "16MB"},
		Volumes: []record.Volume{{Role: "replica data", Filesystem: "xfs"}}, Limits: &record.Limits{CPUs: "3"},
	}
	rec.Environments["two-disks"] = e
	text := full(t, rec).Markdown()
	for _, want := range []string{"replica: work", "16MB", "replica data filesystem", "commits wait for it", "CPUs of the replica"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}
