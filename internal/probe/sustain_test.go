package probe

import (
	"math/rand/v2"
	"testing"

	"plinth/internal/device"
	"plinth/internal/driver/fio"
	"plinth/internal/unit"
)

// seconds returns n seconds at a rate, with a standard deviation of 3 %.
func seconds(random *rand.Rand, n int, rate float64) (all []float64) {
	for range n {
		all = append(all, rate*(1+0.03*random.NormFloat64()))
	}
	return all
}

func TestCliff(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	operations := Step{Pattern: fio.RandomWrite, Block: page, Depth: 64}
	for name, try := range map[string]struct {
		first, second   float64
		before, after   int
		cliff           int
		burst, baseline float64
	}{
		"gp2":        {3000, 100, 120, 60, 120, 3000, 100},
		"none":       {3000, 3000, 60, 60, 0, 3000, 3000},
		"shallow":    {3000, 2800, 60, 60, 0, 2900, 2900},
		"faster":     {1000, 3000, 30, 60, 0, 3000, 3000},
		"few":        {3000, 100, 3, 3, 0, 1550, 1550},
		"one second": {3000, 0, 1, 0, 0, 3000, 3000},
	} {
		all := append(seconds(random, try.before, try.first*float64(page)), seconds(random, try.after, try.second*float64(page))...)
		got := newSustained(operations, all)
		if got.Cliff < try.cliff-2 || got.Cliff > try.cliff+2 {
			t.Errorf("%s: cliff at %d, want %d", name, got.Cliff, try.cliff)
		}
		if !near(got.Burst, try.burst, 0.1) || !near(got.Baseline, try.baseline, 0.1) {
			t.Errorf("%s: %.0f, then %.0f; want %.0f, then %.0f", name, got.Burst, got.Baseline, try.burst, try.baseline)
		}
	}
	if got := newSustained(operations, nil); got.Burst != 0 || got.Cliff != 0 {
		t.Errorf("of nothing: %+v", got)
	}
}

func near(got, want, share float64) bool {
	return got >= want*(1-share) && got <= want*(1+share)
}

func TestSustainedMakesBuckets(t *testing.T) {
	d := device.Device{Name: "x", IOPS: device.Limit{Rate: 3000}, Throughput: device.FlowLimit{Rate: unit.Rate(250 * unit.MiB)}}
	sustained(&d, Sustained{Step: Step{Block: page}, Cliff: 100, Burst: 3000, Baseline: 100})
	sustained(&d, Sustained{Step: Step{Block: chunk}, Cliff: 60, Burst: 1000, Baseline: 500})
	if d.IOPS != (device.Limit{Rate: 100, BurstRate: 3000, Burst: 290000}) {
		t.Errorf("IOPS %+v", d.IOPS)
	}
	want := device.FlowLimit{Rate: unit.Rate(125 * unit.MiB), BurstRate: unit.Rate(250 * unit.MiB), Burst: 7500 * unit.MiB}
	if d.Throughput != want {
		t.Errorf("throughput %+v, want %+v", d.Throughput, want)
	}
	if err := d.Check(); err != nil {
		t.Error(err)
	}
	before := d
	sustained(&d, Sustained{Step: Step{Block: page}, Burst: 50, Baseline: 50})
	if d != before {
		t.Errorf("without a cliff it became %+v", d)
	}
}
