package runpage_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/runpage"
)

// TestRunAsData checks that the JSON has what the page shows, and that it adds up.
func TestRunAsData(t *testing.T) {
	rec, run := reporttest.CliffRun(t)
	var page runpage.Page
	var raw struct {
		Timeline []struct {
			Column string
			Values []*float64
		}
	}
	text := []byte(writeRun(t, rec, run, "json", runpage.Options{}))
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &page); err != nil {
		t.Fatal(err)
	}
	seconds, shares := 0.0, 0.0
	for _, o := range page.Owners {
		seconds, shares = seconds+o.Seconds, shares+o.Share
	}
	if math.Abs(seconds-60*8) > 0.6 || math.Abs(shares-1) > 1e-9 || len(page.Owners) != 7 {
		t.Errorf("8 CPUs of 60 s are %g s of %d owners, %g in all", seconds, len(page.Owners), shares)
	}
	if page.Schema != runpage.Schema || !page.Observed || page.Run.Figures["tps-drop"] < 0.4 || page.Checklist == nil {
		t.Errorf("schema %s, observed %t, drop %g", page.Schema, page.Observed, page.Run.Figures["tps-drop"])
	}
	for _, row := range raw.Timeline {
		if len(row.Values) != 60 {
			t.Errorf("%s has %d seconds", row.Column, len(row.Values))
		}
		if row.Column == "latency_p99_ns" && (row.Values[50] != nil || row.Values[49] == nil) {
			t.Errorf("the gap of second 50 is %v", row.Values[50])
		}
	}
}

// TestPointsAsCSV checks that the CSV has every column and second, warm-up included. A gap is
// an empty field.
func TestPointsAsCSV(t *testing.T) {
	rec, run := reporttest.CliffRun(t)
	rows, err := csv.NewReader(strings.NewReader(writeRun(t, rec, run, "csv", runpage.Options{}))).ReadAll()
	points, readErr := rec.Points(run)
	if err != nil || readErr != nil || len(rows) != 66 || len(rows[0]) != len(points.Columns) {
		t.Fatalf("%d rows, %v, %v", len(rows), err, readErr)
	}
	for i, name := range rows[0] {
		if name != points.Columns[i].Name {
			t.Errorf("column %d is %s, want %s", i, name, points.Columns[i].Name)
		}
		if name == "wal.sync_latency" && (rows[1+5+11][i] != "" || rows[1+5+13][i] == "") {
			t.Errorf("second 11 is %q, 13 is %q", rows[1+5+11][i], rows[1+5+13][i])
		}
	}
	if rows[1][0] != "-5" || rows[65][0] != "59" {
		t.Errorf("seconds from %s to %s", rows[1][0], rows[65][0])
	}
}

