package inspection_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"plinth/internal/figure"
	"plinth/internal/inspect"
	"plinth/internal/record"
	"plinth/internal/report/inspection"
	"plinth/internal/report/runpage"
)

// watchedServer returns an inspection and its activity with the TPS of each second; own is the
// part in the inspected database.
func watchedServer(t *testing.T, tps []float64, own float64, gaps ...record.TelemetryGap) (inspect.Inspection, inspection.Options) {
	t.Helper()
	w := inspect.Watched{Asked: len(tps), Environment: record.Environment{Server: "PostgreSQL", Version: "15.18 (Debian)"}}
	seconds, asked, none := make([]float64, len(tps)), make([]float64, len(tps)), make([]float64, len(tps))
	for i := range tps {
		seconds[i], asked[i] = float64(i), own
	}
	w.Points.Columns = []record.Column{
		{Name: "second", Values: seconds}, {Name: "tps", Values: tps}, {Name: "meminfo.Dirty", Values: asked},
		{Name: "pg_stat_database.xact_commit", Values: asked}, {Name: "plinth.transactions", Values: none},
	}
	w.Run.Telemetry = &record.Telemetry{Gaps: gaps}
	w.Run.Figures, w.Run.FigureGaps, w.Run.Resources = figure.Of(figure.Input{Run: &w.Run, Points: w.Points, Environment: w.Environment})
	list, err := figure.LoadChecklist(figure.Published)
	if err != nil {
		t.Fatal(err)
	}
	i := inspect.Inspection{Server: &inspect.ServerFacts{Version: "15.18", Database: "postgres"}}
	return i, inspection.Options{Watched: &w, Checklist: list, Width: 1000}
}

func says(t *testing.T, text string, all ...string) {
	t.Helper()
	for _, want := range all {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
}

// TestWatchCounts checks that the report names the databases whose transactions are counted.
func TestWatchCounts(t *testing.T) {
	i, opts := watchedServer(t, []float64{100, 120, 110}, 5)
	text := writeInspection(t, i, "text", opts)
	says(t, text, "Watched for 3 s", "The server committed 110 transactions a second on average in all its databases: at most 120",
		"Database postgres committed 5 of them a second; cache hits, rows and the size of the dataset cover only that database.", "in --json")
	for _, never := range []string{"Interrupted", "nothing is known of what", "load generator.", "compare --metric"} {
		if strings.Contains(text, never) {
			t.Errorf("it says %q", never)
		}
	}
	i, opts = watchedServer(t, []float64{0, 0, 0}, 0)
	says(t, writeInspection(t, i, "text", opts), "The server committed almost no transactions in any of its databases.")
	opts.Watched.Asked = 60
	says(t, writeInspection(t, i, "text", opts), "Interrupted: 3 of 60 seconds were seen.")
}

// TestWatchOfADyingServer checks that the report begins with the server's end and its cause.
func TestWatchOfADyingServer(t *testing.T) {
	gone := record.TelemetryGap{Columns: []string{"tps", "pg_stat_database.*"}, From: 1, To: 3, Why: "cannot reach the server: connection refused"}
	i, opts := watchedServer(t, []float64{8, math.NaN(), math.NaN(), math.NaN()}, 8, gone)
	says(t, writeInspection(t, i, "text", opts),
		"=\n\nIn 3 of 4 seconds it is not known what the server committed: cannot reach the server: connection refused. The server committed 8 transactions",
		"tps, pg_stat_database.* (seconds 1 to 3)", ": cannot reach the server: connection refused")
}

// TestWatchWithoutRights checks that the report names the cause and who can change it.
func TestWatchWithoutRights(t *testing.T) {
	const why = "permission denied for view pg_stat_database: to allow it, run GRANT pg_monitor TO me"
	gap := math.NaN()
	i, opts := watchedServer(t, []float64{gap, gap}, gap, record.TelemetryGap{Columns: []string{"tps"}, From: 0, To: 1, Why: why})
	text := writeInspection(t, i, "text", opts)
	says(t, text, "In 2 of 2 seconds it is not known what the server committed: "+why+". plinth ran no load")
	_, unknown, _ := strings.Cut(text, "What is not known")
	says(t, unknown, "tps, tps-peak, tps-peak-second,", why)
}

// TestWatchJSON checks that there is no result, and that nothing unmeasured is a zero.
func TestWatchJSON(t *testing.T) {
	i, opts := watchedServer(t, []float64{100, 120, 110}, 5)
	text := writeInspection(t, i, "json", opts)
	var page struct {
		Watched struct {
			runpage.WatchPage
			Run map[string]any `json:"run"`
		} `json:"watched"`
	}
	if err := json.Unmarshal([]byte(text), &page); err != nil {
		t.Fatal(err)
	}
	w := page.Watched
	if w.Schema != runpage.WatchPageSchema || w.Server != "PostgreSQL 15.18" || w.Asked != 3 || w.Seen != 3 || len(w.Timeline) < 2 {
		t.Errorf("it is %+v", w)
	}
	for _, never := range []string{"result", "phases", "status", "clients", "driver"} {
		if v, there := w.Run[never]; there {
			t.Errorf("the run has %s: %v", never, v)
		}
	}
	if text := writeInspection(t, i, "json", inspection.Options{}); strings.Contains(text, `"watched"`) {
		t.Error("what was not watched is there")
	}
	for _, item := range w.Checklist.Items {
		if item.Figure == "p99" && item.Why != "plinth ran no load: only a load generator reports it" {
			t.Errorf("of p99 it says %q", item.Why)
		}
		if strings.Contains(item.Why, "its record") {
			t.Errorf("%s: %s", item.Title, item.Why)
		}
	}
}
