package probe

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plinth/internal/device"
	"plinth/internal/device/meaning"
	"plinth/internal/driver/fio"
	"plinth/internal/unit"
)

func TestFigure(t *testing.T) {
	for name, try := range map[string]struct {
		values []float64
		want   Figure
	}{
		"none":      {nil, Figure{}},
		"one":       {[]float64{8}, Figure{Value: 8, Low: 8, High: 8}},
		"two":       {[]float64{4, 9}, Figure{Value: 6, Low: 4, High: 9}},
		"with none": {[]float64{0, 9}, Figure{Value: 4.5, Low: 0, High: 9}},
		"six":       {[]float64{10, 10, 10, 10, 10, 10}, Figure{Value: 10, Low: 10, High: 10, Level: 0.95}},
	} {
		got := newFigure(try.values, 1)
		for _, pair := range [][2]float64{{got.Value, try.want.Value}, {got.Low, try.want.Low}, {got.High, try.want.High}, {got.Level, try.want.Level}} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 {
				t.Errorf("%s: got %+v, want %+v", name, got, try.want)
			}
		}
	}
}

// TestFigureIsInItsInterval checks that, and that the interval is within the slices' range.
func TestFigureIsInItsInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0.1, 1e7), 1, 8).Draw(t, "values")
		f := newFigure(values, 1)
		r := ranged(values)
		const rounding = 1e-9
		if f.Low > f.Value*(1+rounding) || f.High < f.Value*(1-rounding) || f.Low < r.Low*(1-rounding) || f.High > r.High*(1+rounding) {
			t.Fatalf("%v: %+v", values, f)
		}
		if (f.Level == 0.95) != (len(values) >= mostSlices) {
			t.Fatalf("%d values: level %g", len(values), f.Level)
		}
	})
}

// operations returns n operations in one second, each with the given latency.
func operations(n int64, each time.Duration, size unit.Size) fio.Direction {
	return fio.Direction{Operations: n, Bytes: n * int64(size), Time: time.Second, Latency: fio.Histogram{each: n}}
}

// gp3 returns the probe of a volume with 3,000 IOPS, 125 MiB/s and a latency of 1.8 ms.
func gp3() *Result {
	r := &Result{Taken: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), Program: "fio 3.33", Slices: 6,
		Target: Target{Path: "/mnt", Filesystem: "ext4", Device: "nvme1n1", Model: "Amazon Elastic Block Store", Direct: true, WriteCache: "write through", Size: 16 * unit.GiB}}
	r.Machine.Kernel = "6.1"
	const each = 1800 * time.Microsecond
	for _, s := range steps {
		iops := min(int64(s.Depth)*555, 3000)
		if s.Block == chunk {
			iops = 500
		}
		result := fio.Result{Name: s.Name}
		if s.Pattern.Writes() {
			result.Write = operations(iops, each*time.Duration(s.Depth), s.Block)
		} else {
			result.Read = operations(iops, each, s.Block)
		}
		if s.Durable {
			result.Sync = fio.Histogram{20 * time.Microsecond: iops}
		}
		r.Steps = append(r.Steps, newMeasurement(s, slices.Repeat([]fio.Result{result}, 6), 1))
	}
	return r
}

func TestModel(t *testing.T) {
	r := gp3()
	d := r.model("")
	if d == nil {
		t.Fatal("no model")
	}
	if err := d.Check(); err != nil {
		t.Error(err)
	}
	latency := device.Latency{Median: unit.Duration(1800 * time.Microsecond), P99: unit.Duration(1800 * time.Microsecond)}
	if d.Name != "amazon-elastic-block-store" || d.Read != latency || d.Write != latency || d.WriteCache || d.Flush != (device.Latency{}) {
		t.Errorf("got %+v", d)
	}
	if d.IOPS != (device.Limit{Rate: 3000}) || d.Throughput != (device.FlowLimit{Rate: unit.Rate(125 * unit.MiB)}) {
		t.Errorf("limits %+v, %+v", d.IOPS, d.Throughput)
	}
	if !strings.Contains(d.Source, "Amazon Elastic Block Store nvme1n1 through ext4") || d.Measured != "2026-05-01, Linux 6.1, fio 3.33" {
		t.Errorf("source %q, measured %q", d.Source, d.Measured)
	}
	back, err := device.ReadFile(d.YAML())
	if err != nil || !bytes.Equal(back.YAML(), d.YAML()) {
		t.Errorf("read back: %+v, %v", back, err)
	}
	r.Target.WriteCache = "write back"
	if d := r.model("mine"); !d.WriteCache || d.Flush.Median != unit.Duration(20*time.Microsecond) || d.Name != "mine" || d.Check() != nil {
		t.Errorf("with a write cache: %+v", d)
	}
}

