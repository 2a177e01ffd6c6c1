package sysstat

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"plinth/internal/capture"
	"plinth/internal/capture/capturetest"
)

var none = math.NaN()

func TestReadings(t *testing.T) {
	for _, test := range []struct {
		file    string
		source  string
		columns map[string][]float64
	}{
		{"iostat.txt", "iostat", map[string][]float64{
			"iostat.vda.tps": {839, 22}, "diskstats.vda.read_bytes": {1740 * 1024, 132 * 1024}, "diskstats.vda.write_bytes": {21984 * 1024, 0},
			"iostat.vda.kB_read": {1740, 132}, "stat.cpu.user": {2 * 0.8150, 2 * 0.8955}, "stat.cpu.idle": {2 * 0.01, 2 * 0.005}, "iostat.all.%system": {17, 9.95},
		}},
		{"iostat-y.txt", "iostat", map[string][]float64{"iostat.loop0.tps": {0, 0}, "stat.cpu.user": {1.63, 1.791}}},
		{"iostat-x-us.txt", "iostat", map[string][]float64{
			"diskstats.vda.reads": {180, 22}, "diskstats.vda.read_bytes": {1736 * 1024, 132 * 1024}, "diskstats.vda.reads_merged": {22, 0},
			"iostat.vda.%rrqm": {10.89, 0}, "diskstats.vda.read_latency": {2.38e-3, 0.14e-3}, "iostat.vda.rareq-sz": {9.64, 6},
			"diskstats.vda.writes": {658, 0}, "diskstats.vda.writes_merged": {1011, 0}, "diskstats.vda.write_latency": {0.33e-3, none},
			"diskstats.vda.queue": {0.65, 0}, "diskstats.vda.utilisation": {0.02, 0}, "diskstats.vda.flushes": {0, 0}, "diskstats.vda.flush_latency": nil,
		}},
		{"iostat-x-de.txt", "iostat", map[string][]float64{"stat.cpu.user": {1.63, 1.801}, "diskstats.vda.discards": {0, 0}}},
		{"iostat-dxz.txt", "iostat", map[string][]float64{
			"diskstats.vda.reads": {180, 22, 9, 8, none}, "diskstats.vda.writes": {658, 0, 0, 4, none}, "diskstats.vda.discards": {0, 0, 0, 104, none},
			"diskstats.loop0.reads": nil,
		}},
		{"iostat-human.txt", "iostat", map[string][]float64{
			"iostat.vda.tps": {832}, "diskstats.vda.read_bytes": {1.6 * (1 << 20)}, "iostat.vda.kB_wrtn": {21.5 * 1024}, "stat.cpu.user": {2 * 0.817},
		}},
		{"iostat-x-human.txt", "iostat", map[string][]float64{
			"diskstats.vda.read_bytes": {1.6 * (1 << 20)}, "iostat.vda.rareq-sz": {9.5}, "iostat.vda.%wrqm": {60.6}, "diskstats.vda.utilisation": {0.02},
		}},
		{"iostat-x-s.txt", "iostat", map[string][]float64{"diskstats.loop0.queue": {0}, "iostat.loop0.await": nil, "iostat.vda.kB/s": {23370.3}}},
		{"iostat-s.txt", "iostat", map[string][]float64{"iostat.vda.kB_w+d/s": {21984}, "diskstats.vda.write_bytes": nil}},
		{"iostat-dec0.txt", "iostat", map[string][]float64{"stat.cpu.user": {2 * 0.82}, "diskstats.vda.writes": {658}}},
		{"iostat-dec1.txt", "iostat", map[string][]float64{"diskstats.vda.write_bytes": {21984 * 1024}}},
		{"iostat-m.txt", "iostat", map[string][]float64{"diskstats.vda.write_bytes": {21.47 * (1 << 20)}, "iostat.vda.MB_wrtn": {21}}},
		{"iostat-g.txt", "iostat", map[string][]float64{"iostat.all.tps": {830}, "iostat.all.kB_read/s": {1620}, "diskstats.all.read_bytes": nil, "iostat.vda.tps": {830}}},
		{"iostat.json", "iostat", map[string][]float64{"stat.cpu.user": {2 * 0.8159, 2 * 0.9050}, "iostat.loop0.tps": {0, 0}}},
		{"iostat-x-de.json", "iostat", map[string][]float64{
			"diskstats.vda.reads": {172}, "diskstats.vda.reads_merged": {1}, "iostat.vda.%wrqm": {60.58}, "diskstats.vda.write_latency": {0.33e-3},
			"diskstats.vda.flush_latency": nil, "diskstats.vda.utilisation": {0.02}, "diskstats.vda.queue": {0.64}, "stat.cpu.iowait": {0.01},
		}},
		{"mpstat.txt", "mpstat", map[string][]float64{
			"stat.cpu.user": {1.64, 1.80, 1.32}, "stat.cpu.system": {0.32, 0.20, 0.21}, "stat.cpu.steal": {0, 0, 0.01},
			"mpstat.cpu0.%usr": {79.21, 94, 68}, "stat.cpu0.busy": {0.9703, 1, 0.80}, "stat.cpu1.busy": {0.9899, 1, none},
		}},
		{"mpstat-us.txt", "mpstat", map[string][]float64{"mpstat.cpu1.%usr": {85, 85.86, none}, "stat.cpu.idle": {2 * 0.0149, 0, none}}},
		{"mpstat-de.txt", "mpstat", map[string][]float64{"stat.cpu.user": {1.64, 1.80, 1.32}, "stat.cpu.idle": {0.03, 0, 0.46}}},
		{"mpstat-A.txt", "mpstat", map[string][]float64{"stat.intr": {2439, none}, "mpstat.cpu1.intr/s": {260, none}, "mpstat.node0.%usr": {82, 90.5}, "mpstat.cpu0.TIMER/s": {65, none}}},
		{"mpstat-N.txt", "mpstat", map[string][]float64{"mpstat.node0.%usr": {82.09, 89.95}, "mpstat.nodeall.%idle": {1.49, 0}}},
		{"mpstat.json", "mpstat", map[string][]float64{"stat.cpu.user": {1.64, 1.80, 2 * 0.6584}, "stat.cpu0.busy": {0.9703, 1, 0.80}}},
		{"pidstat.txt", "pidstat", map[string][]float64{"pidstat.bash[18110].%usr": {62, 54}, "pidstat.process_api[1].minflt/s": {1, none}, "pidstat.bash[18110].RSS": {3312, 3312}}},
		{"pidstat-h.txt", "pidstat", map[string][]float64{"pidstat.bash[18110].%wait": {38, none}, "pidstat.process_api[1].VSZ": {45824, 45840}}},
		{"pidstat-l.txt", "pidstat", map[string][]float64{"pidstat.my busy loop -c while :; do :; done[18110].%usr": {62, 54}}},
		{"pidstat-s.txt", "pidstat", map[string][]float64{"pidstat.bash[18110].StkSize": {132, 132}, "pidstat.bash[18110].prio": {0, 0}, "pidstat.bash[18110].fd-nr": {5, 5}}},
		{"pidstat-t.txt", "pidstat", map[string][]float64{"pidstat.process_api[1].%CPU": {0, none}, "pidstat.spawner[tid 60].%CPU": {0, 0}}},
		{"pidstat-T.txt", "pidstat", map[string][]float64{"pidstat.process_api[1].%usr": {0, 1}, "pidstat.process_api[1].usr-ms": {0, 10}}},
		{"sar-us.txt", "sar", map[string][]float64{
			"stat.cpu.user": {0.01, 0.01, 0, 0.01}, "sar.all.%system": {0, 0, 0, 0.5}, "meminfo.MemFree": {21639696 * 1024, 21663384 * 1024, 21687576 * 1024, 21703572 * 1024},
			"meminfo.Dirty": {143056 * 1024, 143060 * 1024, 143064 * 1024, 143068 * 1024},
		}},
		{"sar-d-pretty.txt", "sar", map[string][]float64{"diskstats.vda.write_bytes": {116 * 1024, 0, 0, 0}, "sar.vda.await": {1, none, none, none}}},
		{"sar-A.txt", "sar", map[string][]float64{"stat.ctxt": {197, 223, 191, 184}, "stat.processes": {0, 1, 0, 1}, "vmstat.pgpgout": {116 * 1024, none, none, none}}},
		{"sar-de.txt", "sar", map[string][]float64{"stat.cpu.user": {0.01, 0.01, 0, 0.01}}},
		{"sadf-d.csv", "sar", map[string][]float64{"sar.all.%usr": {0.5, 0.5, 0, 0.5}, "stat.ctxt": {197, 223, 191, 184}, "diskstats.vda.write_bytes": {116 * 1024, 0, 0, 0}}},
		{"sadf-dh.csv", "sar", map[string][]float64{"diskstats.vda.write_bytes": {116 * 1024, 0, 0, 0}, "sar.vda.await": {1, none, none, none}}},
		{"sadf-dU.csv", "sar", map[string][]float64{"meminfo.MemFree": {21639696 * 1024, 21663384 * 1024, 21687576 * 1024, 21703572 * 1024}}},
		{"sadf-p.txt", "sar", map[string][]float64{"sar.all.%user": {0.5, 0.5, 0, 0.5}, "stat.ctxt": {197, 223, 191, 184}, "diskstats.vda.write_bytes": {116 * 1024, 0, 0, 0}}},
		{"sadf-pU.txt", "sar", map[string][]float64{"vmstat.pgpgout": {116 * 1024, 0, none, none}}},
		{"sadf.json", "sar", map[string][]float64{"stat.cpu.user": {0.01, 0.01, 0, 0.01}, "stat.ctxt": {197, 223, 191, 184}, "diskstats.vda.write_bytes": {116 * 1024, 0, 0, 0}, "meminfo.MemFree": {21639696 * 1024, none, none, none}}},
	} {
		t.Run(test.file, func(t *testing.T) {
			found := capturetest.Read(t, Kinds(), test.file)
			if len(found.Series) != 1 || found.Series[0].Source != test.source {
				t.Fatalf("%d series, facts %v", len(found.Series), found.Facts)
			}
			for name, want := range test.columns {
				got := capturetest.Column(found, name)
				if len(got) != len(want) || !capturetest.Same(got, ignore(got, want, test.file)) {
					t.Errorf("%s is %v, want %v", name, got, want)
				}
			}
		})
	}
}

