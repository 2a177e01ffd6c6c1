package figure

import (
	"math"
	"testing"

	"plinth/internal/device"
	"plinth/internal/record"
)

// bursting is a model with a bucket of 1,000 operations above 100 a second.
var bursting = device.Device{Name: "small", IOPS: device.Limit{Rate: 100, BurstRate: 1000, Burst: 1000}}

// burstPoints returns seconds from first on with a column.
func burstPoints(first float64, columns map[string][]float64) record.Points {
	var p record.Points
	n := 0
	for name, values := range columns {
		p.Columns = append(p.Columns, record.Column{Name: name, Values: values})
		n = len(values)
	}
	seconds := make([]float64, n)
	for i := range seconds {
		seconds[i] = first + float64(i)
	}
	p.Columns = append(p.Columns, record.Column{Name: "second", Values: seconds})
	return p
}

func TestBursts(t *testing.T) {
	nan := math.NaN()
	emulated := record.Environment{Volumes: []record.Volume{{Role: "data", Emulation: &record.Emulation{Model: bursting}}}}
	striped := device.Device{Name: "two", Array: &device.Array{Members: 2, Of: &bursting}}
	array := record.Environment{Volumes: []record.Volume{{Role: "data", Emulation: &record.Emulation{Model: striped}}}}
	declared := record.Environment{Volumes: []record.Volume{{Role: "data", Device: "nvme1n1", Is: &record.Said{Model: bursting}}}}
	for name, tc := range map[string]struct {
		environment record.Environment
		points      record.Points
		left        float64
		ended       float64 // NaN: not
		expected    float64
	}{
		// 400 operations a second above the rate empty 1,000 in 2.5 seconds, and the warm-up counts.
		"emulated": {emulated, burstPoints(-1, map[string][]float64{
			"emulator.data.iops_used": {5, 5, 5, 1}, "emulator.data.iops_balance": {0.6, 0.2, 0, 0}}), 0, 2, 1.5},
		"refilled": {emulated, burstPoints(0, map[string][]float64{
			"emulator.data.iops_used": {5, 0, 0, 0}, "emulator.data.iops_balance": {0.6, 0.7, 0.8, 0.9}}), 0.9, nan, nan},
		"a gap counts as the second before": {emulated, burstPoints(0, map[string][]float64{
			"emulator.data.iops_used": {5, nan, 5, 1}, "emulator.data.iops_balance": {0.6, nan, 0, 0}}), 0, 3, 2.5},
		// The bucket of both members is twice as large; the second one is empty first.
		"members of an array": {array, burstPoints(0, map[string][]float64{
			"emulator.data-1.iops_used": {4, 4, 1}, "emulator.data-1.iops_balance": {0.7, 0.4, 0.4},
			"emulator.data-2.iops_used": {6, 6, 1}, "emulator.data-2.iops_balance": {0.5, 0, 0}}), 0.2, 2, nan},
		"declared": {declared, burstPoints(0, map[string][]float64{
			"diskstats.nvme1n1.reads": {100, 100}, "diskstats.nvme1n1.writes": {300, 300}}), 0.4, nan, nan},
		"declared, and spent": {declared, burstPoints(0, map[string][]float64{
			"diskstats.nvme1n1.reads": {1100, 100}, "diskstats.nvme1n1.writes": {0, 0}}), 0, nan, 1},
	} {
		all := Bursts(Input{Run: &record.Run{}, Points: tc.points, Environment: tc.environment})
		if len(all) != 1 || all[0].Volume != "data" || all[0].Limit != "iops" {
			t.Errorf("%s: %+v", name, all)
			continue
		}
		b := all[0]
		if math.Abs(b.Left-tc.left) > 1e-9 || !same(b.Ended, tc.ended) || !same(b.Expected, tc.expected) {
			t.Errorf("%s: left %g, ended %v, expected %v; want %+v", name, b.Left, value(b.Ended), value(b.Expected), tc)
		}
	}
}

func value(p *float64) float64 {
	if p == nil {
		return math.NaN()
	}
	return *p
}

func same(p *float64, want float64) bool {
	got := value(p)
	return math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) < 1e-9
}

