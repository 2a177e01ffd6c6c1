package procps

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

var nan = math.NaN()

func TestSeries(t *testing.T) {
	for file, want := range map[string]map[string][]float64{
		"vmstat-t.txt": {
			"procps.r": {6, 5, 7, 6}, "stat.procs_blocked": {0, 0, 0, 0}, "vmstat.pgpgin": {800 << 10, 1428 << 10, 1588 << 10, 48 << 10},
			"vmstat.pgpgout": {73040 << 10, 87736 << 10, 58764 << 10, 57292 << 10}, "stat.intr": {8358, 10731, 8134, 8271}, "stat.ctxt": {34758, 38603, 27651, 30137},
			"procps.us": {65, 62, 71, 73}, "procps.st": {0, 0, 0, 1},
		},
		"vmstat-wta.txt":   {"procps.active": {1264848, 1264848}, "procps.gu": {0, 0}, "stat.ctxt": {955, 3796}},
		"vmstat-S.txt":     {"meminfo.MemFree": {21062 << 20, 21062 << 20}, "procps.cache": {2689, 2689}},
		"vmstat-4.0.4.txt": {"meminfo.MemFree": {400388 << 10, 797800 << 10}, "procps.cache": {15128680, 14819488}, "procps.gu": {0, 1}, "procps.us": {0, 2}},
		"dstat.txt": {
			"dstat.total cpu usage.usr": {62, 68}, "meminfo.Buffers": {38.5 * (1 << 20), 39.9 * (1 << 20)}, "dstat.dsk/total.writ": {102 << 20, 64 << 20},
			"dstat.io/total.read": {75, 249}, "stat.intr": {10e3, 10e3}, "stat.ctxt": {42e3, 37e3},
		},
		"epoch.txt": {
			"diskstats.vda.read_bytes": {180 << 10, 100 << 10}, "diskstats.vda.writes": {4721, 3161}, "diskstats.vda.utilisation": {0.18, 0.104}, "netdev.eth0.rx_bytes": {0, 0},
		},
		"dool.txt":  {"meminfo.MemAvailable": {22.8 * (1 << 30), 22.7 * (1 << 30)}, "dstat.loo0.util": {0, 0}, "diskstats.vda.utilisation": {0.164, 0.16}},
		"dstat.csv": {"dstat.memory usage.used": {406810624, 490897408}, "stat.ctxt": {42141, 36543}},
		"epoch.csv": {"diskstats.vda.read_bytes": {184320, 102400}, "diskstats.vda.utilisation": {0.18, 0.104}},
		"dool.csv":  {"meminfo.MemAvailable": {24426319872, 24393916416}, "dstat.total cpu usage.sys": {25.5, 24.5}},
		"bits.csv":  {"diskstats.vda.write_bytes": {149352448}, "diskstats.zram0.reads": {0}},
		"pcp.txt":   {"meminfo.MemFree": {419 << 20, 426 << 20}, "dstat.total usage.idl": {nan, 99}, "dstat.system.csw": {nan, 1200}, "dstat.nvme.1.util": {nan, 3.9}, "dstat.nvme.2.util": {nan, 0.1}},
	} {
		t.Run(file, func(t *testing.T) {
			found := capturetest.Read(t, Kinds(), file)
			for name, values := range want {
				got := capturetest.Column(found, name)
				if !capturetest.Same(got, values) {
					t.Errorf("%s is %v, want %v", name, got, values)
				}
			}
		})
	}
}

