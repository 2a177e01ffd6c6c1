package results

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"plinth/internal/capture"
	"plinth/internal/capture/capturetest"
	"plinth/internal/record"
)

// TestTables checks what is read of tables with other columns, units and spellings.
func TestTables(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []capture.Run
	}{
		"the fewest columns": {"workload,clients,tps\ntpcb-like,16,4200\n", []capture.Run{{Workload: "tpcb-like", Clients: 16, Result: record.Result{TPS: 4200, Loop: "closed"}}}},
		"all, with spaces and thousands": {
			"Environment, Tool, Version, Workload, Clients, Threads, TPS, Latency_mean_ms, latency_p99_us, latency_max_s, duration_s\r\nRDS Standard, pgbench, 16.3, select-only, 10, 4, \"13,955\", 0.72, 1500, 0.25, 60\r\n",
			[]capture.Run{{Environment: "RDS Standard", Tool: "pgbench", Version: "16.3", Workload: "select-only", Clients: 10, Threads: 4,
				Result: record.Result{TPS: 13955, Duration: 60, Loop: "closed", Latency: record.Latency{Mean: 720_000, P99: 1_500_000, Max: 250_000_000}}}},
		},
		"a rate": {"workload,clients,rate,rps,latency_p99_9_ns\nSET,20,5000,4999.5,-\n", []capture.Run{{Workload: "SET", Clients: 20, Rate: 5000, Result: record.Result{TPS: 4999.5, Loop: "open"}}}},
	} {
		found := capturetest.One(t, c.text, Kinds())
		if !reflect.DeepEqual(found.Runs, c.want) {
			t.Errorf("%s: %+v, want %+v", name, found.Runs, c.want)
		}
	}
}

// TestOwnTable checks that the table of plinth show --format csv can be read.
func TestOwnTable(t *testing.T) {
	t.Parallel()
	found := capturetest.Read(t, Kinds(), "show.csv")
	if len(found.Runs) != 3 || found.Runs[1].Environment != "pgtune" || found.Runs[1].Result.TPS != 995.31875 || found.Runs[1].Result.Latency.P99 != 296747007 {
		t.Errorf("%+v", found.Runs)
	}
	want := []string{"import-left-out: these columns are not used: blocks, tps_min, tps_max, latency_mean_min_ns, latency_mean_max_ns, failures, retries, skipped, late",
		"import-unclear: the table says of its figures: emulated"}
	if notes := capturetest.Notes(found); !slices.Equal(notes, want) {
		t.Errorf("%q", notes)
	}
}

// TestContradictions checks that rows whose figures cannot all be right are pointed out.
func TestContradictions(t *testing.T) {
	t.Parallel()
	found := capturetest.One(t, "workload,clients,tps,latency_mean_ms,latency_p95_ms,latency_p99_ms\n"+
		"tpcb-like,8,1000,8,12,15\ntpcb-like,16,7800,3.2,,\ntpcb-like,8,1000,7.9,15,12\n", Kinds())
	for i, want := range []string{
		"", "16 clients / 7800 TPS = 2.051 ms, but the latency average is 3.2 ms", "of the latency, p99 (12 ms) is below p95 (15 ms)",
	} {
		var got []string
		for _, note := range found.Runs[i].Notes {
			got = append(got, note.Text)
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("row %d: %q, want %q", i+1, got, want)
		}
	}
}

// TestTwoOfOneQuantity checks that a row with two values of one quantity is not read: one of them would be chosen.
func TestTwoOfOneQuantity(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"workload,clients,tps,rps\ntpcb-like,16,4200,4200\n", "workload,clients,tps,latency_p99_ms,latency_p99_us\ntpcb-like,16,4200,7.2,7200\n",
	} {
		if got := capturetest.Text(t, text, Kinds()); len(got.Sections) != 1 || len(got.Sections[0].Found.Runs) != 0 || len(got.Unread) != 1 {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// TestWhatIsNoRow checks that lines that are no rows are not understood, and that other CSV is no table of results.
func TestWhatIsNoRow(t *testing.T) {
	t.Parallel()
	const head = "workload,clients,tps\n"
	for _, line := range []string{"tpcb-like,16", "tpcb-like,16,fast", "tpcb-like,1.5,4200", "tpcb-like,16,-3", "tpcb-like,16,NaN", `tpcb-like,16,"7,2"`, ",16,4200", `"tpcb-like,16,4200`, ""} {
		if text := capturetest.Text(t, head+line+"\n", Kinds()); len(text.Sections) != 1 || len(text.Sections[0].Found.Runs) != 0 {
			t.Errorf("%q: %+v", line, text.Sections)
		}
	}
	for _, other := range []string{"workload,clients\n", "clients,tps\n", "workload,clients,tps,tps\n", "time,usr,sys\n1,2,3\n", "a table of workload,clients and tps\n"} {
		if text := capturetest.Text(t, other, Kinds()); len(text.Sections) != 0 {
			t.Errorf("%q: %+v", other, text.Sections)
		}
	}
}

func TestCutTables(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/show.csv")
	if err != nil {
		t.Fatal(err)
	}
	capturetest.Cuts(t, string(text), Kinds())
	found := capturetest.One(t, strings.TrimSuffix("workload,clients,tps,latency_p99_ms\ntpcb-like,16,4200,7.2\n", "\n"), Kinds())
	if len(found.Runs) != 1 || found.Runs[0].Result.Latency.P99 != 0 || len(found.Notes) != 1 {
		t.Errorf("a line without an end: %+v", found)
	}
}

func FuzzResults(f *testing.F) { capturetest.Fuzz(f, Kinds()[0]) }
