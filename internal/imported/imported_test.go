package imported_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/capture"
	"plinth/internal/hint"
	"plinth/internal/imported"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

func read(t *testing.T, o imported.Options) *imported.Outcome {
	t.Helper()
	out, err := imported.Read(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// written returns the record of an outcome, read from its directory.
func written(t *testing.T, out *imported.Outcome) *record.Record {
	t.Helper()
	path, err := out.Write(imported.Into{Store: t.TempDir(), Version: "test", Created: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := record.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// files writes files, by their names, into a directory.
func files(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// summary is one of pgbench 15 with other figures.
func summary(clients int, tps, latency string) string {
	return strings.NewReplacer("CLIENTS", itoa(clients), "TPS", tps, "LATENCY", latency).Replace(`pgbench (15.18 (Debian 15.18-0+deb12u1))
transaction type: <builtin: TPC-B (sort of)>
scaling factor: 10
query mode: simple
number of clients: CLIENTS
number of threads: 1
maximum number of tries: 1
duration: 10 s
number of transactions actually processed: 10001
number of failed transactions: 0 (0.000%)
latency average = LATENCY ms
initial connection time = 3.211 ms
tps = TPS (without initial connection time)
`)
}

func itoa(n int) string { return string(rune('0' + n)) }

// TestPairs: a directory whose environments alternated has blocks, and so a verdict. Each run is put
// together from a summary, progress and the logs of two threads; the readings beside it are on its time.
func TestPairs(t *testing.T) {
	out := read(t, imported.Options{Paths: []string{"../../docs/captures/pairs"}})
	if out.Import.Order != record.OrderAlternate || len(out.Runs) != 12 {
		t.Fatalf("%d runs, order %s", len(out.Runs), out.Import.Order)
	}
	rec := written(t, out)
	for _, run := range rec.Runs {
		l := run.Result.Latency
		if run.Clients != 2 || run.Threads != 2 || run.Workload != "read.sql" || run.Driver.Version != "15.18" || run.Started.IsZero() {
			t.Errorf("%s: %+v, began %s", run.Path(), run.Cell, run.Started)
		}
		if l.P50 <= 0 || l.P50 > l.P99 || l.P99 > l.Max || l.Histogram == "" {
			t.Errorf("%s: latency %+v", run.Path(), l)
		}
		points, err := rec.Points(&run)
		if err != nil {
			t.Fatal(err)
		}
		columns := map[string][]float64{}
		for _, c := range points.Columns {
			columns[c.Name] = c.Values
		}
		for _, name := range []string{"tps", "diskstats.vda.writes", "pg_stat_database.xact_commit", "stat.ctxt"} {
			_, found := columns[name]
			if want := name == "tps" || run.Repeat == 1; found != want {
				t.Errorf("%s: column %s: %v, want %v", run.Path(), name, found, want)
			}
		}
	}
	comparison, err := verdict.Of(rec, verdict.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v := comparison.Verdicts[0]; v.Outcome != record.Worse || v.N != 6 || v.Baseline != "delay-20" || len(comparison.Imported) != 2 {
		t.Errorf("%+v, imported %v", v, comparison.Imported)
	}
	if got := rec.Environments["delay-40"].Basis(); got != record.BasisImported {
		t.Errorf("the basis is %s", got)
	}
}

// TestEvents: checkpoints in a log above the environments are marks of the runs into which they fall, and
// of no other; the facts of a log are those of the other events.
func TestEvents(t *testing.T) {
	const checkpoint = "checkpoint-start immediate force wait, checkpoint-end "
	want := map[string]string{
		"delay-20": checkpoint + "wrote 14682 buffers (89.6%); write=0.116 s, sync=0.009 s, total=0.132 s; sync files=56, longest=0.001 s, average=0.001 s; distance=160306 kB, estimate=160306 kB",
		"delay-40": checkpoint + "wrote 0 buffers (0.0%); write=0.001 s, sync=0.001 s, total=0.003 s; sync files=0, longest=0.000 s, average=0.000 s; distance=0 kB, estimate=144275 kB",
	}
	for zone, test := range map[string]struct {
		from, to string // in the log
		facts    map[string]string
		marked   bool
	}{
		"UTC":                   {"UTC", "UTC", nil, true},
		"a name that says less": {"UTC", "IST", nil, false},
		"that zone, as given":   {" 22:", " 23:", map[string]string{"timezone": "+01:00"}, true},
		"another zone":          {"UTC", "IST", map[string]string{"timezone": "Europe/Berlin"}, false},
	} {
		t.Run(zone, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS("../../docs/captures/pairs")); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "postgresql.log")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text = bytes.ReplaceAll(text, []byte(test.from), []byte(test.to))
			if test.marked && test.facts != nil {
				text = bytes.ReplaceAll(text, []byte("UTC"), []byte("XYZ"))
			}
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
			out := read(t, imported.Options{Paths: []string{dir}, Facts: test.facts})
			for _, run := range written(t, out).Runs {
				var marks []string
				if run.Telemetry != nil {
					for _, m := range run.Telemetry.Marks {
						marks = append(marks, m.Kind+" "+m.Text)
						if m.Second < 1 || m.Second >= 3 {
							t.Errorf("%s: %s in second %g", run.Path(), m.Kind, m.Second)
						}
					}
				}
				wanted := ""
				if test.marked && run.Repeat == 1 {
					wanted = want[run.Environment]
				}
				if got := strings.Join(marks, ", "); got != wanted {
					t.Errorf("%s: marks %q, want %q", run.Path(), got, wanted)
				}
			}
			stated := slices.ContainsFunc(out.Import.Facts, func(f record.ImportedFact) bool { return f.Name == "checkpoint.buffers" })
			if stated == test.marked {
				t.Errorf("the checkpoints are statements: %v, and marks: %v", stated, test.marked)
			}
			hinted := slices.ContainsFunc(out.Import.Notes, func(n record.Note) bool { return strings.Contains(n.Text, "no zone that plinth knows") })
			if want := test.to == "IST" && test.facts == nil; hinted != want {
				t.Errorf("says that the zone is unknown: %v, want %v", hinted, want)
			}
		})
	}
}

// progress is that of ten seconds from a time on, as pgbench -P 1 --progress-timestamp prints it.
func progress(began int) string {
	var b strings.Builder
	for second := range 10 {
		fmt.Fprintf(&b, "progress: %d.000 s, 1000.0 tps, lat 1.000 ms stddev 0.100, 0 failed\n", began+second+1)
	}
	return b.String()
}

// TestEventsOfSeveral: if runs of two environments overlap, a log above them belongs to none.
func TestEventsOfSeveral(t *testing.T) {
	const log = "2026-11-26 22:03:06.258 UTC [1404] LOG:  checkpoint starting: time\n"
	texts := map[string]string{"postgresql.log": log}
	for _, name := range []string{"a", "b"} {
		texts[name+"/pgbench.txt"] = progress(1795730580) + summary(1, "1000.1", "1.000")
	}
	for _, run := range read(t, imported.Options{Paths: []string{files(t, texts)}}).Runs {
		if run.Began.Clock != capture.UTC || len(run.Marks) > 0 {
			t.Errorf("%s began at %s: marks %v", run.Environment, run.Began, run.Marks)
		}
	}
	delete(texts, "b/pgbench.txt")
	if runs := read(t, imported.Options{Paths: []string{files(t, texts)}}).Runs; len(runs) != 1 || len(runs[0].Marks) != 1 {
		t.Errorf("of one environment: %+v", runs)
	}
}

// TestLogged: equal messages of one second are one mark, and a run has a limited number of marks.
func TestLogged(t *testing.T) {
	var log strings.Builder
	for second := range 8 {
		for range 3 {
			fmt.Fprintf(&log, "2026-11-26 22:03:0%d.258 UTC [1] ERROR:  division by zero\n", second)
		}
		for i := range 100 {
			fmt.Fprintf(&log, "2026-11-26 22:03:0%d.%03d UTC [1] LOG:  automatic analyze of table \"a.b.c%d\" system usage\n", second, 300+i, i)
		}
	}
	out := read(t, imported.Options{Paths: []string{files(t, map[string]string{"postgresql.log": log.String(), "pgbench.txt": progress(1795730580) + summary(1, "1000.1", "1.000")})}})
	run := written(t, out).Runs[0]
	if run.Telemetry == nil || len(run.Telemetry.Marks) != 500 || run.Telemetry.Unmarked != 308 {
		t.Fatalf("%+v", run.Telemetry)
	}
	if got := run.Telemetry.Marks[0].Text; got != "ERROR: division by zero (3 times)" {
		t.Errorf("the first mark is %q", got)
	}
}

// TestMeaning: jobs that do what PostgreSQL does with a disk say what it means.
func TestMeaning(t *testing.T) {
	job := func(name, rw, bs string, iops, bytes, syncs int) string {
		text := fmt.Sprintf(`{"jobname": %q, "error": 0, "job options": {"rw": %q, "bs": %q, "iodepth": "1", "numjobs": "1"},
%q: {"io_bytes": %d, "bw_bytes": %d, "iops": %d.0, "total_ios": %d, "runtime": 10000,
"clat_ns": {"min": 1, "max": 9000000, "mean": 950.0, "stddev": 10.0, "N": %d, "percentile": {"50.000000": 900, "99.000000": 1500}}}`,
			name, rw, bs, strings.TrimPrefix(rw, "rand"), 10*bytes, bytes, iops, 10*iops, 10*iops)
		if syncs > 0 {
			text += fmt.Sprintf(`, "sync": {"total_ios": %d, "lat_ns": {"min": 1, "max": 9000000, "mean": 950.0, "stddev": 10.0, "N": %d}}`, syncs, syncs)
		}
		return text + "}"
	}
	for name, test := range map[string]struct {
		jobs []string
		want map[string]float64
	}{
		"all":                {[]string{job("c", "write", "8k", 500, 4096000, 5000), job("g", "write", "64k", 400, 26214400, 4000), job("r", "randread", "8k", 1000, 8192000, 0), job("s", "read", "256k", 500, 131072000, 0)}, map[string]float64{"commits-alone": 500, "commits-grouped": 12800, "random-page-cost": 1.6}},
		"a sync in 10":       {[]string{job("c", "write", "8k", 500, 4096000, 500)}, map[string]float64{}},
		"4 KiB":              {[]string{job("c", "write", "4k", 500, 2048000, 5000)}, map[string]float64{"commits-alone": 500}},
		"no random reads":    {[]string{job("r", "read", "8k", 1000, 8192000, 0), job("s", "read", "256k", 500, 131072000, 0)}, map[string]float64{}},
		"reads of one depth": {[]string{job("r", "randread", "8k", 1000, 8192000, 0)}, map[string]float64{}},
	} {
		t.Run(name, func(t *testing.T) {
			out := read(t, imported.Options{Environment: "disk", Paths: []string{files(t, map[string]string{"fio.json": `{"fio version": "fio-3.33", "jobs": [` + strings.Join(test.jobs, ",") + "]}"})}})
			got := map[string]float64{}
			for _, s := range out.Meaning("disk") {
				got[s.Rule] = s.Value // of the most clients
				if said := strings.Contains(s.Assumes, "the 4 KiB that were measured") || strings.Contains(s.Assumes, "the 4KiB that were measured"); said != (name == "4 KiB") {
					t.Errorf("assumes %q", s.Assumes)
				}
			}
			if !maps.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// TestApart: without alternation there is an effect, and no verdict.
func TestApart(t *testing.T) {
	out := read(t, imported.Options{Paths: []string{"../../docs/captures/pairs/delay-40/r1", "../../docs/captures/pairs/delay-20/r2"}})
	if out.Import.Order != record.OrderApart {
		t.Fatalf("order %s", out.Import.Order)
	}
	comparison, err := verdict.Of(written(t, out), verdict.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v := comparison.Verdicts[0]; v.Outcome != "" || v.Effect <= 0 || v.Level != 0 || !comparison.Open() {
		t.Errorf("%+v", v)
	}
}

// copyPairs copies docs/captures/pairs, with one text replaced in one file, or without that file.
func copyPairs(t *testing.T, file, from, to string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../docs/captures/pairs")); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(dir, file))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	if from == "" {
		err = os.Remove(found[0])
	} else {
		var text []byte
		if text, err = os.ReadFile(found[0]); err == nil {
			err = os.WriteFile(found[0], []byte(strings.Replace(string(text), from, to, 1)), 0o644)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestLogsStayWithTheirSummaries: a log that contradicts the summary beside it is no part of another run,
// and no run by itself. Its time is that of the run.
func TestLogsStayWithTheirSummaries(t *testing.T) {
	whole := read(t, imported.Options{Paths: []string{"../../docs/captures/pairs"}})
	for name, test := range map[string]struct{ file, from, to, want string }{
		"an edited summary": {"delay-20/r1/pgbench.txt", "processed: 292", "processed: 392", "the log has 292 transactions, but the summary has 392: the log is not used, apart from its time"},
		"an edited log":     {"delay-20/r1/tx.*[0-9][0-9]", " 0 179", "99 0 179", "the log is not used, apart from its time"},
		"a missing log":     {"delay-20/r1/tx.*.1", "", "", "the log has 146 transactions, but the summary has 292: the log is not used, apart from its time"},
	} {
		t.Run(name, func(t *testing.T) {
			out := read(t, imported.Options{Paths: []string{copyPairs(t, test.file, test.from, test.to)}})
			if len(out.Runs) != 12 || out.Import.Order != record.OrderAlternate {
				t.Fatalf("%d runs, order %s", len(out.Runs), out.Import.Order)
			}
			var said []string
			for i, run := range out.Runs {
				for _, note := range run.Notes {
					said = append(said, note.Text)
				}
				if want := whole.Runs[i].Result.Latency.P99; i > 0 && run.Result.Latency.P99 != want || i == 0 && run.Result.Latency.P99 != 0 {
					t.Errorf("%s: p99 is %d, want %d", run.File, run.Result.Latency.P99, want)
				}
			}
			if !strings.Contains(strings.Join(said, "\n"), test.want) {
				t.Errorf("said %q, want %s", said, test.want)
			}
		})
	}
}

// TestWithoutThroughput: a run whose text ends before its throughput is no run of 0 TPS.
func TestWithoutThroughput(t *testing.T) {
	text, _, _ := strings.Cut(summary(8, "1000.1", "7.999"), "number of transactions actually")
	_, err := imported.Read(t.Context(), imported.Options{Paths: []string{files(t, map[string]string{"x.txt": text})}})
	if err == nil {
		t.Error("there is a run")
	}
}

// TestCompressedLogs: the logs of two threads are one run, compressed or not.
func TestCompressedLogs(t *testing.T) {
	dir := copyPairs(t, "delay-20/r1/pgbench.err", "", "")
	run := filepath.Join(dir, "delay-20", "r1")
	logs, err := filepath.Glob(filepath.Join(run, "tx.*"))
	if err != nil || len(logs) != 2 {
		t.Fatal(logs, err)
	}
	for _, log := range logs {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err = w.Write(text)
		if err := errors.Join(err, w.Close(), os.WriteFile(log+".gz", packed.Bytes(), 0o644), os.Remove(log)); err != nil {
			t.Fatal(err)
		}
	}
	out := read(t, imported.Options{Paths: []string{run}})
	if len(out.Runs) != 1 || out.Runs[0].Clients != 2 || out.Runs[0].Result.Latency.P99 == 0 {
		t.Errorf("%d runs, %+v", len(out.Runs), out.Runs[0].Result)
	}
}

// TestSecrets: passwords in captures are neither kept nor shown.
func TestSecrets(t *testing.T) {
	text := "+ PGPASSWORD=hunter2 pgbench postgresql://bob:hunter2@db\nREDISCLI_AUTH=hunter2 redis-cli\n" + summary(8, "1000.1", "7.999")
	out := read(t, imported.Options{Paths: []string{files(t, map[string]string{"x.txt": text})}})
	if lines := fmt.Sprint(out.Import.Files[0].Unread); strings.Contains(lines, "hunter2") || !strings.Contains(lines, "PGPASSWORD=") {
		t.Errorf("kept %s", lines)
	}
	_, err := imported.Read(t.Context(), imported.Options{Paths: []string{files(t, map[string]string{"x.txt": "FATAL: password=hunter2 \x1b]0;owned\a\n"})}})
	if err == nil || strings.Contains(err.Error(), "hunter2") || strings.ContainsAny(err.Error(), "\x1b\a") {
		t.Errorf("said %v", err)
	}
}

// TestUnlikeLoads: runs of one cell that differ in scale are not repeats of one load.
func TestUnlikeLoads(t *testing.T) {
	out := read(t, imported.Options{Paths: []string{copyPairs(t, "delay-20/r2/pgbench.txt", "query mode: simple", "query mode: prepared")}})
	notes := fmt.Sprint(out.Import.Notes)
	if out.Import.Order != record.OrderUnknown || !strings.Contains(notes, "they are not runs of the same load") {
		t.Errorf("order %s, notes %s", out.Import.Order, notes)
	}
}

// TestFixedOrder: that one environment always came first is said.
func TestFixedOrder(t *testing.T) {
	out := read(t, imported.Options{Paths: []string{"../../docs/captures/pairs"}})
	if notes := fmt.Sprint(out.Import.Notes); !strings.Contains(notes, "the environments alternated in the same order each time") {
		t.Errorf("notes %s", notes)
	}
}

// TestCells: the matrix of the record has the loads that were measured, and no others.
func TestCells(t *testing.T) {
	texts := map[string]string{}
	for _, n := range []int{1, 2, 4} {
		texts[itoa(n)+".txt"] = strings.Replace(summary(n, "1000."+itoa(n), itoa(n)), "number of threads: 1", "number of threads: "+itoa(n), 1)
	}
	e, err := written(t, read(t, imported.Options{Paths: []string{files(t, texts)}})).Experiment()
	if err != nil || len(e.Cells()) != 3 {
		t.Errorf("cells %v, error %v", e.Cells(), err)
	}
}

// TestThreadsAboveClients: other tools than plinth's may have more threads than clients.
func TestThreadsAboveClients(t *testing.T) {
	text := strings.Replace(summary(8, "1000.1", "7.999"), "number of threads: 1", "number of threads: 20", 1)
	rec := written(t, read(t, imported.Options{Paths: []string{files(t, map[string]string{"x.txt": text})}}))
	e, err := rec.Experiment()
	if err != nil || len(e.Cells()) != 1 || e.Cells()[0] != rec.Runs[0].Cell {
		t.Errorf("cells %v, error %v", e.Cells(), err)
	}
}

// TestContradictions: each is a note with its arithmetic.
func TestContradictions(t *testing.T) {
	fio := `{"fio version": "fio-3.33", "jobs": [{"jobname": "commit", "error": 0, "job options": {"rw": "write", "bs": "8k", "fdatasync": "1", "iodepth": "1"},
"write": {"io_bytes": 8192000, "bw_bytes": 819200, "iops": 100.0, "total_ios": 1000, "runtime": 10000, "clat_ns": {"min": 1000, "max": 9000, "mean": 5000.0, "stddev": 10.0, "N": 1000}},
"sync": {"total_ios": 1000, "lat_ns": {"min": 9000000, "max": 11000000, "mean": 10000000.0, "stddev": 10.0, "N": 1000}}}]}
`
	for name, test := range map[string]struct {
		texts map[string]string
		want  string
		runs  int
	}{
		"one run under two names": {
			map[string]string{"a/x.txt": summary(8, "1000.123456", "7.999"), "b/x.txt": summary(8, "1000.123456", "7.999")},
			"b/x.txt: it has the same figures to the last digit as a/x.txt (10001 transactions, 1000.123456 a second): one run under two names", 2,
		},
		"one run twice": {
			map[string]string{"x.txt": summary(8, "1000.123456", "7.999"), "y.txt": summary(8, "1000.123456", "7.999")},
			"y.txt: it has the same figures to the last digit as x.txt (10001 transactions, 1000.123456 a second): one run under two names", 1,
		},
		"more commits than the disk flushes": {
			map[string]string{"x.txt": summary(4, "1000.123456", "3.999"), "fio.json": fio},
			"1000 TPS, but a flush takes 10ms (commit), so 4 clients can commit 400 times a second at most", 1,
		},
		"clients over TPS": {
			map[string]string{"x.txt": summary(8, "1000.123456", "1.2")},
			"8 clients / 1,000.1", 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			out := read(t, imported.Options{Paths: []string{files(t, test.texts)}})
			var got []string
			notes := out.Import.Notes
			for _, r := range out.Runs {
				notes = append(notes, r.Notes...)
			}
			for _, note := range notes {
				if note.Rule == capture.Contradiction {
					got = append(got, note.Text)
				}
			}
			if text := strings.Join(got, "\n"); !strings.Contains(text, test.want) || len(out.Runs) != test.runs {
				t.Errorf("%d runs, contradictions:\n%s\nwant %s", len(out.Runs), text, test.want)
			}
		})
	}
}

// TestRefused: files that hold nothing are refused with the reason, and so is an import of nothing else.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "it is empty",
		"bash: iostat: command not found\n":  "the capture failed: the program was not installed (line 1: bash: iostat: command not found)",
		"iostat: Permission denied\n":        "the capture failed: it had no permission (line 1: iostat: Permission denied)",
		"Hammerdb Transaction Counter Log\n": "it is output of HammerDB, which plinth does not read: its transactions cannot be compared with those of other tools (line 1: Hammerdb Transaction Counter Log)",
		"hello\n":                            "no tool that plinth knows printed it",
		"x\x00y":                             "line 1: it is not a text: it has zero bytes",
		"\x1f\x8bnonsense":                   "gzip: invalid header",
	} {
		_, err := imported.Read(t.Context(), imported.Options{Paths: []string{filepath.Join(files(t, map[string]string{"f.txt": text}), "f.txt")}})
		if err == nil || !strings.HasSuffix(err.Error(), "f.txt: "+want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestMistakes: what the user gave is wrong.
func TestMistakes(t *testing.T) {
	good := files(t, map[string]string{"x.txt": summary(8, "1000.1", "7.999")})
	two := files(t, map[string]string{"x.txt": summary(8, "1000.1", "7.999"), "y.txt": summary(8, "1000.2", "7.999")})
	rec := written(t, read(t, imported.Options{Paths: []string{good}}))
	for name, test := range map[string]struct {
		options    imported.Options
		want, hint string
	}{
		"nothing":          {imported.Options{}, "nothing to import", "give files or directories, or - for standard input"},
		"a missing file":   {imported.Options{Paths: []string{"/nonexistent"}}, "cannot import /nonexistent: no such file or directory", ""},
		"an empty one":     {imported.Options{Paths: []string{t.TempDir()}}, "there are no files", "give a directory with the output of a tool"},
		"an unknown kind":  {imported.Options{Paths: []string{good}, As: "pgbemch"}, "--as pgbemch: there is no such kind", "did you mean pgbench?"},
		"a record":         {imported.Options{Paths: []string{rec.Path}}, "it is a record of plinth already", "plinth show " + rec.Path},
		"one time for two": {imported.Options{Paths: []string{two}, Facts: map[string]string{"started": "2026-01-03T15:07:40Z"}}, "there are 2 runs", "import each run by itself"},
		"equal names": {imported.Options{Paths: []string{"../../docs/captures/pairs/delay-20/r1", "../../docs/captures/pairs/delay-40/r1"}}, "another directory would also be the environment r1",
			"rename one of them, import the directory above them, or name one environment for all with --environment"},
		"no time":         {imported.Options{Paths: []string{good}, Facts: map[string]string{"started": "noon"}}, "--facts started=noon", "write the time when the load began with its zone: started=2026-01-03T15:07:40Z"},
		"no zone":         {imported.Options{Paths: []string{good}, Facts: map[string]string{"timezone": "Nowhere"}}, "--facts timezone=Nowhere", "write timezone=UTC, timezone=+02:00 or timezone=Europe/Berlin"},
		"clients in vain": {imported.Options{Paths: []string{good}, Facts: map[string]string{"clients": "99"}}, "--facts clients=99: the runs say their number of clients", "leave it out"},
		"time in vain": {imported.Options{Paths: []string{"../../docs/captures/pairs/delay-20/r1"}, Facts: map[string]string{"started": "2020-01-03T15:07:40Z"}},
			"--facts started: the run says that it began at 2026-11-26 22:03:0", "leave it out"},
		"no clients": {imported.Options{Paths: []string{good}, Facts: map[string]string{"clients": "many"}}, "not a number of clients", "write the number of clients of the runs that do not say it: clients=16"},
	} {
		_, err := imported.Read(t.Context(), test.options)
		if err == nil || !strings.Contains(err.Error(), test.want) || hint.Of(err) != test.hint {
			t.Errorf("%s: %v (hint %q), want %s (%q)", name, err, hint.Of(err), test.want, test.hint)
		}
	}
}

// TestStarted: a time that the user gives puts readings on the time of the run; their times without a zone
// are read in the zone that the user gives.
func TestStarted(t *testing.T) {
	vmstat := `procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                CEST
 4  0      0 20509828  27264 3801344    0    0  1792  2941  857 2720 34  7 58  0  0 2026-07-03 17:07:40
 7  0      0 20509828  27264 3801344    0    0    12 17148 8895 1001 73 25  3  0  0 2026-07-03 17:07:41
 4  1      0 20509828  27264 3801344    0    0     4 19204 8429 1002 71 25  4  0  0 2026-07-03 17:07:42
`
	dir := files(t, map[string]string{"x.txt": summary(8, "1000.1", "7.999"), "v.txt": vmstat})
	for zone, placed := range map[string]bool{"+02:00": true, "UTC": false, "Europe/Berlin": true} {
		out := read(t, imported.Options{Paths: []string{dir}, Facts: map[string]string{"started": "2026-07-03T15:07:40Z", "timezone": zone}})
		run := out.Runs[0]
		if run.Observed != placed {
			t.Errorf("%s: placed %v, want %v", zone, run.Observed, placed)
		}
		if !placed {
			continue
		}
		for _, c := range run.Points.Columns {
			if c.Name == "stat.ctxt" && (c.Values[0] != 1001 || c.Values[1] != 1002) {
				t.Errorf("%s: stat.ctxt is %v", zone, c.Values)
			}
		}
	}
}

// TestToolsInDirectories: where each tool has its own directory, readings belong to the only environment
// that has runs.
func TestToolsInDirectories(t *testing.T) {
	const from = "../../docs/captures/pairs/delay-20/r1/"
	texts := map[string]string{}
	found, err := filepath.Glob(from + "*")
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	for _, path := range found {
		name := filepath.Base(path)
		directory := map[bool]string{true: "logs/", false: "machine/"}[strings.HasPrefix(name, "tx.")]
		if strings.HasPrefix(name, "pgbench.") {
			directory = ""
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[directory+name] = string(text)
	}
	out := read(t, imported.Options{Paths: []string{files(t, texts)}})
	if len(out.Runs) != 1 || len(out.Environments) != 1 {
		t.Fatalf("%d runs, environments %v", len(out.Runs), out.Environments)
	}
	if run := out.Runs[0]; run.Began.Clock != capture.UTC || !run.Observed || run.Result.Latency.P99 == 0 {
		t.Errorf("%+v", run.Result)
	}
}

// TestDevice: the model of a disk needs single reads and writes of a page.
func TestDevice(t *testing.T) {
	job := func(name, rw string) string {
		return `{"jobname": "` + name + `", "error": 0, "job options": {"rw": "` + rw + `", "bs": "8k", "iodepth": "1", "numjobs": "1"},
"` + strings.TrimPrefix(rw, "rand") + `": {"io_bytes": 81920000, "bw_bytes": 8192000, "iops": 1000.0, "total_ios": 10000, "runtime": 10000,
"clat_ns": {"min": 100000, "max": 9000000, "mean": 950000.0, "stddev": 10.0, "N": 10000, "percentile": {"50.000000": 900000, "99.000000": 1500000}}}}`
	}
	dir := files(t, map[string]string{"fio.json": `{"fio version": "fio-3.33", "jobs": [` + job("r", "randread") + `]}` + "\n"})
	out := read(t, imported.Options{Paths: []string{dir}, Environment: "nvme"})
	if _, err := out.Device("nvme"); err == nil || err.Error() != "no job writes one request of 4 to 16 KiB at a time (iodepth=1, numjobs=1)" {
		t.Errorf("without a write: %v", err)
	}
	dir = files(t, map[string]string{"fio.json": `{"fio version": "fio-3.33", "jobs": [` + job("r", "randread") + "," + job("w", "randwrite") + `]}` + "\n"})
	d, err := read(t, imported.Options{Paths: []string{dir}, Environment: "nvme"}).Device("nvme")
	if err != nil {
		t.Fatal(err)
	}
	if d.Read.Median.Std() != 900*time.Microsecond || d.Read.P99.Std() != 1500*time.Microsecond || d.IOPS.Rate != 0 || d.WriteCache || !strings.Contains(d.Source, "limits of IOPS are unknown") {
		t.Errorf("%+v", d)
	}
}

// TestSaid: a record of an environment whose disk fio measured says what a durable write takes there, also if nothing
// else is known of the disk, and if fio's output is in a directory of its own. Other jobs say too little.
func TestSaid(t *testing.T) {
	fio := func(options, sync string) string {
		return `{"fio version": "fio-3.33", "jobs": [{"jobname": "w", "error": 0, "job options": {"rw": "write", "bs": "8k", "iodepth": "1", "numjobs": "1"` + options + `},
"write": {"io_bytes": 81920000, "bw_bytes": 8192000, "iops": 1000.0, "total_ios": 10000, "runtime": 10000,
"clat_ns": {"min": 100000, "max": 9000000, "mean": 950000.0, "stddev": 10.0, "N": 10000, "percentile": {"50.000000": 900000, "99.000000": 900000}}}` + sync + `}]}` + "\n"
	}
	const sync = `, "sync": {"total_ios": 10000, "lat_ns": {"min": 1, "max": 9000000, "mean": 2100000.0, "stddev": 10.0, "N": 10000, "percentile": {"50.000000": 2000000, "99.000000": 2000000}}}`
	for name, tc := range map[string]struct {
		files map[string]string
		want  float64 // ms of a durable write; 0: nothing is said
	}{
		"beside":         {map[string]string{"pgbench.txt": summary(8, "1000.1", "7.999"), "fio.json": fio(`, "fdatasync": "1"`, sync)}, 2.9},
		"in its own":     {map[string]string{"a/pgbench.txt": summary(8, "1000.1", "7.999"), "disk/fio.json": fio(`, "fdatasync": "1"`, sync)}, 2.9},
		"without a sync": {map[string]string{"pgbench.txt": summary(8, "1000.1", "7.999"), "fio.json": fio("", "")}, 0},
	} {
		rec := written(t, read(t, imported.Options{Paths: []string{files(t, tc.files)}}))
		for _, e := range rec.Environments {
			got := 0.0
			for _, v := range e.Volumes {
				got = 1e3 * v.Is.Model.DurableSeconds()
			}
			if math.Abs(got-tc.want) > 1e-6 {
				t.Errorf("%s: a durable write of %s takes %v ms, want %v", name, e.Name, got, tc.want)
			}
		}
	}
}

// TestStandardInput: a capture may be piped, with colours and in Markdown.
func TestStandardInput(t *testing.T) {
	text := "# My run\n\n```\n" + summary(8, "1000.1", "7.999") + "```\n\nIt was slow.\n"
	out := read(t, imported.Options{Paths: []string{"-"}, Stdin: strings.NewReader(text)})
	if len(out.Runs) != 1 || out.Runs[0].Environment != "elsewhere" || len(out.Import.Files[0].Unread) != 2 {
		t.Errorf("%d runs, unread %v", len(out.Runs), out.Import.Files[0].Unread)
	}
}

// TestHostileNames: names of files become names of environments only as far as they are valid.
func TestHostileNames(t *testing.T) {
	dir := files(t, map[string]string{"x\x1b[31m evil\n/x.txt": summary(8, "1000.1", "7.999")})
	out := read(t, imported.Options{Paths: []string{dir}})
	rec := written(t, out)
	if name := out.Environments[0]; name != "x-31m-evil" || strings.ContainsAny(out.Import.Files[0].Name, "\x1b\n") || rec.Environments[name].Name != name {
		t.Errorf("environment %q, file %q", name, out.Import.Files[0].Name)
	}
}

// TestInterrupted: an import that is interrupted ends, and writes nothing.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := imported.Read(ctx, imported.Options{Paths: []string{"../../docs/captures/pairs"}}); err == nil {
		t.Error("it went on")
	}
}

// TestNothingIsLeft: if the record cannot be written, there is none.
func TestNothingIsLeft(t *testing.T) {
	store := t.TempDir()
	out := read(t, imported.Options{Paths: []string{"../../docs/captures/pairs"}})
	out.Runs[11].ID = out.Runs[10].ID // it exists already
	if _, err := out.Write(imported.Into{Store: store, Version: "test", Created: time.Now()}); err == nil {
		t.Fatal("it was written")
	}
	if left, _ := os.ReadDir(store); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// TestInputThatWaits checks that the context ends a read of standard input that waits.
func TestInputThatWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	end := make(chan struct{})
	defer close(end)
	waits := readerFunc(func([]byte) (int, error) {
		cancel()
		<-end
		return 0, io.EOF
	})
	if _, err := imported.Read(ctx, imported.Options{Paths: []string{"-"}, Stdin: waits}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