func TestBurstsOfNothing(t *testing.T) {
	for name, e := range map[string]record.Environment{
		"no burst":           {Volumes: []record.Volume{{Role: "data", Emulation: &record.Emulation{Model: device.Device{Name: "flat", IOPS: device.Limit{Rate: 100}}}}}},
		"not observed":       {Volumes: []record.Volume{{Role: "data", Emulation: &record.Emulation{Model: bursting}}}},
		"elsewhere":          {Elsewhere: true, Volumes: []record.Volume{{Role: "data", Is: &record.Said{Model: bursting}}}},
		"nothing is known":   {Volumes: []record.Volume{{Role: "data"}}},
		"the disk is hidden": {Volumes: []record.Volume{{Role: "data", Is: &record.Said{Model: bursting}}}},
	} {
		if all := Bursts(Input{Run: &record.Run{}, Points: burstPoints(0, map[string][]float64{"tps": {1, 1}}), Environment: e}); all != nil {
			t.Errorf("%s: %+v", name, all)
		}
	}
}

// An array's bucket is that of all its members.
func TestBucketsOfArray(t *testing.T) {
	array := device.Device{Name: "raid", Array: &device.Array{Level: 0, Members: 4, Of: &bursting}}
	b := bucketsOf(array)
	if len(b) != 1 || b[0].rate != 400 || b[0].size != 4000 {
		t.Errorf("%+v", b)
	}
}

// An instance's bucket is that of all of its EBS volumes together, each disk once: 1,800 seconds at the
// maximum.
func TestBurstsOfInstance(t *testing.T) {
	gp3, err := device.Configure("gp3", device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	said := func(role, disk string, model device.Device) record.Volume {
		return record.Volume{Role: role, Device: disk, Is: &record.Said{Model: model}}
	}
	nvme := device.Device{Name: "nvme", IOPS: device.Limit{Rate: 1e6}}
	small := &record.Instance{Name: "small", IOPS: 100, BurstIOPS: 101, Throughput: 1e6, BurstThroughput: 1e6, Burst: 1800}
	points := burstPoints(0, map[string][]float64{
		"diskstats.nvme1n1.reads": {800, 800, 800}, "diskstats.nvme1n1.writes": {0, 0, 0},
		"diskstats.nvme2n1.reads": {0, 0, 0}, "diskstats.nvme2n1.writes": {200, 200, 200},
	})
	for name, tc := range map[string]struct {
		volumes  []record.Volume
		instance *record.Instance
		want     []record.Burst
	}{
		"both volumes empty 1,800 at 900 a second": {
			[]record.Volume{said("data", "nvme1n1", gp3), said("wal", "nvme2n1", gp3)}, small,
			[]record.Burst{{Volume: "instance", Limit: "iops", Left: 0, Expected: new(2.0)}}},
		"a disk with two roles counts once": {
			[]record.Volume{said("data", "nvme1n1", gp3), said("wal", "nvme1n1", gp3)}, small,
			[]record.Burst{{Volume: "instance", Limit: "iops", Left: 0, Expected: new(2 + 4.0/7)}}},
		"local drives are not limited": {[]record.Volume{said("data", "nvme1n1", nvme), said("wal", "nvme2n1", gp3)}, small,
			[]record.Burst{{Volume: "instance", Limit: "iops", Left: 1500.0 / 1800}}},
		"no EBS volume":     {[]record.Volume{said("data", "nvme1n1", nvme)}, small, nil},
		"the disk's hidden": {[]record.Volume{said("data", "", gp3)}, small, nil},
		"no instance":       {[]record.Volume{said("data", "nvme1n1", gp3)}, nil, nil},
	} {
		got := Bursts(Input{Run: &record.Run{}, Points: points, Environment: record.Environment{Volumes: tc.volumes, Instance: tc.instance}})
		if len(got) != len(tc.want) {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		for i, b := range got {
			if w := tc.want[i]; b.Volume != w.Volume || b.Limit != w.Limit || math.Abs(b.Left-w.Left) > 1e-9 || !same(b.Expected, value(w.Expected)) {
				t.Errorf("%s: %+v, expected %v", name, b, value(b.Expected))
			}
		}
	}
}
