package placement

import (
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// TestDemandByHand: reads of 1 ms, writes of 2 ms, flushes of 3 ms.
func TestDemandByHand(t *testing.T) {
	d := constant(time.Millisecond, 2*time.Millisecond)
	d.WriteCache, d.Flush = true, device.Latency{Median: unit.Duration(3 * time.Millisecond)}
	d.IOPS, d.Throughput, d.QueueDepth = device.Limit{Rate: 1000}, device.FlowLimit{Rate: 10 << 20}, 2
	d.OperationSize = 64 * unit.KiB
	f := figuresOf(d)
	for name, test := range map[string]struct {
		object Object
		want   Demand
		use    Use
	}{
		"table": {
			Object{Size: 1000, Reads: 100, Writes: Range{1, 50, 90}, Operation: 8 * unit.KiB},
			Demand{Size: 1000, Reads: 100, Writes: 50, Bytes: 150 * 8192, DeviceTime: 0.1 + 0.1},
			Use{Capacity: 0.5, IOPS: 0.15, Throughput: 150.0 * 8192 / (10 << 20), Queue: 0.1},
		},
		"wal": {
			Object{Durable: Exactly(10), Writes: Exactly(5), Operation: 8 * unit.KiB},
			Demand{Writes: 15, Bytes: 15 * 8192, DeviceTime: 15*0.002 + 10*0.003},
			Use{IOPS: 0.015, Throughput: 15.0 * 8192 / (10 << 20), Queue: 0.03},
		},
		// 120 KiB more than the model's latencies include are transferred at 10 MiB/s.
		"temp": {
			Object{Reads: 10, Writes: Exactly(10), Operation: 128 * unit.KiB},
			Demand{Reads: 20, Writes: 20, Bytes: 20 * 131072, DeviceTime: 0.01 + 0.02 + 20*120.0/10240},
			Use{IOPS: 0.04, Throughput: 0.25, Queue: (0.03 + 20*120.0/10240) / 2},
		},
	} {
		got := f.demand(test.object)
		if got.Size != test.want.Size || !near(got.Reads, test.want.Reads) || !near(got.Writes, test.want.Writes) || !near(got.Bytes, test.want.Bytes) || !near(got.DeviceTime, test.want.DeviceTime) {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
		use := f.use(got, 2000)
		if !near(use.Capacity, test.use.Capacity) || !near(use.IOPS, test.use.IOPS) || !near(use.Throughput, test.use.Throughput) || !near(use.Queue, test.use.Queue) {
			t.Errorf("%s: uses %+v, want %+v", name, use, test.use)
		}
	}
}

// TestArrayLimits checks that the limits of an array are those that device.Ideal computes.
func TestArrayLimits(t *testing.T) {
	member := constant(time.Millisecond, time.Millisecond)
	member.IOPS = device.Limit{Rate: 1000}
	for _, a := range []device.Array{{Level: 0, Members: 4, Chunk: 64 << 10}, {Level: 1, Members: 2}, {Level: 10, Members: 8, Chunk: 64 << 10}} {
		a.Of = &member
		d := device.Device{Name: "array", Array: &a}
		f, ideal := figuresOf(d), device.Ideal(d)
		if f.reads != ideal.Reads || f.writes != ideal.Writes {
			t.Errorf("RAID %d: %v reads and %v writes, want %v and %v", a.Level, f.reads, f.writes, ideal.Reads, ideal.Writes)
		}
	}
}

func TestExcess(t *testing.T) {
	if got := (Use{Capacity: 0.8, IOPS: 0.8, Throughput: 0.1}).excess(); got != 0 {
		t.Errorf("at the limit: %v", got)
	}
	if got := (Use{Capacity: 1.6, IOPS: 0.88}).excess(); !near(got, 1.1) {
		t.Errorf("got %v, want 1 and 0.1", got)
	}
}

func TestStoresRefused(t *testing.T) {
	good := Store{Name: "a", Device: constant(1000, 1000), Tablespaces: []string{"x"}}
	blind := good
	blind.Device = catalogued(t, "pass-through")
	twice := good
	twice.Name = "b"
	negative := good
	negative.Capacity = -1
	for want, stores := range map[string][]Store{
		"there is no store to choose from":               nil,
		"two stores are named a":                         {good, good},
		"tablespace x is on two stores: a and b":         {good, twice},
		"the model of a (pass-through) has no latencies": {blind},
		"the capacity of a is negative":                  {negative},
		"a store has no name":                            {{}},
		"the layout cannot be found without prices":      {good},
		"no store accepts wal":                           {{Name: "a", Device: good.Device, Refuses: []string{WAL}}},
	} {
		goal := Goal{Objective: LeastTime}
		if want == "the layout cannot be found without prices" {
			goal.Objective = LeastDollars
		}
		_, err := Find(Workload{Objects: []Object{{Name: WAL, Kind: WAL}}}, stores, goal, nil)
		if err == nil || err.Error() != want {
			t.Errorf("got %v (%s), want %s", err, hint.Of(err), want)
		}
	}
}

// TestCopyRate: the rate of a move is that of its slowest device, which the WAL shares.
func TestCopyRate(t *testing.T) {
	slow, fast := constant(1000, 1000), constant(1000, 1000)
	slow.Throughput.Rate, fast.Throughput.Rate = 100e6, 1e9
	stores := []Store{{Name: "slow", Device: slow}, {Name: "fast", Device: fast}, {Name: "free", Device: constant(1000, 1000)}}
	p := newProblem(nil, stores, Goal{}, nil)
	for _, test := range []struct {
		from, to, wal int
		logged        bool
		want          float64
	}{
		{1, 0, 1, true, 100e6}, {1, 0, 0, true, 50e6}, {0, 0, 0, true, 100e6 / 3}, {1, 0, 0, false, 100e6}, {2, 1, 2, true, 1e9},
		{2, 2, 2, true, 28e9 / 15}, {-1, 1, -1, true, 1e9},
	} {
		if got, measured := p.copyRate(test.from, test.to, test.wal, test.logged); !near(got, test.want) || measured {
			t.Errorf("%+v: got %v", test, got)
		}
	}
	p.stores[1].CopyRate = 5e6
	if got, measured := p.copyRate(1, 0, 0, true); got != 5e6 || !measured {
		t.Errorf("a measured rate: %v, %v", got, measured)
	}
}
