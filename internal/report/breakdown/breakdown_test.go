package breakdown_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/report/breakdown"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/summary"
)

// write returns a table of a record; columns may be nil.
func write(t *testing.T, rec *record.Record, format string, opts breakdown.Options, columns ...string) string {
	t.Helper()
	s, err := summary.Of(rec, summary.Options{Columns: columns}, false)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := breakdown.Write(&b, s.Numbers, rec, format, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// replicated returns a record of three volumes with 0, 1 and 2 replicas: each adds 3 ms to a write,
// give or take 2 % from block to block, and nothing to a read.
func replicated(t *testing.T) *record.Record {
	t.Helper()
	rec, e := reporttest.NewRecord(t, `
name: replicas
question: What does a replica cost?
workloads: [select-only, simple-update]
clients: [1, 10]
repeats: 6
seed: 7
environments:
  local: {facts: {replicas: "0", disk: SM863a}}
  one: {facts: {replicas: "1", disk: SM863a}}
  two: {facts: {replicas: "2", disk: SM863a}}
`)
	for i, environment := range e.Environments {
		described := rec.Environments[environment.Name]
		described.Name, described.Facts = environment.Name, map[string]string{"replicas": strconv.Itoa(i), "disk": "SM863a"}
		rec.Environments[environment.Name] = described
	}
	for _, repeat := range e.Schedule() {
		for _, slot := range repeat {
			replicas, _ := strconv.ParseFloat(rec.Environments[slot.Environment].Facts["replicas"], 64)
			latency := 1.3
			if slot.Cell.Workload == "simple-update" {
				latency = 7 + 3*replicas*(1+0.01*float64(slot.Repeat%3-1))
			}
			id := record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1}
			reporttest.Measured(t, rec, id, 1000*float64(slot.Cell.Clients)/latency, latency)
		}
	}
	return rec
}

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name    string
		rec     *record.Record
		opts    breakdown.Options
		columns []string
	}{
		{name: "published-clients", rec: reporttest.Published(t), opts: breakdown.Options{Table: breakdown.TableClients}},
		{name: "published-metrics", rec: reporttest.Published(t), opts: breakdown.Options{Table: breakdown.TableMetrics}},
		{name: "published-sorted", rec: reporttest.Published(t), opts: breakdown.Options{Table: breakdown.TableEnvironments, Sort: "tps"}},
		{name: "decided-metrics", rec: reporttest.WellDecided(t), opts: breakdown.Options{Table: breakdown.TableMetrics}},
		{name: "decided-clients", rec: reporttest.WellDecided(t), opts: breakdown.Options{Table: breakdown.TableClients}, columns: []string{"tps", "p99"}},
		{name: "redis-metrics", rec: reporttest.Cached(t), opts: breakdown.Options{Table: breakdown.TableMetrics}},
		{name: "open-loop-clients", rec: reporttest.Overloaded(t), opts: breakdown.Options{Table: breakdown.TableClients}},
		{name: "replicas-environments", rec: replicated(t), opts: breakdown.Options{Table: breakdown.TableEnvironments}},
	} {
		for format, extension := range map[string]string{"text": "txt", "markdown": "md", "csv": "csv", "json": "json"} {
			t.Run(c.name+"/"+format, func(t *testing.T) {
				reporttest.Golden(t, filepath.Join("testdata", c.name+"."+extension), write(t, c.rec, format, c.opts, c.columns...))
			})
		}
	}
}

