package fio

import (
	"os"
	"strings"
	"testing"
	"time"

	"plinth/internal/capture"
	"plinth/internal/capture/capturetest"
)

func fixture(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// outcome is what tests compare of a job.
type outcome struct {
	name, version string
	jobs, depth   int
	block         int64
	read, write   transfer
	sync          capture.Times
}

type transfer struct {
	iops, bytes, mean, stddev float64
	count, low, high, p99     int64
}

func outcomeOf(j capture.Job) outcome {
	o := outcome{name: j.Name, version: j.Version, jobs: j.Jobs, depth: j.Depth, block: j.Block, read: transferOutcome(j.Read), write: transferOutcome(j.Write)}
	if j.Sync != nil {
		o.sync = *j.Sync
		o.sync.Percentiles = nil
	}
	return o
}

func transferOutcome(t *capture.Transfer) transfer {
	if t == nil {
		return transfer{}
	}
	return transfer{t.IOPS, t.Bytes, t.Times.Mean, t.Times.Stddev, t.Times.Count, t.Times.Min, t.Times.Max, percentile(t.Times, 99)}
}

func percentile(t capture.Times, share float64) int64 {
	for _, p := range t.Percentiles {
		if p.Share == share {
			return p.Value
		}
	}
	return 0
}

func TestRead(t *testing.T) {
	for name, want := range map[string][]outcome{
		"fio-3.33-fdatasync.txt": {{
			name: "commit", version: "3.33", jobs: 1, depth: 1, block: 2300,
			write: transfer{6087, 13.4 * 1024 * 1024, 37112.33, 33920.22, 6094, 879, 531074, 97792},
			sync:  capture.Times{Mean: 126040, Stddev: 45480, Min: 66000, Max: 2998000},
		}},
		"fio-3.33-jobs.txt": {
			{
				name: "mixed", version: "3.33", jobs: 3, depth: 16, block: 8192,
				read:  transfer{73500, 574 * 1024 * 1024, 306992.95, 462997.11, 73526, 1233, 6548200, 2507000},
				write: transfer{73400, 574 * 1024 * 1024, 305748.66, 459352.28, 73483, 1560, 6546700, 2507000},
			},
			{
				name: "scan", version: "3.33", jobs: 1, depth: 1, block: 131072,
				read: transfer{5333, 667 * 1024 * 1024, 110580, 391210, 32, 10000, 2113000, 2114000},
			},
			{
				name: "sizes", version: "3.33", jobs: 1, depth: 1,
				read: transfer{16200, 121 * 1024 * 1024, 60300, 38720, 533, 44000, 883000, 115000},
			},
		},
		"fio-3.33-bits.txt": {{
			name: "slow", version: "3.33", jobs: 1, depth: 1, block: 4096,
			read: transfer{39, 1310 * 1000 / 8, 260520, 61430, 80, 140000, 477000, 0},
		}},
		"fio-2.0.txt": {
			{
				name: "commit", version: "2.1.11", jobs: 1, depth: 4, block: 8192,
				write: transfer{5000, 40000 * 1024, 790250, 210750, 50000, 120000, 12_500_000, 1_448_000},
			},
			{
				name: "scan", version: "2.1.11", jobs: 1, depth: 1, block: 131072,
				read: transfer{436, 55872 * 1024, 2_250_000, 1_100_000, 4365, 1_000_000, 30_000_000, 8_000_000},
			},
		},
		"fio-2.21.json": {{
			name: "old", version: "2.21", jobs: 1, depth: 8, block: 16384,
			write: transfer{1000, 16000 * 1024, 7_900_250, 1_210_500, 10000, 412000, 41_250_000, 12_480_000},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			found := capturetest.One(t, fixture(t, name), Kinds())
			if len(found.Notes) > 0 {
				t.Errorf("notes %v", found.Notes)
			}
			if len(found.Jobs) != len(want) {
				t.Fatalf("%d jobs, want %d", len(found.Jobs), len(want))
			}
			for i, j := range found.Jobs {
				if got := outcomeOf(j); !equal(got, want[i]) {
					t.Errorf("got  %+v\nwant %+v", got, want[i])
				}
			}
		})
	}
}

func equal(a, b outcome) bool {
	a.sync.Percentiles, b.sync.Percentiles = nil, nil
	return a.name == b.name && a.version == b.version && a.jobs == b.jobs && a.depth == b.depth && a.block == b.block &&
		a.read == b.read && a.write == b.write && a.sync.Mean == b.sync.Mean && a.sync.Stddev == b.sync.Stddev &&
		a.sync.Min == b.sync.Min && a.sync.Max == b.sync.Max && a.sync.Count == b.sync.Count
}

// The JSON of one output is preferred to its text, which is rounded.
func TestReadJSONAndText(t *testing.T) {
	found := capturetest.One(t, fixture(t, "fio-3.33-normal-json+.txt"), Kinds())
	if len(found.Jobs) != 1 || len(found.Notes) != 1 || found.Notes[0].Text != "the output has 1 jobs twice, as JSON and as text: the text was left out" {
		t.Fatalf("%d jobs, notes %v", len(found.Jobs), found.Notes)
	}
	got := outcomeOf(found.Jobs[0])
	want := outcome{
		name: "mixed", version: "3.33", jobs: 1, depth: 1, block: 4096,
		read:  transfer{8982.45614, 36792140, 55692.078, 18547.656, 512, 44353, 433614, 87552},
		write: transfer{8982.45614, 36792140, 2403.566, 4632.668, 512, 1369, 106292, 4640},
		sync:  capture.Times{Count: 266, Mean: 98275.797, Stddev: 46717.18, Min: 57714, Max: 607402},
	}
	want.sync.Min, want.sync.Max = got.sync.Min, got.sync.Max
	if !equal(got, want) || got.sync.Max < got.sync.Min || got.sync.Min <= 0 {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// fio does not list group_reporting among the options: the number of entries shows it.
func TestReadJobsOfAGroup(t *testing.T) {
	for name, want := range map[string][]int{"fio-3.33-jobs.json": {3, 1, 1}, "fio-3.33-each.json": {1, 1}} {
		found := capturetest.One(t, fixture(t, name), Kinds())
		var got []int
		for _, j := range found.Jobs {
			got = append(got, j.Jobs)
		}
		if len(found.Notes) > 0 || len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("%s: %v jobs, want %v; notes %v", name, got, want, found.Notes)
		}
	}
}

func TestReadFacts(t *testing.T) {
	found := capturetest.One(t, fixture(t, "fio-2.0.txt"), Kinds())
	facts := map[string]capture.Fact{}
	for _, f := range found.Facts {
		facts[f.Name] = f
	}
	want := "ios=2182/25000, merge=0/3, ticks=4900/19500, in_queue=24400, util=97.50%"
	if got := facts["disk stats sda"].Value; got != want {
		t.Errorf("disk stats %q, want %q", got, want)
	}
	if !strings.HasSuffix(facts["disk stats md0"].Value, "aggrutil=97.50%") || len(found.Facts) != 7 {
		t.Errorf("facts %v", found.Facts)
	}
	ended := facts["scan ended"].At
	if ended.Clock != capture.Local || !ended.Time.Equal(time.Date(2026, 11, 23, 10, 0, 10, 0, time.UTC)) {
		t.Errorf("it ended at %v", ended)
	}
	found = capturetest.One(t, fixture(t, "fio-2.21.json"), Kinds())
	if got := found.Facts[0].At; got.Clock != capture.UTC || got.Time.Unix() != 1490000000 {
		t.Errorf("it ended at %v", got)
	}
	if got := found.Facts[1].Value; got != "ios=12/9990, merge=0/3, ticks=10/78000, in_queue=78010, util=97.54%" {
		t.Errorf("disk stats %q", got)
	}
}

func TestReadRefuses(t *testing.T) {
	for name, want := range map[string]string{
		"fio-3.33-failed.txt":  "fio failed: failed to create dir (/proc/none): No such file or directory",
		"fio-3.33-error.txt":   "fio failed: io_u error on file /dev/full: No space left on device: write offset=0, buflen=4096",
		"fio-3.33-unified.txt": "it has no reads, writes or syncs of a job: job units reports reads and writes as one (unified_rw_reporting), which was left out",
	} {
		got := capturetest.Text(t, fixture(t, name), Kinds())
		if len(got.Sections) != 1 || len(got.Unread) > 0 {
			t.Fatalf("%s: %+v", name, got)
		}
		if err := got.Sections[0].Refused; err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
}

func TestBegins(t *testing.T) {
	for text, want := range map[string]bool{
		"fio-3.36":                              true,
		"x: (g=0): rw=read, bs=(R) 4096B-4096B": true,
		"a b: (groupid=0, jobs=1): err= 0: pid=3: Sat Jan  3 12:58:20 2026":                           true,
		"  read: IOPS=13.1k, BW=102MiB/s (107MB/s)(6134MiB/60025msec)":                                true,
		"  write: io=400000KB, bw=40000KB/s, iops=5000, runt= 10000msec":                              true,
		"Run status group 0 (all jobs):":                                                              true,
		"{\"fio version\" : \"fio-3.36\"}":                                                            true,
		"Jobs: 1 (f=1): [r(1)][eta 00m:01s]\rx: (groupid=0, jobs=1): err= 0: pid=3: Sat Jan  3 12:58": true,
		"{":                                       false,
		"{\"version\": \"fio-3.36\"}":             false,
		"fio-3.36 was used for this test":         false,
		"we ran fio: (g=0)":                       false,
		"  read: IOPS=13.1k":                      false,
		"fio: looks good":                         false,
		"    clat (usec): min=1, max=2":           false,
		"Disk stats (read/write):":                false,
		"  vda: ios=1/2, merge=0/0, util=69.95%":  false,
		"Starting 1 process":                      false,
		"SET: 1000.00 requests per second":        false,
		"{\"jobs\": [], \"fio version\": \"x\"}":  false,
		"Run status group 0 (all jobs): in prose": false,
	} {
		if got := begins(strings.Split(text, "\n")); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if !begins([]string{"{", `  "fio version" : "fio-2.1.4",`}) {
		t.Error("a document of several lines does not begin")
	}
}

func TestReadSeveralOutputs(t *testing.T) {
	one, two := fixture(t, "fio-3.33-fdatasync.txt"), fixture(t, "fio-3.33-each.json")
	got := capturetest.Text(t, one+"+ fio x\n"+strings.ReplaceAll(one, "\n", "\r\n")+two+two+"```\n"+one, Kinds())
	if len(got.Sections) != 5 || len(got.Unread) != 1 {
		t.Fatalf("%d sections, unread lines %v", len(got.Sections), got.Unread)
	}
	for i, want := range []int{1, 1, 2, 2, 1} {
		if n := len(got.Sections[i].Found.Jobs); n != want {
			t.Errorf("section %d has %d jobs, want %d", i, n, want)
		}
	}
}

// A text whose first lines are missing has what follows them.
func TestReadWithoutBeginning(t *testing.T) {
	text := fixture(t, "fio-3.33-fdatasync.txt")
	found := capturetest.One(t, text[strings.Index(text, "  write: IOPS"):], Kinds())
	got := outcomeOf(found.Jobs[0])
	if got.name != "" || got.write.iops != 6087 || got.sync.Mean != 126040 || len(found.Notes) != 1 || found.Notes[0].Rule != capture.Cut {
		t.Errorf("%+v, notes %v", got, found.Notes)
	}
	found = capturetest.One(t, text[strings.Index(text, "commit: (groupid"):], Kinds())
	if got := outcomeOf(found.Jobs[0]); got.name != "commit" || got.depth != 0 || got.block != 0 || len(found.Notes) > 0 {
		t.Errorf("%+v, notes %v", got, found.Notes)
	}
}

func TestReadCutDocument(t *testing.T) {
	text := fixture(t, "fio-3.33-each.json")
	second := strings.LastIndex(text, `"jobname"`)
	found := capturetest.One(t, text[:second], Kinds())
	if len(found.Jobs) != 1 || found.Jobs[0].Jobs != 0 || found.Notes[0].Text != "the JSON document is cut after 1 whole jobs" {
		t.Errorf("%d jobs, notes %v", len(found.Jobs), found.Notes)
	}
}

func TestReadContradictions(t *testing.T) {
	text := fixture(t, "fio-2.0.txt")
	document := fixture(t, "fio-2.21.json")
	for _, test := range []struct{ name, text, from, to, want string }{
		{"percentile above the maximum", text, "99.00th=[    8], 99.99th=[   31]", "99.00th=[    8], 99.99th=[   40]",
			"job scan: of the read latency, p99.99 (40 ms) is above the maximum (30 ms)"},
		{"percentiles out of order", text, "99.00th=[ 1448]", "99.00th=[  900]",
			"job commit: of the write latency, p99 (0.9 ms) is below p90 (1.004 ms)"},
		{"bandwidth", text, "bw=40000KB/s, iops=5000", "bw=20000KB/s, iops=5000",
			"job commit: 5000 writes/s of 8192 bytes are 40960000 bytes/s, but the bandwidth is 20480000 bytes/s"},
		{"total", text, "w=50000/", "w=60000/",
			"job commit: 60000 writes in 10 s are 6000/s, but the IOPS are 5000"},
		{"concurrency", text, "avg=790.25", "avg=7902.5",
			"job commit: the IOPS times the mean latency are 39.51 requests under way, but 1 jobs with an iodepth of 4 have at most 4"},
		{"bandwidth in JSON", document, `"bw" : 16000`, `"bw" : 16384000`,
			"job old: 1000 writes/s of 16384 bytes are 16380000 bytes/s, but the bandwidth is 16780000000 bytes/s"},
		{"total in JSON", document, `"total_ios" : 10000`, `"total_ios" : 1000`,
			"job old: 1000 writes in 10 s are 100/s, but the IOPS are 1000"},
	} {
		t.Run(test.name, func(t *testing.T) {
			changed := strings.Replace(test.text, test.from, test.to, 1)
			if changed == test.text {
				t.Fatal("nothing was changed")
			}
			found := capturetest.One(t, changed, Kinds())
			if len(found.Notes) != 1 || found.Notes[0].Rule != capture.Contradiction || found.Notes[0].Text != test.want {
				t.Errorf("notes %v, want %q", found.Notes, test.want)
			}
		})
	}
}

func TestReadCut(t *testing.T) {
	for _, name := range []string{"fio-3.33-fdatasync.txt", "fio-2.0.txt", "fio-2.21.json", "fio-3.33-bits.txt"} {
		capturetest.Cuts(t, fixture(t, name), Kinds())
	}
}

func TestQuantity(t *testing.T) {
	for text, want := range map[string]quantity{
		"13.1k": {13100, 100}, "5621": {5621, 1}, "9868.8k": {9868800, 100}, "13.2MiB": {13.2 * 1024 * 1024, 0.1 * 1024 * 1024},
		"13.9MB": {13.9e6, 1e5}, "512B": {512, 1}, "1310kbit": {1310 * 125, 125}, "0": {0, 1},
	} {
		got, ok := parse(text, 1000)
		if !ok || !near(got.value, want.value) || !near(got.step, want.step) {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	for _, text := range []string{"", "k", "1,5k", "-1", "1e5", "13.1x", "1.", "nan"} {
		if got, ok := parse(text, 1000); ok {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}

func near(a, b float64) bool { return a-b < 1e-6*(b+1) && b-a < 1e-6*(b+1) }

func TestBlockSize(t *testing.T) {
	for _, test := range []struct {
		text, rw string
		want     int64
	}{
		{"(R) 8192B-8192B, (W) 8192B-8192B, (T) 8192B-8192B", "randrw", 8192},
		{"(R) 4096B-4096B, (W) 8192B-8192B, (T) 4096B-4096B", "randrw", 0},
		{"(R) 4096B-4096B, (W) 8192B-8192B, (T) 4096B-4096B", "randwrite", 8192},
		{"(R) 4096B-16.0KiB, (W) 4096B-16.0KiB, (T) 4096B-16.0KiB", "read", 0},
		{"(R) 977KiB-977KiB, (W) 977KiB-977KiB, (T) 977KiB-977KiB", "read", 0},
		{"(R) 128KiB-128KiB, (W) 128KiB-128KiB, (T) 128KiB-128KiB", "write", 131072},
		{"(R) 12.0KiB-12.0KiB, (W) 12.0KiB-12.0KiB, (T) 12.0KiB-12.0KiB", "write", 12288},
		{"8K-8K/8K-8K/8K-8K", "randwrite", 8192},
		{"4K-4K/4K-4K", "rw", 4096},
		{"", "read", 0},
	} {
		if got := blockSize(test.text, test.rw); got != test.want {
			t.Errorf("%s, %s: %d, want %d", test.text, test.rw, got, test.want)
		}
	}
	for text, want := range map[string]int64{"4k": 4096, "4K": 4096, "1m": 1 << 20, "8192": 8192, "4KiB": 4096, "4k,16k": 0, "4k,4k,16k": 4096, "x": 0, "": 4096} {
		if got := blockOption(map[string]string{"bs": text}); got != want {
			t.Errorf("bs=%s: %d, want %d", text, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"fio-3.33-fdatasync.txt", "fio-2.0.txt", "fio-2.21.json", "fio-3.33-unified.txt", "fio-3.33-normal-json+.txt"} {
		f.Add(fixture(f, name))
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := capture.Read(strings.NewReader(text), Kinds())
		if err != nil {
			return
		}
		for _, section := range got.Sections {
			for _, j := range section.Found.Jobs {
				if j.Runtime < 0 || j.Jobs < 0 || j.Read == nil && j.Write == nil && j.Sync == nil {
					t.Fatalf("%+v", j)
				}
				for _, d := range []*capture.Transfer{j.Read, j.Write} {
					if d != nil && !(d.IOPS >= 0 && d.Bytes >= 0 && d.Times.Mean >= 0 && d.Times.Max >= 0) {
						t.Fatalf("%+v", d)
					}
				}
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"fio-3.33-jobs.txt", "fio-3.33-jobs.json"} {
		text := fixture(b, name)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				capturetest.Text(b, text, Kinds())
			}
		})
	}
}

// TestUnderWay checks that a synchronous engine has one request under way, whatever iodepth is.
func TestUnderWay(t *testing.T) {
	for _, test := range []struct {
		engine      string
		depth, want int
	}{{"", 32, 32}, {"psync", 32, 1}, {"mmap", 4, 1}, {"psync", 0, 0}, {"libaio", 32, 32}, {"io_uring", 8, 8}} {
		if got := underWay(test.engine, test.depth); got != test.want {
			t.Errorf("%q with iodepth %d: %d, want %d", test.engine, test.depth, got, test.want)
		}
	}
}
