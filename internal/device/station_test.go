package device

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plinth/internal/unit"
)

// load drives a station as depth clients do, each asking again when it was
// answered, until the model's time is over; it returns requests a second. The
// first tenth does not count.
func load(s *Station, depth int, long time.Duration, next func(i int) Request) float64 {
	clients := make(slots, depth) // when each asks again
	counted := 0
	for i := 0; clients[0] < long; i++ {
		now := clients[0]
		if now >= long/10 {
			counted++
		}
		clients.take(s.Submit(now, next(i)))
	}
	return float64(counted) / (0.9 * long.Seconds())
}

// pages are random pages of 8 KiB of a disk of 8 GiB.
func pages(kind Kind) func(int) Request {
	return func(i int) Request {
		page := (uint64(i)*0x9e3779b97f4a7c15 + 12345) >> 44 // spread evenly
		return Request{kind, int64(page) * 8192, 8192}
	}
}

// TestLatencyAlone: what waits for nothing takes the latency of its kind.
func TestLatencyAlone(t *testing.T) {
	d := Device{
		Name: "x", Read: Latency{micros(100), 0}, Write: Latency{micros(200), 0}, Flush: Latency{micros(700), 0}, WriteCache: true,
		Throughput: FlowLimit{Rate: 100e6},
	}
	for _, c := range []struct {
		request Request
		want    time.Duration
	}{
		{Request{Read, 0, 8192}, 100 * time.Microsecond},
		{Request{Read, 0, 512}, 100 * time.Microsecond},
		{Request{Write, 0, 8192}, 200 * time.Microsecond},
		{Request{Flush, 0, 0}, 700 * time.Microsecond},
		{Request{Write, 0, 8192 + 1e6}, 200*time.Microsecond + 10*time.Millisecond}, // 1 MB more at 100 MB/s
	} {
		if got := NewStation(d, 1).Submit(time.Hour, c.request) - time.Hour; got != c.want {
			t.Errorf("%v: got %s, want %s", c.request, got, c.want)
		}
	}
	d.WriteCache, d.Flush = false, Latency{}
	if got := NewStation(d, 1).Submit(5, Request{Kind: Flush}); got != 5 {
		t.Errorf("a flush of no cache is done at %s", got)
	}
}

// TestLimits: what a saturated device lets through is its limit, to the digit.
func TestLimits(t *testing.T) {
	big := func(int) Request { return Request{Write, 0, 1 << 20} }
	for name, c := range map[string]struct {
		device Device
		next   func(int) Request
		want   float64
	}{
		"iops":                    {Device{IOPS: Limit{Rate: 3000}}, pages(Read), 3000},
		"iops of an odd rate":     {Device{IOPS: Limit{Rate: 7919.3}}, pages(Write), 7919.3},
		"throughput":              {Device{Throughput: FlowLimit{Rate: mebibytes(125)}}, pages(Read), 16000},
		"1 MiB is 4 of 256 KiB":   {Device{IOPS: Limit{Rate: 3000}, OperationSize: 256 * unit.KiB}, big, 750},
		"1 MiB is 1 of 1 MiB":     {Device{IOPS: Limit{Rate: 500}, OperationSize: unit.MiB}, big, 500},
		"the lower of two limits": {Device{IOPS: Limit{Rate: 3000}, Throughput: FlowLimit{Rate: mebibytes(125)}}, big, 125},
		"queue depth":             {Device{QueueDepth: 4}, pages(Read), 4000},
		"queue depth below iops":  {Device{QueueDepth: 4, IOPS: Limit{Rate: 9000}}, pages(Read), 4000},
	} {
		c.device.Name, c.device.Read, c.device.Write = "x", Latency{micros(1000), 0}, Latency{micros(1000), 0}
		if got := load(NewStation(c.device, 1), 64, 20*time.Second, c.next); !near(got, c.want, 0.005) {
			t.Errorf("%s: %.1f a second, want %.1f", name, got, c.want)
		}
	}
}