// TestPublishedBreakdown searches for the rows of the published breakdown by clients: values, and
// effects that are their ratios.
func TestPublishedBreakdown(t *testing.T) {
	text := strings.Join(strings.Fields(write(t, reporttest.Published(t), "text", breakdown.Options{Table: breakdown.TableClients})), " ")
	for _, want := range []string{
		"RW TPS Clients rds local-ssd", "1 *253 134 (-47 %)", "10 *1,881 1,425 (-24 %)", "100 *2,585 1,464 (-43 %)",
		"RW latency Clients rds local-ssd", "1 *3.95 ms 7.48 ms (+89 %)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// TestEffectsAreRatios checks in every value that the effect is the ratio to the baseline's value,
// and that each row whose values differ has one best value.
func TestEffectsAreRatios(t *testing.T) {
	for _, table := range []string{breakdown.TableClients, breakdown.TableMetrics} {
		var got struct{ Values []breakdown.Value }
		if err := json.Unmarshal([]byte(write(t, reporttest.WellDecided(t), "json", breakdown.Options{Table: table})), &got); err != nil {
			t.Fatal(err)
		}
		type row struct {
			workload, metric string
			clients          int
		}
		base, best, differ := map[row]float64{}, map[row]int{}, map[row]bool{}
		for _, v := range got.Values {
			at := row{v.Workload, v.Metric, v.Clients}
			differ[at] = differ[at] || v.Effect != nil && v.Effect.Effect != 0
			if v.Best {
				best[at]++
			}
			if v.Effect == nil {
				base[at] = v.Value
				continue
			}
			if want := v.Value/base[at] - 1; math.Abs(want-v.Effect.Effect) > 1e-9 || v.Effect.Level != 0.95 {
				t.Errorf("%s, %+v: effect %g at level %g, the ratio is %g", table, at, v.Effect.Effect, v.Effect.Level, want)
			}
		}
		if len(base) == 0 {
			t.Errorf("%s: no values", table)
		}
		for at := range base {
			if want := map[bool]int{true: 1}[differ[at]]; best[at] != want {
				t.Errorf("%s, %+v: %d best values, want %d", table, at, best[at], want)
			}
		}
	}
}

// TestSlope checks that the latency that a replica adds is found, with an interval that contains
// it, and that reads have none.
func TestSlope(t *testing.T) {
	rec := replicated(t)
	s, err := summary.Of(rec, summary.Options{}, false)
	if err != nil {
		t.Fatal(err)
	}
	slopes := breakdown.Slopes(s.Numbers, rec)
	if len(slopes) != 4 { // two workloads at two loads
		t.Fatalf("%+v", slopes)
	}
	for _, at := range slopes {
		want := 0.0
		if at.Workload == "simple-update" {
			want = 3e6
		}
		if at.Fact != "replicas" || at.N != 6 || at.Level != 0.95 || math.Abs(at.PerUnit-want) > 1e4 || at.Low > want || at.High < want || at.High-at.Low > 2e5 {
			t.Errorf("%+v, want %g", at, want)
		}
	}
}

// TestFactsThatAreNoNumbers checks that a fact is left out if it is not a number everywhere, or the
// same number everywhere.
func TestFactsThatAreNoNumbers(t *testing.T) {
	for _, value := range []string{"two", "", "NaN", "Inf", "0"} {
		rec := replicated(t)
		for name, e := range rec.Environments {
			if e.Facts["replicas"] != "0" {
				e.Facts["replicas"] = value
				rec.Environments[name] = e
			}
		}
		s, err := summary.Of(rec, summary.Options{}, false)
		if err != nil {
			t.Fatal(err)
		}
		if slopes := breakdown.Slopes(s.Numbers, rec); len(slopes) > 0 {
			t.Errorf("%q: %+v", value, slopes)
		}
	}
}

// TestSorted checks the order of environments: the best first, whatever the direction of the
// metric, and those without a number last.
func TestSorted(t *testing.T) {
	for sort, want := range map[string]string{
		"tps": "local one two", "simple-update/latency": "local one two", "simple-update/failures": "local one two",
		"wal-sync-latency": "two local one",
	} {
		rec := replicated(t)
		for i := range rec.Runs {
			if run := &rec.Runs[i]; run.Environment == "two" {
				run.Figures = map[string]float64{"wal-sync-latency": 1e6}
			}
		}
		rows, err := csv.NewReader(strings.NewReader(write(t, rec, "csv", breakdown.Options{Table: breakdown.TableEnvironments, Sort: sort}))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		for _, row := range rows[1:] {
			if len(order) == 0 || order[len(order)-1] != row[4] {
				order = append(order, row[4])
			}
		}
		if got := strings.Join(order, " "); got != want {
			t.Errorf("%s: %s, want %s", sort, got, want)
		}
	}
}

// TestRefused checks what is refused, and the advice.
func TestRefused(t *testing.T) {
	alone, _ := reporttest.NewRecord(t, "name: alone\nworkloads: [select-only]\nenvironments: {a: {}}\n")
	for _, c := range []struct {
		rec          *record.Record
		opts         breakdown.Options
		want, advice string
	}{
		{alone, breakdown.Options{Table: breakdown.TableClients}, "does not have two environments", "plinth show RECORD"},
		{alone, breakdown.Options{Table: breakdown.TableMetrics}, "does not have two environments", "plinth show RECORD"},
		{replicated(t), breakdown.Options{Table: breakdown.TableEnvironments, Sort: "latencyy"}, `no metric or figure "latencyy"`, "latency"},
		{replicated(t), breakdown.Options{Table: breakdown.TableEnvironments, Sort: "simple-updat/tps"}, "no workload simple-updat", "simple-update"},
	} {
		s, err := summary.Of(c.rec, summary.Options{}, false)
		if err != nil {
			t.Fatal(err)
		}
		err = breakdown.Write(&bytes.Buffer{}, s.Numbers, c.rec, "text", c.opts)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(hint.Of(err), c.advice) {
			t.Errorf("%+v: %v (%s)", c.opts, err, hint.Of(err))
		}
	}
}
