package proc

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
	found := capturetest.Read(t, Kinds(), "snapshots.txt")
	nan := math.NaN()
	// The steps between the stamps are 1.013 s.
	for name, want := range map[string][]float64{
		"meminfo.Dirty":               {166728 << 10, 166764 << 10, 166772 << 10, 166776 << 10},
		"vmstat.nr_dirty":             {41682, 41691, 41693, 41694},
		"vmstat.nr_dirtied":           {nan, 22 / 1.013, 2 / 1.013, 1 / 1.013},
		"stat.procs_running":          {2, 1, 2, 1},
		"stat.processes":              {nan, 31 / 1.013, 10 / 1.013, 11 / 1.013},
		"stat.cpu.system":             {nan, 0.04 / 1.013, 0.02 / 1.013, 0.02 / 1.013},
		"stat.cpu0.busy":              {nan, 0.06 / 1.013, 0.03 / 1.013, 0.02 / 1.013},
		"diskstats.vda.reads":         {nan, 11 / 1.013, 0, 0},
		"diskstats.vda.read_bytes":    {nan, 152 * 512 / 1.013, 0, 0},
		"diskstats.vda.read_latency":  {nan, 0.002 / 11, nan, nan},
		"diskstats.vda.queue":         {nan, 0.003 / 1.013, 0, 0},
		"diskstats.vda.read_ms":       nil,
		"diskstats.loop0.utilisation": {nan, 0, 0, 0},
		"proc.loadavg.1":              {2.41, 2.41, 2.3, 2.3},
	} {
		if got := capturetest.Column(found, name); !capturetest.Same(got, want) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	want := capture.Moment{Time: time.Date(2026, 11, 26, 18, 50, 20, 179e6, time.UTC), Clock: capture.Local}
	if got := found.Series[0].Times[0]; got != want {
		t.Errorf("begins %v", got)
	}
}

func TestStamps(t *testing.T) {
	sample := "Dirty: 1 kB\n---\n"
	for name, test := range map[string]struct {
		text   string
		clock  capture.Clock
		rows   int
		unread int
	}{
		"date":                         {"Thu Nov 26 18:50:24 UTC 2026\n" + sample + "Thu Nov 26 18:50:25 UTC 2026\n" + sample, capture.UTC, 2, 0},
		"a zone with several meanings": {"Thu Nov 26 18:50:24 CST 2026\n" + sample + "Thu Nov 26 18:50:25 CST 2026\n" + sample, capture.Local, 2, 0},
		"time of day":                  {"18:50:24\n" + sample + "18:50:25\n" + sample, capture.OfDay, 2, 0},
		"seconds since 1970":           {"1795719024\n" + sample + "1795719025\n" + sample, capture.UTC, 2, 0},
		"between equals signs":         {"=== 2026-01-03 15:15:15 ===\n" + sample + "=== 2026-01-03 15:15:16 ===\n\n" + sample, capture.Local, 2, 0},
		"a stamp at the end":           {"18:50:24\n" + sample + "18:50:25\n" + sample + "18:50:26\n", capture.OfDay, 2, 0},
		"a prose line":                 {"18:50:24\n" + sample + "grep: write error\n18:50:25\n" + sample, capture.OfDay, 2, 1},
	} {
		read, err := capture.Read(strings.NewReader(test.text), Kinds())
		if err != nil || len(read.Sections) != 1 || len(read.Unread) != test.unread {
			t.Fatalf("%s: %+v, %v", name, read, err)
		}
		series := read.Sections[0].Found.Series
		if len(series) != 1 || len(series[0].Times) != test.rows || series[0].Times[0].Clock != test.clock {
			t.Errorf("%s: %+v", name, series)
		}
	}
}