func TestTimes(t *testing.T) {
	at := func(hour, minute, second int) time.Time {
		return time.Date(2026, 11, 26, hour, minute, second, 0, time.UTC)
	}
	for _, test := range []struct {
		file     string
		first    capture.Moment
		interval float64
	}{
		{"vmstat-t.txt", capture.Moment{Time: at(18, 41, 5), Clock: capture.UTC}, 1},
		{"vmstat-wta.txt", capture.Moment{Time: at(19, 42, 47), Clock: capture.Local}, 1},
		{"dstat.txt", capture.Moment{Time: time.Date(1970, 1, 1, 18, 41, 5, 0, time.UTC), Clock: capture.OfDay}, 1},
		{"dool.txt", capture.Moment{Time: time.Date(1970, 1, 1, 18, 41, 10, 0, time.UTC), Clock: capture.OfDay}, 1},
		{"dstat.csv", capture.Moment{Time: at(18, 41, 5), Clock: capture.UTC}, 1},
		{"dool.csv", capture.Moment{Time: at(18, 41, 13), Clock: capture.UTC}, 1},
		{"epoch.txt", capture.Moment{Time: at(18, 41, 8), Clock: capture.UTC}, 1},
		{"epoch.csv", capture.Moment{Time: at(18, 41, 7).Add(693 * time.Millisecond), Clock: capture.UTC}, 1.024},
	} {
		series := capturetest.Read(t, Kinds(), test.file).Series[0]
		if series.Times[0] != test.first || series.Interval != test.interval {
			t.Errorf("%s: begins %v, interval %v", test.file, series.Times[0], series.Interval)
		}
	}
	if series := capturetest.Read(t, Kinds(), "vmstat-S.txt").Series[0]; series.Times != nil || series.Interval != 1 {
		t.Errorf("without times: %v, interval %v", series.Times, series.Interval)
	}
}

func TestFacts(t *testing.T) {
	for file, want := range map[string]map[string]string{
		"vmstat-d.txt":   {"procps.disk.vda.reads.total": "141866", "procps.disk.vda.writes.ms": "42906", "procps.disk.vda.IO.sec": "16", "procps.disk.loop0.writes.merged": "1108"},
		"vmstat-dwt.txt": {"procps.disk.loop0.reads.sectors": "30896"},
		"vmstat-s.txt":   {"procps.total memory": "24684092 K", "procps.swap cache": "1783948 K", "procps.idle cpu ticks": "92270", "procps.forks": "31145", "procps.paged out": "6521763 K"},
		"vmstat-D.txt":   {"procps.disks": "10", "procps.milli weighted IO": "103", "procps.writes": "72723"},
	} {
		found := capturetest.Read(t, Kinds(), file)
		for name, value := range want {
			if got := capturetest.Fact(found, name); got != value {
				t.Errorf("%s: %s is %q, want %q", file, name, got, value)
			}
		}
	}
	alone := firstLines(t, "vmstat-4.0.4.txt", 3)
	found := capturetest.Parse(t, Kinds(), alone)
	if got := capturetest.Fact(found, "procps.free"); got != "399940" || len(found.Facts) != 6 || len(found.Series) != 0 {
		t.Errorf("a single row: facts %v", found.Facts)
	}
}

func firstLines(t *testing.T, file string, n int) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.SplitAfter(string(text), "\n")[:n], "")
}

func TestNotes(t *testing.T) {
	since := "import-left-out: the first row has averages since boot and is left out"
	unit := "import-unclear: vmstat does not print the unit of memory and swap: they are read as KiB, its unit without -S"
	for file, want := range map[string][]string{
		"vmstat.txt":   {since, unit, "import-left-out: memory and swap are the same in all 24 rows and are left out: vmstat of procps 4.0.2 reads them only once"},
		"vmstat-S.txt": {since},
		"vmstat-dwt.txt": {
			"import-left-out: each number is a total since boot: 10 earlier lines of the same disks are left out",
		},
		"pcp.txt":   {`import-unclear: 2 columns are all called "nvme util", because dstat cuts names off: they are numbered from left to right`},
		"epoch.csv": {since},
		"bits.txt":  {since, "import-unclear: dstat does not print whether it counts bits (--bits): dsk and net are read as bytes, its unit without that option"},
	} {
		if got := capturetest.Notes(capturetest.Read(t, Kinds(), file)); !slices.Equal(got, want) {
			t.Errorf("%s: notes %q, want %q", file, got, want)
		}
	}
}

const (
	banner = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
	names  = " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
	row    = " 1  0      0 399940  25752 151283    0    0   617   596  508    9  1  1 96  3  0\n"
)