// ignore takes the values of got where want has none and the file is one whose other values the table
// does not list.
func ignore(got, want []float64, file string) []float64 {
	if !slices.Contains([]string{"mpstat.txt", "mpstat-us.txt", "mpstat-A.txt", "pidstat.txt", "pidstat-h.txt", "pidstat-t.txt", "sar-A.txt", "sadf-pU.txt", "sadf.json"}, file) {
		return want
	}
	all := slices.Clone(want)
	for i := range all {
		if math.IsNaN(all[i]) {
			all[i] = got[i]
		}
	}
	return all
}

func TestTimes(t *testing.T) {
	for file, want := range map[string]struct {
		first, last string
		interval    float64
	}{
		"iostat.txt":       {},
		"iostat-c.txt":     {"2026-11-26 18:41:38", "2026-11-26 18:41:39", 1},
		"iostat-x-us.txt":  {"2026-11-26 18:41:38", "2026-11-26 18:41:39", 1},
		"iostat-x-de.txt":  {"2026-11-26 18:41:38", "2026-11-26 18:41:39", 1},
		"iostat-x-iso.txt": {"2026-11-26 18:41:38 UTC", "2026-11-26 18:41:39 UTC", 1},
		"iostat-x.json":    {"2026-11-26 18:41:38 UTC", "2026-11-26 18:41:39 UTC", 1},
		"mpstat.txt":       {"2026-11-26 18:41:38", "2026-11-26 18:41:40", 1},
		"mpstat-us.txt":    {"2026-11-26 18:41:38", "2026-11-26 18:41:40", 1},
		"mpstat-iso.txt":   {"2026-11-26 18:41:38", "2026-11-26 18:41:40", 1},
		"mpstat.json":      {"2026-11-26 18:41:38", "2026-11-26 18:41:40", 1},
		"pidstat-h.txt":    {"2026-11-26 18:56:08 UTC", "2026-11-26 18:56:09 UTC", 1},
		"pidstat-h-us.txt": {"2026-11-26 18:41:38", "2026-11-26 18:41:39", 1},
		"sar.txt":          {"2026-11-26 18:41:43", "2026-11-26 18:41:46", 1},
		"sar-us.txt":       {"2026-11-26 18:41:43", "2026-11-26 18:41:46", 1},
		"sar-iso.txt":      {"2026-11-26 18:41:43", "2026-11-26 18:41:46", 1},
		"sadf-d.csv":       {"2026-11-26 18:41:43 UTC", "2026-11-26 18:41:46 UTC", 1},
		"sadf-dT.csv":      {"2026-11-26 18:41:43", "2026-11-26 18:41:46", 1},
		"sadf-dU.csv":      {"2026-11-26 18:41:43 UTC", "2026-11-26 18:41:46 UTC", 1},
		"sadf.json":        {"2026-11-26 18:41:43 UTC", "2026-11-26 18:41:46 UTC", 1},
		"sadf-T.json":      {"2026-11-26 18:41:43", "2026-11-26 18:41:46", 1},
	} {
		series := capturetest.Read(t, Kinds(), file).Series[0]
		first, last := "", ""
		if len(series.Times) > 0 {
			first, last = series.Times[0].String(), series.Times[len(series.Times)-1].String()
		}
		if first != want.first || last != want.last || series.Interval != want.interval {
			t.Errorf("%s: from %s to %s, interval %v", file, first, last, series.Interval)
		}
	}
}

