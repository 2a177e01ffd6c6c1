package postgres

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/capture"
	"plinth/internal/capture/capturetest"
)

func TestSeries(t *testing.T) {
	nan := math.NaN()
	for file, want := range map[string]map[string][]float64{
		"waits.txt": {
			"wait.Lock.transactionid": {2, 2, 0, 2, 1, 2}, "wait.LWLock.WALWrite": {1, 0, 0, 3, 1, 0}, "wait.IPC.MessageQueueSend": {0, 0, 0, 0, 0, 1},
		},
		"samples.csv": {
			"pg_stat_database.xact_commit": {nan, 1972 / 1.073054, 1875 / 1.110077, 1235 / 1.059857, 1484 / 1.085337},
			"pg_stat_database.deadlocks":   {nan, 0, 0, 0, 0},
		},
		"checkpointer.txt": {"buffers_written.checkpointer": {nan, 2371 / 1.052, 1616 / 1.056}, "checkpoints.write_time": {nan, 0.823 / 1.052, 0.72 / 1.056}},
	} {
		found := capturetest.Read(t, Kinds(), file)
		for name, values := range want {
			if got := capturetest.Column(found, name); !capturetest.Same(got, values) {
				t.Errorf("%s: %s is %v, want %v", file, name, got, values)
			}
		}
	}
}

// TestIO checks sums over contexts, whose rows have times that differ by microseconds.
func TestIO(t *testing.T) {
	found := capturetest.Read(t, Kinds(), "io.csv")
	times := found.Series[0].Times
	if len(times) != 4 || times[0].Time != time.Date(2026, 11, 26, 18, 59, 30, 1945e3, time.UTC) {
		t.Fatalf("times %v", times)
	}
	text, err := os.ReadFile("testdata/io.csv")
	if err != nil {
		t.Fatal(err)
	}
	sums := make([]float64, 2) // of hits in the first two samples
	for i, line := range strings.Split(string(text), "\n")[1:25] {
		fields := strings.Split(line, ",")
		if fields[1] == "client backend" && fields[2] == "relation" {
			value, _ := number(fields[7])
			sums[i/12] += value
		}
	}
	want := (sums[1] - sums[0]) / times[1].Time.Sub(times[0].Time).Seconds()
	if got := capturetest.Column(found, "pg_stat_io.client backend.hits"); !capturetest.Same(got[1:2], []float64{want}) {
		t.Errorf("hits %v, want %v", got, want)
	}
}

func TestFacts(t *testing.T) {
	for file, want := range map[string]map[string]string{
		"bgwriter.txt":    {"pg_stat_bgwriter.buffers_checkpoint": "9912", "pg_stat_bgwriter.checkpoint_write_time": "64872", "pg_stat_bgwriter.stats_reset": "2026-11-26 18:40:00.923124+00"},
		"unaligned.txt":   {"pg_stat_database.bench.xact_commit": "6626", "pg_stat_database.(shared).blks_hit": "1549"},
		"database.csv":    {"pg_stat_database.bench.blks_hit": "178464", "pg_stat_database.postgres.blk_read_time": "7.693"},
		"settings.txt":    {"pg_settings.shared_buffers": "16384 (8kB)", "pg_settings.fsync": "on"},
		"settings-t.txt":  {"pg_settings.shared_buffers": "16384 (8kB)", "pg_settings.fsync": "on"},
		"showall.txt":     {"pg_settings.allow_system_table_mods": "off"},
		"waits-table.txt": {"wait.Client.ClientRead": "6", "wait.CPU": "1", "waits.samples": "1"},
		"log15.log": {
			"log.messages": "34", "log.checkpoints_too_frequent": "2", "log.lock_waits": "7", "log.temporary_files": "4", "log.temporary_bytes": "10043392", "log.durations": "3",
			"checkpoint.starting": "wal", "checkpoint.buffers": "922", "checkpoint.write": "0.122 s", "checkpoint.sync_files": "310", "checkpoint.estimate": "15358 kB",
			"autovacuum": "bench.public.pgbench_accounts, 0.00 s", "autoanalyze": "bench.public.pgbench_accounts, 0.22 s",
		},
		"log15.csv":  {"log.messages": "20", "log.temporary_bytes": "10043392", "checkpoint.buffers": "922", "autoanalyze": "bench.public.pgbench_accounts, 0.22 s"},
		"log15.json": {"log.messages": "25", "log.temporary_bytes": "10043392", "checkpoint.buffers": "922", "autoanalyze": "bench.public.pgbench_accounts, 0.22 s"},
		"log13.log":  {"checkpoint.sync_longest": "0.001 s", "checkpoint.distance": "16355 kB"},
		"log17.log":  {"checkpoint.lsn": "0/6CD22C0", "checkpoint.redo_lsn": "0/600F460", "log.ERROR": "1"},
		"log18.log":  {"checkpoint.slru_buffers": "2", "checkpoint.buffers_share": "10.7%"},
	} {
		found := capturetest.Read(t, Kinds(), file)
		for name, value := range want {
			if got := capturetest.Fact(found, name); got != value {
				t.Errorf("%s: %s is %q, want %q", file, name, got, value)
			}
		}
	}
}

