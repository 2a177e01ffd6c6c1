package imported_test

import (
	"slices"
	"strings"
	"testing"

	"plinth/internal/imported"
	"plinth/internal/record"
)

// TestTableOfResults checks that a table names its environments, and that plinth has a record of each of its rows.
func TestTableOfResults(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]string{"results.csv": "environment,tool,workload,clients,tps,latency_mean_ms,latency_p99_ms\n" +
		"RDS (t3.large),pgbench,tpcb-like,10,1460,6.85,12\nlocal,pgbench,tpcb-like,10,1031,9.70,20\nlocal,pgbench,select-only,10,7675,1.30,4\n"})
	out := read(t, imported.Options{Paths: []string{dir}})
	if want := []string{"rds-t3.large", "local"}; !slices.Equal(out.Environments, want) || len(out.Runs) != 3 {
		t.Fatalf("environments %v, %d runs", out.Environments, len(out.Runs))
	}
	rec := written(t, out)
	if rec.Environments["local"].Basis() != record.BasisImported || rec.Environments["local"].Server != "PostgreSQL" {
		t.Errorf("%+v", rec.Environments["local"])
	}
	if run := rec.Runs[0]; run.Environment != "rds-t3.large" || run.Result.TPS != 1460 || run.Result.Latency.P99 != 12e6 {
		t.Errorf("%+v", run)
	}
	_, err := imported.Read(t.Context(), imported.Options{Paths: []string{dir}, Environment: "all"})
	if err == nil || !strings.Contains(err.Error(), "names the environment of each run") {
		t.Errorf("with another name for all: %v", err)
	}
}

// TestCloudWatchBesideARun checks that an answer of CloudWatch is placed on the seconds of the run that it overlaps.
func TestCloudWatchBesideARun(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]string{
		"run.csv": "tool,workload,clients,tps,duration_s\npgbench,tpcb-like,10,1460,120\n",
		"cw.json": `{"MetricDataResults":[{"Id":"a","Label":"ReadIOPS","Timestamps":["2026-11-30T10:01:00Z","2026-11-30T10:00:00Z"],"Values":[20,10]}],"Messages":[]}`,
	})
	out := read(t, imported.Options{Paths: []string{dir}, Facts: map[string]string{"started": "2026-11-30T10:00:00Z"}})
	if len(out.Runs) != 1 || len(out.Runs[0].Points.Columns) != 2 {
		t.Fatalf("%+v", out.Runs)
	}
	column := out.Runs[0].Points.Columns[1]
	if column.Name != "cloudwatch.ReadIOPS" || len(column.Values) != 120 || column.Values[0] != 10 || column.Values[59] != 10 || column.Values[60] != 20 || column.Values[119] != 20 {
		t.Errorf("%s: %v", column.Name, column.Values)
	}
}