func TestOneReportIsFacts(t *testing.T) {
	for file, want := range map[string][2]string{
		"iostat-one.txt":  {"first report.vda.%util", "2.27"},
		"mpstat-one.txt":  {"since boot.all CPUs.%idle", "54.60"},
		"pidstat-one.txt": {"since boot.process_api[1].%CPU", "0.37"},
	} {
		found := capturetest.Read(t, Kinds(), file)
		got := capturetest.Fact(found, want[0])
		if len(found.Series) != 0 || len(found.Notes) != 1 || found.Notes[0].Rule != capture.LeftOut || got == "" || file != "mpstat-one.txt" && got != want[1] {
			t.Errorf("%s: %d series, notes %v, %s is %q", file, len(found.Series), found.Notes, want[0], got)
		}
	}
}

func TestFacts(t *testing.T) {
	found := capturetest.Read(t, Kinds(), "mpstat.txt")
	for name, want := range map[string]string{
		"kernel": "6.18.44-fc-v657", "machine": "x86_64", "cpus": "2", "average.all CPUs.%usr": "79.33", "average.cpu 1.%idle": "9.03",
	} {
		if got := capturetest.Fact(found, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if len(found.Notes) > 0 {
		t.Errorf("notes %v", found.Notes)
	}
}

// TestCuts cuts each fixture at each byte: a value is that of the whole text in the same row, or
// missing, and a fact is a word of the text.
func TestCuts(t *testing.T) {
	for _, file := range []string{
		"iostat.txt", "iostat-y.txt", "iostat-x-de.txt", "iostat-human.txt", "iostat-dec0.txt", "iostat-g.txt", "iostat.json", "mpstat.txt", "mpstat-us.txt", "mpstat.json",
		"pidstat.txt", "pidstat-h.txt", "pidstat-T.txt", "sar-us.txt", "sar-d-pretty.txt", "sadf-d.csv", "sadf-dU.csv", "sadf-dh.csv", "sadf-p.txt", "sadf.json",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile("testdata/" + file)
			if err != nil {
				t.Fatal(err)
			}
			cuts(t, string(text[:min(len(text), 1500)]), !strings.HasSuffix(file, "json"))
		})
	}
}