func TestFacts(t *testing.T) {
	for file, want := range map[string]map[string]string{
		"plain.txt":   {"meminfo.MemTotal": "24684092 kB", "meminfo.HugePages_Total": "0", "diskstats.vda.reads": "346482", "diskstats.vda.flush_ms": "1682", "proc.loadavg.15": "1.23"},
		"cpuinfo.txt": {"cpuinfo.model name": "Intel(R) Xeon(R) Processor", "cpuinfo.processors": "2"},
		"mdstat.txt": {
			"mdstat.md0": "active (auto-read-only) raid1 sdb[1] sda[0]", "mdstat.md1.layout": "125759488 blocks super 1.2 256K chunks 2 near-copies [4/4] [UUUU]",
			"mdstat.md1.sync": "resync = 99.6% (125256460/125759488) finish=0.1min speed=105055K/sec",
		},
		"mounts.txt": {"mounts./": "/dev/vda ext4 rw,relatime,discard,resv_strict,resuid=65534,resgid=65534"},
		"mount.txt":  {"mounts./": "/dev/vda ext4 rw,relatime,discard,resv_strict,resuid=65534,resgid=65534"},
		"sysctl.txt": {"vm.swappiness": "60", "kernel.sem": "32000\t1024000000\t500\t32000"},
	} {
		found := capturetest.Read(t, Kinds(), file)
		for name, value := range want {
			if got := capturetest.Fact(found, name); got != value {
				t.Errorf("%s: %s is %q, want %q", file, name, got, value)
			}
		}
		if len(found.Notes) > 0 || len(found.Series) > 0 {
			t.Errorf("%s: notes %v, series %v", file, found.Notes, found.Series)
		}
	}
}

// TestCPUsOfSeveralSnapshots: the processors of a second snapshot are those of the first.
func TestCPUsOfSeveralSnapshots(t *testing.T) {
	snapshot := "processor\t: 0\nmodel name\t: x\n\nprocessor\t: 1\nmodel name\t: x\n\n"
	if got := capturetest.Fact(capturetest.Parse(t, Kinds(), snapshot+snapshot), "cpuinfo.processors"); got != "2" {
		t.Errorf("%s processors, want 2", got)
	}
}

func TestSeveralSnapshotsWithoutTimes(t *testing.T) {
	found := capturetest.Parse(t, Kinds(), "Dirty: 1 kB\nDirty: 2 kB\nDirty: 3 kB\n")
	want := []string{"import-left-out: the snapshots have no times: 2 earlier values of the same names are left out"}
	if capturetest.Fact(found, "meminfo.Dirty") != "3 kB" || !slices.Equal(capturetest.Notes(found), want) || found.Series != nil {
		t.Errorf("%+v", found)
	}
}

func TestForeignLines(t *testing.T) {
	for _, line := range []string{
		"Time,HitRatio,TPS", "latency average = 8.885 ms", "processes 12", "Total: 12", "max_connections = 100", "vm.stuff", "1 2 3", "/dev/sda1 20G 10G 10G 50% /",
		"0.10 0.20 0.30", "processor: 3 cores", "12:13:14", "tps 1234", "pgbench 123 clients",
	} {
		read, err := capture.Read(strings.NewReader(line+"\n"), Kinds())
		if err != nil || len(read.Sections) > 0 {
			t.Errorf("%q begins a section: %+v, %v", line, read.Sections, err)
		}
	}
}

func TestCut(t *testing.T) {
	for _, file := range []string{"snapshots.txt", "dirty.txt", "plain.txt", "mounts.txt", "mdstat.txt"} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		capturetest.Cut(t, Kinds(), string(text[:min(len(text), 2500)]), func(fact capture.Fact) bool { return !strings.HasPrefix(fact.Name, "mounts.") })
	}
}

func FuzzProc(f *testing.F) { capturetest.Fuzz(f, Kinds()[0]) }

func BenchmarkProc(b *testing.B) {
	sample, err := os.ReadFile("testdata/snapshots.txt")
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat(string(sample), 100)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := capture.Read(strings.NewReader(text), Kinds()); err != nil {
			b.Fatal(err)
		}
	}
}
