package figure_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/figure"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/strictyaml"
)

func load(t *testing.T, text string) (figure.Checklist, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "list.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return figure.LoadChecklist(path)
}

// TestPublishedChecklist: each grade at its bounds, in the words of the source.
func TestPublishedChecklist(t *testing.T) {
	list, err := figure.LoadChecklist(figure.Published)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(list.Source, "Case Study") {
		t.Errorf("source: %s", list.Source)
	}
	for _, c := range []struct {
		figure       string
		value        float64
		grade        figure.Grade
		bounds, text string
	}{
		{"buffers-backend-over-alloc", 0, figure.Good, "below 10 %", "0 %"},
		{"buffers-backend-over-alloc", 0.0997, figure.Good, "below 10 %", "9.97 %"},
		{"buffers-backend-over-alloc", 0.1, figure.Warning, "10 to 30 %", "10.0 %"},
		{"buffers-backend-over-alloc", 0.3, figure.Warning, "10 to 30 %", "30.0 %"},
		{"buffers-backend-over-alloc", 2.5, figure.Critical, "above 30 %", "250 %"},
		{"buffers-clean-trend", 1.2, figure.Good, "rising", "120 %"},
		{"buffers-clean-trend", 0.05, figure.Warning, "flat", "5.0 %"},
		{"buffers-clean", 0, figure.Critical, "zero", "0"},
		{"dirty-peak", 199e6, figure.Good, "below 200 MB", "199 MB"},
		{"dirty-peak", 200e6, figure.Warning, "200 to 600 MB", "200 MB"},
		{"dirty-peak", 600e6, figure.Warning, "200 to 600 MB", "600 MB"},
		{"dirty-peak", 3.2e9, figure.Critical, "above 600 MB", "3,200 MB"},
		{"tps-variation", 0.1999, figure.Good, "below 20 %", "19.99 %"},
		{"tps-variation", 0.5, figure.Warning, "20 to 50 %", "50.0 %"},
		{"tps-variation", 0.51, figure.Critical, "above 50 %", "51.0 %"},
		{"cache-hit", 0.99, figure.Good, "at least 99 %", "99.0 %"},
		{"cache-hit", 0.9899, figure.Warning, "below 99 %", "98.99 %"},
	} {
		run := &record.Run{Figures: map[string]float64{c.figure: c.value}}
		found := false
		for _, item := range list.Check(run, "PostgreSQL") {
			if item.Figure != c.figure || !item.Known {
				continue
			}
			found = true
			if item.Value != c.value || item.Grade != c.grade || item.Bounds != c.bounds || item.Text != c.text || item.Why != "" {
				t.Errorf("%s of %g: %+v", c.figure, c.value, item)
			}
		}
		if !found {
			t.Errorf("%s is in no item", c.figure)
		}
	}
}

// TestLatencyOfTheChecklist is that of the run's result.
func TestLatencyOfTheChecklist(t *testing.T) {
	list, err := figure.LoadChecklist(figure.Published)
	if err != nil {
		t.Fatal(err)
	}
	for p99, want := range map[int64]figure.Grade{49_999_999: figure.Good, 50e6: figure.Warning, 100e6: figure.Warning, 100_000_001: figure.Critical} {
		run := &record.Run{Result: record.Result{Transactions: 5, Latency: record.Latency{P99: p99}}}
		for _, item := range list.Check(run, "PostgreSQL") {
			if item.Figure == "p99" && (item.Grade != want || !item.Known || item.Value != float64(p99)) {
				t.Errorf("%+v, want %s", item, want)
			}
		}
	}
}

// TestWhatIsNotKnownHasNoGrade, but the reason, and the bounds that would be good.
func TestWhatIsNotKnownHasNoGrade(t *testing.T) {
	list, err := figure.LoadChecklist(figure.Published)
	if err != nil {
		t.Fatal(err)
	}
	items := list.Check(&record.Run{FigureGaps: []record.Gap{{What: "dirty-peak", Why: "no /proc"}}}, "PostgreSQL")
	why := map[string]string{"dirty-peak": "no /proc", "p99": "no transaction ended in the window"}
	for _, item := range items {
		want := why[item.Figure]
		if want == "" {
			want = "its record does not have that figure"
		}
		if item.Known || item.Grade != figure.Unknown || item.Value != 0 || item.Text != "" || item.Why != want || item.Bounds == "" {
			t.Errorf("%+v", item)
		}
	}
	if len(items) != 6 {
		t.Errorf("%d items", len(items))
	}
}