func cuts(t *testing.T, text string, printed bool) {
	whole := capturetest.Text(t, text, Kinds()).Sections[0].Found
	words := strings.Fields(text)
	for _, end := range capturetest.Ends(text) {
		for _, section := range capturetest.Text(t, text[:end], Kinds()).Sections {
			for _, fact := range section.Found.Facts {
				if printed && strings.Contains(fact.Name, ".") && !slices.Contains(words, fact.Value) {
					t.Errorf("cut at %d: the fact %s is %q", end, fact.Name, fact.Value)
				}
			}
			for _, series := range section.Found.Series {
				checkCut(t, series, whole, end)
			}
		}
	}
}

func checkCut(t *testing.T, series capture.Series, whole capture.Found, end int) {
	for _, column := range series.Columns {
		want := capturetest.Column(whole, column.Name)
		// The first report of iostat -y is only known as such if another one is complete.
		later := max(0, len(want)-1)
		for i, value := range column.Values {
			if !math.IsNaN(value) && (i >= len(want) || value != want[i]) && (i+later >= len(want) || value != want[i+later]) {
				t.Fatalf("cut at %d: %s is %v, want %v", end, column.Name, column.Values, want)
			}
		}
	}
}

// TestWordAfterUSB checks that a word with a colon behind a table of words is no line of it.
func TestWordAfterUSB(t *testing.T) {
	const table = "Linux 6.18.0 (db1) \t11/26/26 \t_x86_64_\t(2 CPU)\n\n" +
		"Average:          BUS  idvendor    idprod  maxpower                manufact                               product\nSummary:            1      1d6b         2         0 Linux xHCI\n\nvmstat:\n"
	if read, err := capture.Read(strings.NewReader(table), Kinds()); err != nil || len(read.Unread) != 1 {
		t.Errorf("%+v, %v", read, err)
	}
}