// TestRunWithoutItsPoints checks that with missing or damaged points the page says so and shows
// the rest. The CSV would be empty, so it is an error.
func TestRunWithoutItsPoints(t *testing.T) {
	rec, run := reporttest.CliffRun(t)
	path := filepath.Join(rec.Path, run.Path(), "points.parquet")
	for name, spoil := range map[string]func() error{
		"damaged": func() error { return os.WriteFile(path, []byte("PAR1 what is this? PAR1"), 0o644) },
		"gone":    func() error { return os.Remove(path) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		text := writeRun(t, rec, run, "text", runpage.Options{Every: 5})
		for _, want := range []string{"11,500 TPS on average", "the seconds: ", "Cost of observation"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
		if err := runpage.Write(&bytes.Buffer{}, rec, run, "csv", runpage.Options{}); err == nil || !strings.Contains(err.Error(), "no table of") {
			t.Errorf("%s: csv: %v", name, err)
		}
	}
	err := runpage.Write(&bytes.Buffer{}, rec, run, "gobench", runpage.Options{})
	if err == nil || hint.Of(err) != "use one of text, markdown, csv, json" {
		t.Errorf("gobench: %v (%s)", err, hint.Of(err))
	}
}

// TestHostileRun uses a record from an untrusted source, with names and numbers that plinth
// never writes.
func TestHostileRun(t *testing.T) {
	rec, run := reporttest.OneRun(t)
	env := rec.Environments["disk"]
	env.Server, env.Transport, env.Volumes = "Post\x1b[31mgreSQL", "soc\x07ket", []record.Volume{{Role: "data", Disks: []string{"n\x1bvme", "\x9b"}}}
	rec.Environments["disk"] = env
	run.Reasons = []record.Note{{Text: "because \x1b]8;;http://example.org\a of \u202E this"}}
	run.Telemetry = &record.Telemetry{
		Marks: []record.Mark{{Second: 1e300, Kind: "log"}, {Second: -1e300, Kind: "log"}, {Second: 1, Kind: strings.Repeat("\x1b[2J", 500), Text: "x"}, {Second: 1, Kind: "log", Text: strings.Repeat("a", 5000)}},
		Gaps:  []record.TelemetryGap{{Columns: []string{"\x1b[H" + strings.Repeat("c", 5000)}, From: 1e300, To: -1e300, Why: strings.Repeat("w ", 5000)}},
		Cost:  []record.Cost{{Lane: "\x1b[1m", Covered: -1, CPU: 1e300}},
	}
	run.Resources = []record.Resource{{Name: "\x1b[5m" + strings.Repeat("r", 300), Unit: "\x1b[0m", Mean: 1e300, Peak: -1e300, Ceiling: 1e-300, Use: 1e300, From: "\x1b[0m"}}
	run.Figures = map[string]float64{"tps-peak": 1e300, "tps-lowest": -1e300, "tps-peak-second": 1e300, "wait.\x1b[2J.x": 0.4, "dirty-peak": 1e300, "wal-sync-latency": -1}
	reporttest.Observe(t, rec, run, 0, 4, []reporttest.Column{
		{Name: "tps", At: func(s float64) float64 { return []float64{1e308, -1e308, 0, math.Inf(1), 1e-308}[int(s)] }},
		reporttest.Steady("diskstats.n\x1bvme.writes", 1e308), reporttest.Steady("diskstats.n\x1bvme.write_latency", -1), reporttest.Steady("wait.\x1b[2J.x", 3), reporttest.Steady("script.\x1b[2J.tps", 3),
		reporttest.Steady("process.server.cpu", -1e300), reporttest.Steady("stat.cpu.idle", 1e300),
	})
	for _, format := range runpage.Formats {
		text := writeRun(t, rec, run, format, runpage.Options{Every: 1})
		if format == "json" { // for programs, which escape it themselves
			continue
		}
		reporttest.Harmless(t, format, text)
		if len(text) > 30_000 {
			t.Errorf("%s has %d bytes", format, len(text))
		}
		reporttest.Harmless(t, "two as "+format, writeTwo(t, runpage.RunOf{Record: rec, Run: run}, runpage.RunOf{Record: rec, Run: run}, format, runpage.Options{Every: 1}))
	}
}

// TestWhyARunWasNotObserved checks that the page names the experiment's telemetry: off as the
// reason.
func TestWhyARunWasNotObserved(t *testing.T) {
	for telemetry, want := range map[string]string{"": "This run was not observed: ", ", telemetry: off": "The experiment has telemetry: off here, so this run was not observed: "} {
		rec, run := reporttest.OneRun(t)
		rec.ExperimentYAML = []byte("workloads: [tpcb-like]\nenvironments: {disk: {storage: {data: .}" + telemetry + "}}\n")
		reporttest.Observe(t, rec, run, 0, 9, reporttest.Load())
		text := strings.Join(strings.Fields(writeRun(t, rec, run, "text", runpage.Options{})), " ")
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
		if !strings.Contains(text, "p99 latency 61.30 ms warning") || strings.Contains(text, "- unknown good") {
			t.Errorf("the checklist has rows without a value:\n%s", text)
		}
	}
}