// TestBurst: a full bucket lasts as long as the arithmetic says, then the rate
// holds, and it fills again. The figures are gp2's, a thousandth of the credits.
func TestBurst(t *testing.T) {
	d := Device{Name: "x", IOPS: Limit{Rate: 1500, BurstRate: 3000, Burst: 5400}}
	s := NewStation(d, 1)
	var now time.Duration
	ends, count := 0, 0
	perSecond := map[int]int{}
	for now < 10*time.Second {
		now = s.Submit(now, Request{Read, 0, 8192})
		perSecond[int(now/time.Second)]++
		count++
		if ends == 0 && s.Balances(now).IOPS == 0 {
			ends = int(now.Milliseconds())
		}
	}
	if want := int(d.IOPS.Lasts().Milliseconds()); want != 3600 || !near(float64(ends), float64(want), 0.01) {
		t.Errorf("the burst ends after %d ms, want %d", ends, want)
	}
	if perSecond[1] != 3000 || perSecond[8] != 1500 {
		t.Errorf("%d in a second of the burst, %d in one after it", perSecond[1], perSecond[8])
	}
	if want := 5400 + 1500*10; !near(float64(count), float64(want), 0.001) {
		t.Errorf("%d in ten seconds, want %d", count, want)
	}
	half := s.Balances(now + d.IOPS.Refills()/2)
	if full := s.Balances(now + d.IOPS.Refills()); !near(half.IOPS, 0.5, 0.01) || !near(full.IOPS, 1, 0.001) || !math.IsNaN(full.Throughput) {
		t.Errorf("half the time: %v, the whole: %v", half, full)
	}
	s.Refill()
	if b := s.Balances(now); b.IOPS != 1 {
		t.Errorf("after Refill: %v", b)
	}
	if used := s.Used(); used.Operations != float64(count) || used.Bytes != float64(count)*8192 {
		t.Errorf("used %+v of %d", used, count)
	}
}

// TestNoDrift: after a hundred million operations not one is lost or won.
func TestNoDrift(t *testing.T) {
	b := newBucket(Limit{Rate: 3000.7})
	const ops = 100_000_000
	for range ops / 1000 {
		b.take(b.ready(0), 1000)
	}
	want := float64(ops) / 3000.7 * 1e9
	if got := float64(b.ready(0)); math.Abs(got-want) > 1000 {
		t.Errorf("the next one goes at %.0f ns, %.0f off", got, got-want)
	}
}

// TestReplicas: a write waits for the slowest, a read for one.
func TestReplicas(t *testing.T) {
	d := Device{
		Name: "x", Read: Latency{micros(100), 0}, Write: Latency{micros(50), 0},
		RoundTrip: Latency{micros(1000), micros(2500)}, WriteCache: true, Flush: Latency{micros(20), 0},
	}
	for _, replicas := range []int{1, 2, 3, 5} {
		d.Replicas = replicas
		e := Ideal(d)
		if got := load(NewStation(d, 1), 1, 60*time.Second, pages(Write)); !near(got, e.QD1Writes, 0.01) {
			t.Errorf("%d replicas: %.1f writes a second, theory %.1f", replicas, got, e.QD1Writes)
		}
		if got := load(NewStation(d, 1), 1, 60*time.Second, pages(Read)); !near(got, e.QD1Reads, 0.01) {
			t.Errorf("%d replicas: %.1f reads a second, theory %.1f", replicas, got, e.QD1Reads)
		}
	}
	one, three := d, d
	one.Replicas, three.Replicas = 1, 3
	if one.MeanSeconds(Write) >= three.MeanSeconds(Write)*0.9 || one.MeanSeconds(Read) != three.MeanSeconds(Read) {
		t.Errorf("write %v and %v, read %v and %v", one.MeanSeconds(Write), three.MeanSeconds(Write), one.MeanSeconds(Read), three.MeanSeconds(Read))
	}
}

// TestSeed: the same seed gives the same answers, another one others.
func TestSeed(t *testing.T) {
	answers := func(seed uint64) (all []time.Duration) {
		s := NewStation(gp3().Device, seed)
		for i := range 100 {
			all = append(all, s.Submit(time.Duration(i)*time.Millisecond, Request{Write, 0, 8192}))
		}
		return all
	}
	if !slices.Equal(answers(1), answers(1)) || slices.Equal(answers(1), answers(2)) {
		t.Error("the seed does not decide")
	}
}

// TestTimeStepsBack: an earlier now counts as the latest.
func TestTimeStepsBack(t *testing.T) {
	s := NewStation(Device{Name: "x", Read: Latency{micros(100), 0}}, 1)
	s.Submit(time.Second, Request{Read, 0, 8192})
	if got := s.Submit(time.Second-time.Microsecond, Request{Read, 0, 8192}); got != time.Second+100*time.Microsecond {
		t.Errorf("done at %s", got)
	}
}