func TestNoModel(t *testing.T) {
	for name, change := range map[string]func(*Result){
		"page cache": func(r *Result) { r.Target.Direct = false },
		"memory":     func(r *Result) { r.Target.place.InMemory = true },
		"read only":  func(r *Result) { r.Steps = r.Steps[3:7] },
	} {
		r := gp3()
		change(r)
		if d := r.model(""); d != nil {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestFlushes(t *testing.T) {
	for _, try := range []struct {
		cache        string
		write, flush unit.Duration
		want         bool
	}{
		{"write back", 100, 1, true}, {"write through", 100, 500, false}, {"", 100, 50, true}, {"", 100, 5, false},
	} {
		if got := (Target{WriteCache: try.cache}).flushes(try.write, try.flush); got != try.want {
			t.Errorf("%+v: got %v", try, got)
		}
	}
}

func TestMeaning(t *testing.T) {
	values := map[string]float64{}
	for _, m := range meaning.Of(gp3().figures()) {
		name := m.Rule
		if m.Clients == 64 {
			name += "-64"
		}
		values[name] = m.Value
		if m.Assumes == "" {
			t.Errorf("%s assumes nothing", m.Rule)
		}
	}
	// 125 MiB/s are 16,000 pages a second: 28.8 times the 555 random ones, and a tenth of that if
	// nine of ten are cached.
	for name, want := range map[string]float64{meaning.CommitsAlone: 555, meaning.CommitsGrouped + "-64": 17800, meaning.RandomPageCost: 2.9, meaning.ReadDepth: 16} {
		if !near(values[name], want, 0.001) {
			t.Errorf("%s: got %g, want %g", name, values[name], want)
		}
	}
	if got := meaning.Of((&Result{}).figures()); len(got) != 0 || got == nil {
		t.Errorf("of nothing: %v", got)
	}
}

func TestTheory(t *testing.T) {
	r := gp3()
	own := theory(r, nil)
	if len(own) != 3 || own[0].What != "reads at QD 1" || !near(own[0].Efficiency, 0.999, 0.001) {
		t.Errorf("own: %+v", own)
	}
	member := device.Device{Name: "gp3", Read: device.Latency{Median: unit.Duration(1800 * time.Microsecond)},
		Write: device.Latency{Median: unit.Duration(1800 * time.Microsecond)}, IOPS: device.Limit{Rate: 3000},
		Throughput: device.FlowLimit{Rate: unit.Rate(125 * unit.MiB)}}
	for name, try := range map[string]struct {
		array                     *Array
		reads, writes, throughput float64 // disks
		formula                   string
	}{
		"one":    {nil, 1, 1, 1, "its IOPS"},
		"raid0":  {&Array{"raid0", 4}, 4, 4, 4, "disks x IOPS"},
		"raid1":  {&Array{"raid1", 2}, 2, 1, 1, "disks x IOPS"},
		"raid10": {&Array{"raid10", 8}, 8, 4, 4, "disks x IOPS"},
		"raid5":  {&Array{"raid5", 3}, 1, 1, 1, "its IOPS"},
	} {
		r.Target.Array = try.array
		lines := map[string]Theory{}
		for _, l := range theory(r, &member)[len(own):] {
			lines[l.What] = l
		}
		if got := lines["random reads"]; got.Expected != 3000*try.reads || got.Formula != try.formula || !near(got.Efficiency, 1/try.reads, 0.001) {
			t.Errorf("%s: reads %+v", name, got)
		}
		if got := lines["random writes"].Expected; got != 3000*try.writes {
			t.Errorf("%s: writes %g", name, got)
		}
		if got := lines["throughput, writes"].Expected; got != float64(125*unit.MiB)*try.throughput {
			t.Errorf("%s: throughput %g", name, got)
		}
	}
}

func TestNotesOfAResult(t *testing.T) {
	rules := func(r *Result) (all []string) {
		for _, n := range r.notes(nil) {
			all = append(all, n.Rule)
		}
		return all
	}
	if got := rules(gp3()); len(got) != 0 {
		t.Errorf("a fine probe: %v", got)
	}
	r := gp3()
	r.Slices, r.Target.ReadOnly, r.Target.Array, r.Target.WriteCache = 2, true, &Array{"raid10", 8}, "write back"
	r.Steps[4].Fastest = 3 * r.Steps[4].Slowest
	want := []string{"few-slices", "unsteady", "read-only", "array", "no-flush"}
	if got := rules(r); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