// TestOwnChecklist: every metric of a result and every unit; bounds may leave a hole.
func TestOwnChecklist(t *testing.T) {
	list, err := load(t, `
source: me
items:
  - {title: a, figure: tps, unit: 1/s, good: at least 5000, critical: below 1000}
  - {title: b, figure: latency, unit: us, good: below 1.5}
  - {title: c, figure: p50, unit: ms, good: at most 2}
  - {title: d, figure: p95, unit: s, good: below 1}
  - {title: e, figure: p99.9, unit: ms, good: below 1}
  - {title: f, figure: failures, unit: "%", good: at most 0, critical: above 0}
  - {title: g, figure: wait.IO.WALSync, unit: "%", good: below 50}
  - {title: h, figure: data-disk-bytes, unit: MiB/s, good: above 1}
  - {title: i, figure: commits-per-flush, unit: "1", good: above 1}
`)
	if err != nil {
		t.Fatal(err)
	}
	run := &record.Run{
		Result:  record.Result{Transactions: 75, Failures: 25, TPS: 3000, Latency: record.Latency{Mean: 1500, P50: 2e6, P95: 5e8, P999: 2e6}},
		Figures: map[string]float64{"wait.IO.WALSync": 0.4, "data-disk-bytes": 3 << 20, "commits-per-flush": 1},
	}
	var got []string
	for _, item := range list.Check(run, "PostgreSQL") {
		got = append(got, item.Title+" "+string(item.Grade)+" "+item.Text)
	}
	want := "a no bound fits 3,000/s, b no bound fits 1.50 us, c good 2.00 ms, d good 0.50 s, e no bound fits 2.00 ms, f critical 25.0 %, g good 40.0 %, h good 3 MiB/s, i no bound fits 1"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// TestMistakesInAChecklist are told with their places, all at once.
func TestMistakesInAChecklist(t *testing.T) {
	for text, want := range map[string]string{
		"":                      ": contains no checklist\n  begin with source: and items:",
		"source: [":             ": not valid YAML: line 1: did not find expected node content",
		"[1]":                   ":1:1: expected the keys and values of the checklist",
		"source: x":             ":1:1: the checklist has no items",
		"source: x\nitems: 5":   ":2:8: items: expected a list",
		"source: x\nitems: []":  ":2:8: items: expected a list",
		"source: x\nitems: [1]": ":2:9: expected the keys and values of an item",
		"source: x\nservers: [Redis, Postgres]\nitems: [{title: y, figure: p99, unit: ms, good: below 1}]": ":2:18: servers: there is no server \"Postgres\"\n  did you mean PostgreSQL?",
		"source: {}\nsorce: y\nitems: [{}]": ":1:9: source: expected text\n:2:1: unknown key \"sorce\" in the checklist\n  did you mean source?\n" +
			":3:9: an item has no title\n:3:9: an item has no figure\n:3:9: an item has no unit\n:3:9: an item has no good",
		item("figure: dirty-peek, unit: MB, good: below 1"):              ":2:28: figure: there is no metric or figure \"dirty-peek\"\n  did you mean dirty-peak?",
		item("figure: p99-under-10ms, unit: '%', good: below 1"):         ":2:28: figure: checklists cannot use p99-under-10ms\n  use a percentile of the run, such as p99",
		item("figure: dirty-peak-second, unit: s, good: below 1"):        ":2:28: figure: dirty-peak-second is a point in time within a run, and cannot be compared\n  use plinth show RECORD --run RUN to see it",
		item("figure: dirty-peak, unit: ms, good: below 1"):              ":2:46: unit: dirty-peak is not measured in \"ms\"\n  it can be kB, MB, GB, KiB, MiB, GiB",
		item("figure: dirty-peak, unit: MB, good: under 1"):              ":2:56: good: \"under 1\" is not a bound\n  write a bound such as below 10, 10 to 30, above 30, at least 99 or at most 5",
		item("figure: dirty-peak, unit: MB, good: 30 to 10"):             ":2:56: good: \"30 to 10\" is not a bound\n  write a bound such as below 10, 10 to 30, above 30, at least 99 or at most 5",
		item("figure: dirty-peak, unit: MB, good: no dirty-peek"):        ":2:56: good: there is no metric or figure \"dirty-peek\"\n  did you mean dirty-peak?",
		item("figure: p99, unit: ms, good: below 1, good: below 2"):      ":2:58: duplicate key \"good\" in an item",
		item("figure: p99, unit: ms, good: below 1, warn: above 2"):      ":2:58: unknown key \"warn\" in an item\n  did you mean warning?",
		item("figure: p99, unit: ms, good: [below 1]"):                   ":2:49: good: expected text",
		item("figure: p99, unit: ms, good: below 95, critical: above 5"): ":2:69: critical: above 5 ms overlaps good: below 95 ms\n  bounds may meet but not overlap",
		// All of an item is read, whatever is wrong with its beginning.
		"source: x\nitems: [{title: ' ', figure: speed, unit: ms, good: much, warning: [1], unless: speed below 1}]": ":2:17: title: expected text\n:2:30: figure: there is no metric or figure \"speed\"\n  " + noSpeed + "\n" +
			":2:53: good: \"much\" is not a bound\n  write a bound such as below 10, 10 to 30, above 30, at least 99 or at most 5\n:2:68: warning: expected text\n:2:81: unless: there is no metric or figure \"speed\"\n  " + noSpeed,
		item("figure: p99, unit: ms, good: below 1, unless: p95 below 1"):                                 ":2:66: unless: p95 can be measured in several units\n  use a share, a rate or a count",
		item("figure: p99, unit: ms, good: below 1, unless: [tps]"):                                       ":2:67: unless: \"\" is not a bound\n  write a bound such as below 10, 10 to 30, above 30, at least 99 or at most 5",
		"source: x\nitems:\n" + strings.Repeat("- {title: y, figure: p99, unit: ms, good: below 1}\n", 2): ":4:3: title: two items are called \"y\"",
		"source: x\n" + strings.Repeat("#", 1<<20):                                                        ": larger than 1 MiB, the maximum checklist size",
	} {
		_, err := load(t, text)
		var wrong *strictyaml.Error
		if !errors.As(err, &wrong) {
			t.Errorf("%.80q: %v", text, err)
			continue
		}
		var got []string
		for _, m := range wrong.Mistakes {
			_, place, _ := strings.Cut(m.Place, "list.yaml")
			got = append(got, place+": "+m.Text)
			if m.Hint != "" {
				got = append(got, "  "+m.Hint)
			}
		}
		if text2 := strings.Join(got, "\n"); text2 != want {
			t.Errorf("%.80q:\ngot\n%s\nwant\n%s", text, text2, want)
		}
	}
}

func item(keys string) string { return "source: x\nitems: [{title: y, " + keys + "}]" }

func TestAChecklistThatIsNotThere(t *testing.T) {
	for _, path := range []string{filepath.Join(t.TempDir(), "none.yaml"), t.TempDir()} {
		if _, err := figure.LoadChecklist(path); err == nil || !strings.HasPrefix(err.Error(), "cannot read the checklist: ") || hint.Of(err) != "" {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestBoundsThatMeet: a value on the border has the kinder grade, and one of no bounds
// has none.
func TestBoundsThatMeet(t *testing.T) {
	list, err := load(t, item("figure: tps, unit: 1/s, good: at least 50, warning: 20 to 50, critical: 5 to 20"))
	if err != nil {
		t.Fatal(err)
	}
	for tps, want := range map[float64]figure.Grade{50: figure.Good, 20: figure.Warning, 5: figure.Critical, 4: figure.NoBound} {
		got := list.Check(&record.Run{Result: record.Result{Transactions: 1, TPS: tps}}, "PostgreSQL")[0]
		if got.Grade != want || (want == figure.NoBound) != (got.Why != "") {
			t.Errorf("%g: %+v, want %s", tps, got, want)
		}
	}
}

// TestNothingHasToBeCleaned where hardly a buffer is needed: then it says nothing that
// the background writer wrote none.
func TestNothingHasToBeCleaned(t *testing.T) {
	list, err := figure.LoadChecklist(figure.Published)
	if err != nil {
		t.Fatal(err)
	}
	for alloc, want := range map[float64]figure.Grade{0: figure.NotApplicable, 99: figure.NotApplicable, 100: figure.Critical, 5000: figure.Critical} {
		run := &record.Run{Figures: map[string]float64{"buffers-alloc": alloc, "buffers-clean": 0}}
		got := list.Check(run, "PostgreSQL")[1]
		if got.Title != "buffers_clean" || got.Grade != want || (want == figure.NotApplicable) != strings.HasPrefix(got.Why, "hardly a buffer") {
			t.Errorf("%g: %+v, want %s", alloc, got, want)
		}
	}
	own, err := load(t, item("figure: p99, unit: ms, good: below 1, unless: [cpu-use below 10, tps below 5 (idle)]"))
	if err != nil {
		t.Fatal(err)
	}
	for why, run := range map[string]*record.Run{
		"cpu-use is below 10 %": {Figures: map[string]float64{"cpu-use": 0.09}, Result: record.Result{Transactions: 1, TPS: 1, Latency: record.Latency{P99: 1}}},
		"idle":                  {Result: record.Result{Transactions: 1, TPS: 1, Latency: record.Latency{P99: 1}}},
		"":                      {Result: record.Result{Transactions: 1, TPS: 9, Latency: record.Latency{P99: 1}}},
	} {
		if got := own.Check(run, "")[0]; got.Why != why || (got.Grade == figure.Good) != (why == "") {
			t.Errorf("%q: %+v", why, got)
		}
	}
}

// TestPublishedYAML is the list that is used, and nobody can change it.
func TestPublishedYAML(t *testing.T) {
	text := figure.ShippedYAML(figure.Published)
	list, err := load(t, string(text))
	if err != nil {
		t.Fatal(err)
	}
	want, err := figure.LoadChecklist(figure.Published)
	if err != nil || !reflect.DeepEqual(list, want) {
		t.Errorf("%+v, %v", list, err)
	}
	clear(text)
	if !strings.Contains(string(figure.ShippedYAML(figure.Published)), "Case Study") {
		t.Error("it was changed")
	}
}

// noSpeed is the hint where "speed" is taken for a metric.
var noSpeed = func() string {
	_, err := experiment.ParseMetric("speed")
	return hint.Of(err)
}()

// TestChecklistOfAnotherServer: the published thresholds are of PostgreSQL's load and say
// nothing of Redis; of a list for all, what a server has not got does not apply to it.
func TestChecklistOfAnotherServer(t *testing.T) {
	run := &record.Run{Figures: map[string]float64{"tps-variation": 0.01, "cache-hit": 0.5, "dirty-peak": 1}, Result: record.Result{Transactions: 1, Latency: record.Latency{P99: 1}}}
	list, err := figure.LoadChecklist(figure.Published)
	if err != nil {
		t.Fatal(err)
	}
	if items := list.Check(run, "Redis"); len(items) > 0 {
		t.Errorf("%+v", items)
	}
	if items := list.Check(run, "PostgreSQL"); len(items) == 0 {
		t.Error("it says nothing of PostgreSQL either")
	}
	own, err := load(t, "source: us\nservers: [Redis, Valkey]\nitems:\n  - {title: a, figure: p99, unit: ms, good: below 1}\n  - {title: b, figure: cache-hit, unit: \"%\", good: above 9}\n")
	if err != nil {
		t.Fatal(err)
	}
	items := own.Check(run, "Valkey")
	if len(items) != 2 || items[0].Grade != figure.Good || items[1].Grade != figure.NotApplicable || items[1].Why != "Valkey has no such figure" {
		t.Errorf("%+v", items)
	}
	if own.Check(run, "PostgreSQL") != nil {
		t.Error("a list of Redis says something of PostgreSQL")
	}
}