// TestStationProperties: whatever the device and the requests are, nothing is done
// before it came, requests start in the order in which they came, and no window of
// time lets more through than rate x time + burst.
func TestStationProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDevice(t)
		if err := d.Check(); err != nil {
			t.Fatal(err)
		}
		s := NewStation(d, rapid.Uint64().Draw(t, "seed"))
		constant := d.Read.sigma() == 0 && d.Replicas == 0 && d.Array == nil
		var now, last time.Duration
		for range rapid.IntRange(1, 200).Draw(t, "requests") {
			now += time.Duration(rapid.IntRange(0, 1000).Draw(t, "us later")) * time.Microsecond
			r := Request{
				Kind:   Kind(rapid.IntRange(0, 2).Draw(t, "kind")),
				Offset: int64(rapid.IntRange(0, 1<<20).Draw(t, "sector")) * 512,
				Size:   int64(rapid.IntRange(1, 4096).Draw(t, "sectors")) * 512,
			}
			done := s.Submit(now, r)
			if done < now {
				t.Fatalf("%v came at %s and is done at %s", r, now, done)
			}
			if r.Kind == Read && r.Size <= latencySize && constant {
				if done < last {
					t.Fatalf("a read is done at %s, an earlier one at %s", done, last)
				}
				last = done
			}
			b := s.Balances(now)
			if b.IOPS < 0 || b.IOPS > 1 || b.Throughput < 0 || b.Throughput > 1 {
				t.Fatalf("balances %+v", b)
			}
		}
	})
}

// TestBucketBounds: starts in any window, at any requests.
func TestBucketBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLimit(t, "limit", 100, 5000)
		b := newBucket(l)
		var now time.Duration
		var starts []time.Duration
		var tokens []float64
		for range rapid.IntRange(1, 150).Draw(t, "requests") {
			now += time.Duration(rapid.IntRange(0, 2000).Draw(t, "us later")) * time.Microsecond
			n := float64(rapid.IntRange(1, 20).Draw(t, "tokens"))
			at := b.ready(now)
			if len(starts) > 0 && at < starts[len(starts)-1] {
				t.Fatalf("not in order: %s after %s", at, starts[len(starts)-1])
			}
			b.take(at, n)
			starts, tokens = append(starts, at), append(tokens, n)
		}
		for i := range starts {
			sum := 0.0
			for j := i; j < len(starts); j++ {
				long := (starts[j] - starts[i]).Seconds()
				// The last one in the window may take more than there is.
				if most := l.Peak()*long + 1e-3; sum > most && j > i {
					t.Fatalf("%v tokens in %v s, at the highest rate %v", sum, long, most)
				}
				if most := l.Rate*long + l.Burst + 1e-3; sum > most+20 {
					t.Fatalf("%v tokens in %v s, with the burst %v", sum, long, most)
				}
				sum += tokens[j]
			}
		}
	})
}

func drawLimit(t *rapid.T, name string, least, most float64) Limit {
	l := Limit{Rate: rapid.Float64Range(least, most).Draw(t, name)}
	if rapid.Bool().Draw(t, name+" bursts") {
		l.BurstRate = l.Rate * rapid.Float64Range(1, 10).Draw(t, name+" burst rate")
		l.Burst = rapid.Float64Range(1, 1000).Draw(t, name+" burst")
	}
	return l
}

func drawDevice(t *rapid.T) Device {
	d := Device{Name: "x", Read: drawLatency(t, "read"), Write: drawLatency(t, "write")}
	if d.WriteCache = rapid.Bool().Draw(t, "cache"); d.WriteCache {
		d.Flush = drawLatency(t, "flush")
	}
	if rapid.Bool().Draw(t, "limited") {
		d.IOPS = drawLimit(t, "iops", 100, 20000)
		flow := drawLimit(t, "throughput", 1e6, 1e9)
		d.Throughput = FlowLimit{unit.Rate(math.Round(float64(flow.Rate))), unit.Rate(math.Ceil(flow.BurstRate)), unit.Size(flow.Burst)}
		d.OperationSize = unit.Size(rapid.SampledFrom([]int{0, 4096, 262144}).Draw(t, "operation"))
		d.QueueDepth = rapid.IntRange(0, 64).Draw(t, "depth")
	}
	if d.Replicas = rapid.IntRange(0, 3).Draw(t, "replicas"); d.Replicas > 0 {
		d.RoundTrip = Latency{micros(300), micros(900)}
	}
	if level := rapid.SampledFrom([]int{-1, -1, 0, 1, 10}).Draw(t, "raid"); level >= 0 {
		members := 2 * rapid.IntRange(2, 4).Draw(t, "pairs")
		chunk := unit.Size(0)
		if level != 1 {
			chunk = 4096 << rapid.IntRange(0, 8).Draw(t, "chunk")
		}
		of := d
		d = Device{Name: "array", Array: &Array{level, members, chunk, &of}}
	}
	return d
}