func TestSections(t *testing.T) {
	for name, test := range map[string]struct {
		text     string
		sections int
		refused  string
		unread   int
	}{
		"two outputs":             {banner + names + row + row + banner + names + row + row, 2, "", 0},
		"a repeated header":       {banner + names + strings.Repeat(row, 21) + banner + names + row, 1, "", 0},
		"no banner":               {names + row + row, 1, "", 0},
		"only a header":           {banner + names, 1, "it has a header and no rows", 0},
		"a decimal comma":         {banner + names + row + row + strings.Replace(row, "617", "6,17", 1), 1, "", 1},
		"a message in the middle": {banner + names + row + "Killed\n" + row, 1, "", 1},
		"prose":                   {"procs ---memory--- are the columns of vmstat, r b swpd free\n", 0, "", 1},
		"in another unit":         {banner + names + strings.ReplaceAll(row+row, "399940  25752 151283", "   399     25    151"), 1, "", 0},
		"CRLF":                    {strings.ReplaceAll(banner+names+row+row, "\n", "\r\n"), 1, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := capture.Read(strings.NewReader(test.text), Kinds())
			if err != nil || len(got.Sections) != test.sections || len(got.Unread) != test.unread {
				t.Fatalf("%+v, error %v", got, err)
			}
			if test.sections > 0 && test.refused == "" != (got.Sections[0].Refused == nil) {
				t.Errorf("refused: %v", got.Sections[0].Refused)
			}
		})
	}
}

func TestUnknownUnit(t *testing.T) {
	found := capturetest.Parse(t, Kinds(), banner+names+strings.ReplaceAll(row+row, "399940  25752 151283", "   399     25    151"))
	if got := capturetest.Column(found, "procps.free"); !capturetest.Same(got, []float64{399}) {
		t.Errorf("procps.free is %v", got)
	}
	if !slices.ContainsFunc(capturetest.Notes(found), func(note string) bool { return strings.Contains(note, "less than 64 MiB") }) {
		t.Errorf("notes %q", capturetest.Notes(found))
	}
}

func TestBits(t *testing.T) {
	text := firstLines(t, "bits.txt", 4) + "26-11 18:41:13|   0   800b:   0     0 |   0  2056 :   0     0 |   0     0 \n"
	found := capturetest.Parse(t, Kinds(), text)
	if capturetest.Column(found, "diskstats.vda.write_bytes") != nil || !capturetest.Same(capturetest.Column(found, "diskstats.vda.writes"), []float64{2056, 2056}) {
		t.Errorf("series %+v", found.Series)
	}
}

func TestCut(t *testing.T) {
	for _, file := range []string{"vmstat-t.txt", "vmstat-S.txt", "vmstat-4.0.4.txt", "vmstat-d.txt", "vmstat-s.txt", "vmstat-D.txt", "dstat.txt", "epoch.txt", "dool.txt", "dstat.csv", "epoch.csv", "pcp.txt"} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		capturetest.Cut(t, Kinds(), string(text), func(capture.Fact) bool { return true })
	}
}

func FuzzVmstat(f *testing.F)     { capturetest.Fuzz(f, Kinds()[0]) }
func FuzzVmstatDisk(f *testing.F) { capturetest.Fuzz(f, Kinds()[1]) }
func FuzzVmstatSums(f *testing.F) { capturetest.Fuzz(f, Kinds()[2]) }
func FuzzDstat(f *testing.F)      { capturetest.Fuzz(f, Kinds()[3]) }
func FuzzDstatCSV(f *testing.F)   { capturetest.Fuzz(f, Kinds()[4]) }

func BenchmarkVmstat(b *testing.B) { benchmark(b, banner+names, row) }

func BenchmarkDstat(b *testing.B) {
	text, err := os.ReadFile("testdata/dstat.txt")
	if err != nil {
		b.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	benchmark(b, lines[0]+lines[1], lines[3])
}

func benchmark(b *testing.B, header, row string) {
	text := header + strings.Repeat(row, 100_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := capture.Read(strings.NewReader(text), Kinds()); err != nil {
			b.Fatal(err)
		}
	}
}

// TestUnitInAGroup checks that the unit is found in a group of options.
func TestUnitInAGroup(t *testing.T) {
	for line, skip := range map[string]bool{
		"$ vmstat -wS M 1": false, "$ vmstat -ywSM 1": true, "# vmstat -S M -y 1": true, "vmstat -SM 1": false, "vmstat --unit M 1": false, "vmstat --unit=M 1": false,
	} {
		if got, ok := parseCommand(line); !ok || got.unit != "M" || got.delay != 1 || got.skip != skip {
			t.Errorf("%s: %+v, %v", line, got, ok)
		}
	}
}
