package device

import (
	"slices"
	"testing"
	"time"
)

// TestPublishedFormulas: what the case study computes for its volumes.
func TestPublishedFormulas(t *testing.T) {
	gp3 := gp3().Device
	array, err := RAID(10, 8, 0, gp3)
	if err != nil {
		t.Fatal(err)
	}
	e := Ideal(array)
	for name, c := range map[string]struct{ got, want, within float64 }{
		"RAID 10 reads: 8 disks x 3,000":     {e.Reads, 24000, 0},
		"RAID 10 writes: 4 stripes x 3,000":  {e.Writes, 12000, 0},
		"throughput: 4 stripes x 125 MiB/s":  {float64(e.Throughput), 500 << 20, 0},
		"QD 1 of 1.85 ms: about 540":         {Ideal(gp3).QD1Writes, 540, 0.01},
		"a flush counts where there is one":  {Ideal(sataSSD().Device).Commits, 1 / (60e-6*1.12 + 1.5e-3*1.143), 0.05},
		"without one a commit is a write":    {Ideal(gp3).Commits, Ideal(gp3).QD1Writes, 0},
		"depth 4 is four times depth 1":      {Ideal(gp3).WritesAt(4), 4 * Ideal(gp3).QD1Writes, 0},
		"depth 64 is the limit":              {Ideal(gp3).ReadsAt(64), 3000, 0},
		"the throughput bounds pages, too":   {Ideal(Device{Throughput: FlowLimit{Rate: 8192000}}).Reads, 1000, 0},
		"a page of two operations":           {Ideal(Device{IOPS: Limit{Rate: 3000}, OperationSize: 4096}).Reads, 1500, 0},
		"the queue bounds, too":              {Ideal(Device{QueueDepth: 32, Read: Latency{micros(1000), 0}, Write: Latency{micros(1000), 0}}).Reads, 32000, 0},
		"a pass-through has no bound":        {Ideal(passThrough().Device).ReadsAt(8), 0, 0},
		"no latency, but a limit: the limit": {Ideal(Device{IOPS: Limit{Rate: 50}}).ReadsAt(1), 50, 0},
	} {
		if !near(c.got, c.want, c.within+1e-9) {
			t.Errorf("%s: got %v, want %v", name, c.got, c.want)
		}
	}
}

// TestTheoryIsWhatStationsDo, for each device of the catalog, one request at a time
// and many.
func TestTheoryIsWhatStationsDo(t *testing.T) {
	for _, e := range Catalog() {
		d := e.Device
		d.IOPS.Burst, d.IOPS.BurstRate, d.Throughput.Burst, d.Throughput.BurstRate = 0, 0, 0, 0
		if !d.Adds() {
			continue
		}
		theory := Ideal(d)
		for kind, want := range map[Kind][2]float64{Read: {theory.QD1Reads, theory.Reads}, Write: {theory.QD1Writes, theory.Writes}} {
			long := time.Duration(5000 / want[0] * 1e9)
			if got := load(NewStation(d, 1), 1, long, pages(kind)); !near(got, want[0], 0.03) {
				t.Errorf("%s, one %s at a time: %.0f a second, theory %.0f", d.Name, kind, got, want[0])
			}
			// A queue of fixed depth is shared by reads and writes: theory has the slower.
			if d.QueueDepth == 0 {
				if got := load(NewStation(d, 1), 256, time.Duration(20000/want[1]*1e9), pages(kind)); !near(got, min(want[1], 256*want[0]), 0.05) {
					t.Errorf("%s, many %ss: %.0f a second, theory %.0f", d.Name, kind, got, want[1])
				}
			}
		}
	}
}

func TestScale(t *testing.T) {
	array, err := RAID(10, 4, 0, gp3Burst().Device)
	if err != nil {
		t.Fatal(err)
	}
	half := Scale(array, 0.5)
	was, is := array.Array.Of, half.Array.Of
	if is.IOPS.Rate != 1500 || is.Throughput.Rate != mebibytes(62.5) || is.Throughput.BurstRate != mebibytes(125) || is.Write != was.Write {
		t.Errorf("half of it: %+v", *is)
	}
	if was.IOPS.Rate != 3000 {
		t.Error("the original was changed")
	}
	if a, b := is.Throughput.Limit().Lasts(), was.Throughput.Limit().Lasts(); a != b || a != time.Minute {
		t.Errorf("the burst lasts %s, and %s before", a, b)
	}
	if iops, flow := half.Provisioned(); iops != 6000 || flow != mebibytes(250) {
		t.Errorf("provisioned: %v, %v", iops, flow)
	}
	if err := half.Check(); err != nil {
		t.Error(err)
	}
}

func TestAdds(t *testing.T) {
	pass := passThrough().Device
	if pass.Adds() {
		t.Error("a pass-through adds something")
	}
	array, err := RAID(0, 2, 0, pass)
	if err != nil || array.Adds() {
		t.Errorf("an array of pass-throughs adds something, or %v", err)
	}
	for _, d := range []Device{{Write: Latency{1, 0}}, {IOPS: Limit{Rate: 1}}, {Throughput: FlowLimit{Rate: 1}}, {QueueDepth: 1}} {
		if !d.Adds() {
			t.Errorf("%+v adds nothing", d)
		}
	}
}

// TestQuantilesOfTheWhole: what stations do, replicas and mirrors included.
func TestQuantilesOfTheWhole(t *testing.T) {
	longhorn, err := Find("longhorn-2r")
	if err != nil {
		t.Fatal(err)
	}
	array, err := RAID(10, 4, 0, sataSSD().Device)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []Device{gp3().Device, longhorn.Device, array} {
		for _, kind := range []Kind{Read, Write, Flush} {
			s := NewStation(d, 9)
			var samples []time.Duration
			for i := range 20000 {
				now := time.Duration(i) * time.Second
				samples = append(samples, s.Submit(now, Request{kind, int64(i) * 8192, 8192})-now)
			}
			slices.Sort(samples)
			for _, p := range []float64{0.5, 0.99} {
				got, want := d.Quantile(kind, p), samples[int(p*float64(len(samples)))]
				if !near(float64(got), float64(want), 0.05) {
					t.Errorf("%s, %s at %v: %s, the station takes %s", d.Name, kind, p, got, want)
				}
			}
		}
	}
}