func TestCounts(t *testing.T) {
	const prefix = "2026-01-03 13:44:13.659 GMT [1] app@db "
	found := capturetest.Parse(t, Kinds(), prefix+"ERROR:  deadlock detected\n"+prefix+"DETAIL:  Process 1 waits\n\tProcess 2 waits\n"+prefix+"FATAL:  sorry, too many clients already\n"+
		prefix+"LOG:  restartpoint complete: wrote 7 buffers (0.1%); 0 transaction log file(s) added, 1 removed, 2 recycled; write=1.000 s, sync=0.500 s, total=1.600 s\n")
	for name, want := range map[string]string{
		"log.messages": "3", "log.deadlocks": "1", "log.ERROR": "1", "log.FATAL": "1", "restartpoint.buffers": "7", "restartpoint.wal_recycled": "2", "restartpoint.total": "1.600 s",
	} {
		if got := capturetest.Fact(found, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestClocks(t *testing.T) {
	for file, want := range map[string]capture.Moment{
		"log13.log":  {Time: time.Date(2026, 11, 26, 19, 59, 14, 0, time.UTC), Clock: capture.Local},
		"log15.log":  {Time: time.Date(2026, 11, 26, 18, 40, 2, 448e6, time.UTC), Clock: capture.UTC},
		"log15.csv":  {Time: time.Date(2026, 11, 26, 18, 40, 2, 448e6, time.UTC), Clock: capture.UTC},
		"log15.json": {Time: time.Date(2026, 11, 26, 18, 40, 2, 448e6, time.UTC), Clock: capture.UTC},
		"log17.log":  {Time: time.Date(2026, 11, 26, 18, 59, 28, 696e6, time.UTC), Clock: capture.UTC},
		"log18.log":  {Time: time.Date(2026, 11, 26, 15, 29, 37, 378e6, time.UTC), Clock: capture.Local},
	} {
		found := capturetest.Read(t, Kinds(), file)
		for _, fact := range found.Statements() {
			if fact.Name == "checkpoint.buffers" {
				if fact.At != want {
					t.Errorf("%s: a checkpoint at %v, want %v", file, fact.At, want)
				}
				break
			}
		}
	}
}

func TestMonitorColumns(t *testing.T) {
	found := capturetest.Read(t, Kinds(), "monitor.csv")
	want := []string{
		"import-contradiction: the column TPS rises by 10 to 12 in each of 9 steps, from 8 to 112: it counts something, and is no rate" +
			" (as a rate: 2950 transactions in 45 s, while WalBytes rose by 450000000: 152542 bytes each)",
		"import-unclear: HitRatio, TPS, Active, WalBytes: no columns of PostgreSQL have these names, so what they count is unknown",
	}
	if got := capturetest.Notes(found); !slices.Equal(got, want) {
		t.Errorf("notes %q", got)
	}
	if got := capturetest.Fact(found, "csv.WalBytes"); got != "first 5000000000, last 5450000000 of 10 rows" || found.Series != nil {
		t.Errorf("fact %q, series %v", got, found.Series)
	}
}

func TestTPSAgainstCommits(t *testing.T) {
	text := "time,xact_commit,TPS\n18:00:00,1000,5\n18:00:10,61000,5\n18:00:20,121000,5\n"
	want := []string{
		"import-contradiction: the column TPS adds up to 100 transactions in 20 s, but xact_commit rose by 120000",
		"import-unclear: TPS: no columns of PostgreSQL have these names, so what they count is unknown",
	}
	found := capturetest.Parse(t, Kinds(), text)
	if got := capturetest.Notes(found); !slices.Equal(got, want) {
		t.Errorf("notes %q", got)
	}
	if got := capturetest.Column(found, "pg_stat_database.xact_commit"); !capturetest.Same(got[1:], []float64{6000, 6000}) {
		t.Errorf("xact_commit %v", got)
	}
	agreeing := strings.ReplaceAll(text, ",5\n", ",6001\n")
	if got := capturetest.Notes(capturetest.Parse(t, Kinds(), agreeing)); len(got) != 1 {
		t.Errorf("notes %q", got)
	}
}

func TestSections(t *testing.T) {
	for name, test := range map[string]struct {
		text    string
		kinds   string
		refused string
		unread  int
	}{
		"two records":         {fixture(t, "x.txt"), "psql psql", "", 0},
		"a function":          {fixture(t, "reset.txt"), "psql", "it has no value", 0},
		"an unknown table":    {" a | b \n---+---\n 1 | 2\n 3 | 4\n(2 rows)\n", "psql", "its columns are of no view that plinth knows, so its 2 rows are not used", 0},
		"a wrong count":       {" a | b \n---+---\n 1 | 2\n(2 rows)\n", "psql", "", 0},
		"a decimal comma":     {"time;HitRatio;TPS\n18:00:00;95,69;8\n18:00:01;95,70;9\n", "postgres-csv", "", 0},
		"decimal and list":    {"time,HitRatio,TPS\n18:00:00,95,69,8\n", "", "", 2},
		"Markdown":            {"| a | b |\n|---|---|\n| 1 | 2 |\n", "", "", 3},
		"a heading":           {"Results\n-------\nIO | all | fast\n", "", "", 3},
		"another CSV":         {"time,cpu,mem\n18:00:00,1,2\n", "", "", 2},
		"another database":    {"time,hits,active_clients,tps,wall_clock\n18:00:00,1,2,3,4\n", "", "", 2},
		"psql in a log":       {"2026-01-03 13:44:13.659 GMT [1] LOG:  a\nERROR:  division by zero\n", "postgres-log", "", 1},
		"prose with a level":  {"NOTE:  nothing\nLOG:  nothing\n", "", "", 2},
		"a log with strays":   {"2026-01-03 13:44:13.659 GMT [1] LOG:  a\nsegfault\n2026-01-03 13:44:13.660 GMT [1] LOG:  b\n", "postgres-log", "", 1},
		"pgbench in a log":    {"pgbench: error: connection failed: FATAL:  sorry, too many clients already\n", "", "", 1},
		"waits without times": {" IO | DataFileRead | 3\n CPU | Running | 1\n\n IO | DataFileRead | 2\n\n", "postgres-waits", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := capture.Read(strings.NewReader(test.text), Kinds())
			if err != nil {
				t.Fatal(err)
			}
			var kinds []string
			refused := ""
			for _, section := range got.Sections {
				kinds = append(kinds, section.Kind)
				if section.Refused != nil {
					refused = section.Refused.Error()
				}
			}
			if strings.Join(kinds, " ") != test.kinds || refused != test.refused || len(got.Unread) != test.unread {
				t.Errorf("%v, refused %q, unread %v", kinds, refused, got.Unread)
			}
		})
	}
}

func fixture(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWaitsNotes(t *testing.T) {
	five := strings.Repeat(" IO | DataFileRead | 3\n", 1) + " IO | WALSync | 1\n Lock | tuple | 1\n CPU | Running | 2\n Client | ClientRead | 1\n\n"
	text := "=== 15:15:15 ===\n" + five + "=== 15:15:16 ===\n" + five + "=== 15:15:17 ===\n LWLock | WALWrite | 9\n\n=== 15:15:18 ===\n=== 15:15:19 ===\n\n"
	found := capturetest.Parse(t, Kinds(), text)
	nan := math.NaN()
	if got := capturetest.Column(found, "wait.LWLock.WALWrite"); !capturetest.Same(got, []float64{nan, nan, 9, nan, 0}) {
		t.Errorf("WALWrite %v", got)
	}
	want := []string{
		`import-unclear: "CPU/Running" is the monitor's word for no wait event: it is read as wait.CPU`,
		"import-unclear: no sample lists more than 5 events: in samples with as many, the others are unknown",
	}
	if got := capturetest.Notes(found); !slices.Equal(got, want) {
		t.Errorf("notes %q", got)
	}
}

func TestCut(t *testing.T) {
	for _, file := range []string{
		"bgwriter.txt", "x.txt", "unaligned.txt", "settings.txt", "settings-t.txt", "waits.txt", "samples.csv", "io.csv", "checkpointer.txt", "monitor.csv",
		"log15.log", "log15.csv", "log15.json", "log13.log", "log18.log", "database.csv",
	} {
		text := fixture(t, file)
		capturetest.Cut(t, Kinds(), text[:min(len(text), 2500)], func(fact capture.Fact) bool {
			return !strings.HasPrefix(fact.Name, "log.") && !strings.HasPrefix(fact.Name, "auto") && !strings.HasPrefix(fact.Name, "csv.") &&
				!strings.HasPrefix(fact.Name, "wait") && !strings.Contains(fact.Value, " (")
		})
	}
}

func FuzzLog(f *testing.F)     { capturetest.Fuzz(f, Kinds()[0]) }
func FuzzCSVLog(f *testing.F)  { capturetest.Fuzz(f, Kinds()[1]) }
func FuzzJSONLog(f *testing.F) { capturetest.Fuzz(f, Kinds()[2]) }
func FuzzWaits(f *testing.F)   { capturetest.Fuzz(f, Kinds()[3]) }
func FuzzPsql(f *testing.F)    { capturetest.Fuzz(f, Kinds()[4]) }
func FuzzCSV(f *testing.F)     { capturetest.Fuzz(f, Kinds()[5]) }

func BenchmarkLog(b *testing.B)     { benchmark(b, "", fixture(b, "log15.log")) }
func BenchmarkCSVLog(b *testing.B)  { benchmark(b, "", fixture(b, "log15.csv")) }
func BenchmarkJSONLog(b *testing.B) { benchmark(b, "", fixture(b, "log15.json")) }
func BenchmarkWaits(b *testing.B)   { benchmark(b, "", fixture(b, "waits.txt")) }

func benchmark(b *testing.B, header, text string) {
	text = header + strings.Repeat(text, 200)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := capture.Read(strings.NewReader(text), Kinds()); err != nil {
			b.Fatal(err)
		}
	}
}
