package show_test

import (
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/show"
)

// TestColumns checks the values of chosen columns: means over cells, the percentile of all runs
// together, a figure, and gaps.
func TestColumns(t *testing.T) {
	rec := reporttest.WellDecided(t)
	for i := range rec.Runs {
		if run := &rec.Runs[i]; run.Workload == "tpcb-like" {
			run.Figures = map[string]float64{"wal-sync-latency": float64(run.Clients) * 1e5}
		}
	}
	s, err := show.Gather(rec, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Choose([]string{"wal-sync-latency", "tps", "buffers-clean"}); err != nil {
		t.Fatal(err)
	}
	_, table := s.Averages()
	var heads []string
	for _, c := range table.Columns {
		heads = append(heads, c.Title)
	}
	// simple-update has no WAL figure here, and nothing has buffers_clean.
	if got := strings.Join(heads, ", "); got != "Config, RW TPS, RW buffers_clean, TPC-B WAL sync latency, TPC-B TPS, TPC-B buffers_clean" {
		t.Errorf("columns: %s", got)
	}
	if got := strings.Join(table.Rows[0], ", "); got != "one-disk, 3,030, -, 3.00 ms, 3,030, -" {
		t.Errorf("row: %s", got)
	}
}

// TestColumnsOfAPercentile checks that a percentile is that of all runs, not a mean of percentiles.
func TestColumnsOfAPercentile(t *testing.T) {
	rec := reporttest.Decided(t)
	s, err := show.Gather(rec, 0, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Choose([]string{"p99"}); err != nil {
		t.Fatal(err)
	}
	for _, e := range s.Environments {
		for _, c := range s.Columns() {
			got, ok := s.ValueOf(e.Name, c)
			var least, most float64 = 1e18, 0
			for _, run := range rec.Runs {
				if run.Environment == e.Name && run.Workload == c.Workload.Name {
					least, most = min(least, float64(run.Result.Latency.P99)), max(most, float64(run.Result.Latency.P99))
				}
			}
			if !ok || got < least || got > most {
				t.Errorf("%s %s: p99 %g, that of the runs is %g to %g", e.Name, c.Workload.Name, got, least, most)
			}
		}
	}
}

// TestColumnsThatAreNone checks that unknown and repeated columns are refused, and that a record
// with them is shown without.
func TestColumnsThatAreNone(t *testing.T) {
	s, err := show.Gather(reporttest.WellDecided(t), 0, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, names := range [][]string{{"tpss"}, {"tps", "rps"}, {"tps-peak-second"}} {
		if err := s.Choose(names); err == nil {
			t.Errorf("%v are columns", names)
		}
	}
	rec := reporttest.WellDecided(t)
	rec.ExperimentYAML = []byte(strings.Replace(string(rec.ExperimentYAML), "repeats:", "columns: [tps]\nrepeats:", 1))
	if s, err = show.Gather(rec, 0, false); err != nil || len(s.Columns()) != 2 || len(s.Environments[0].Columns) != 2 {
		t.Errorf("columns of the experiment: %v %v", s.Columns(), err)
	}
	for _, e := range s.Environments {
		if e.Columns[0].Value != meanTPS(rec, e.Name, e.Columns[0].Workload) {
			t.Errorf("%+v", e.Columns)
		}
	}
}

func meanTPS(rec *record.Record, environment, workload string) float64 {
	s, _ := show.Gather(rec, 0, false)
	return show.AverageOf(s.Environment(environment).Averages, workload).TPS
}
