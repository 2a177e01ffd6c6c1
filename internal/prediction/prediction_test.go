package prediction

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/prediction/closed"
	"plinth/internal/prediction/demand"
	"plinth/internal/unit"
)

func disk(name string, latency time.Duration, iops float64) device.Device {
	l := device.Latency{Median: unit.Duration(latency), P99: unit.Duration(latency * 3 / 2)}
	return device.Device{Name: name, Read: l, Write: l, IOPS: device.Limit{Rate: iops}}
}

// reference returns one that a simulation explains, with a measured latency that is longer by a factor.
func reference(t *testing.T, longer float64) *Reference {
	t.Helper()
	s := closed.System{Clients: 8, CPUs: 2, Threads: 1, Background: 0.05, Sync: 40 * time.Microsecond, Data: disk("here", time.Millisecond, 3000), Demand: closed.Demand{
		Client: 50 * time.Microsecond, Server: 200 * time.Microsecond, Statements: 5, WALBytes: 5000, Commits: 1,
	}}
	o := simulate(s, transactions)
	c := demand.Cell{Environment: "here", Cell: experiment.Cell{Workload: "simple-update", Clients: 8, Threads: 1}, System: s}
	for i := range 4 {
		noise := longer * (1 + 0.02*float64(i-1))
		c.Runs = append(c.Runs, demand.Run{Repeat: i + 1, TPS: o.tps / noise, Mean: o.mean * noise, P50: o.p50 * noise, P95: o.p95 * noise, P99: o.p99 * noise})
	}
	ref, err := NewReference(c)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// TestSame: without a change, the prediction is the measurement.
func TestSame(t *testing.T) {
	for _, longer := range []float64{1, 1.2, -1.2} {
		ref := reference(t, math.Abs(longer))
		if longer < 0 { // the WAL depends on the throughput, and the disk is bound by its bytes
			ref.Images = &demand.Images{First: 8000, Fading: 1000, Before: 1, During: 5}
			for i := range ref.models {
				m := &ref.models[i]
				m.Data.Throughput.Rate = 2e6
				m.reference = simulate(m.System, transactions)
			}
		}
		p, err := ref.Predict(Question{})
		if err != nil {
			t.Fatal(err)
		}
		measured := ref.Mean(func(r demand.Run) float64 { return r.TPS })
		if math.Abs(p.TPS.Value/measured-1) > 0.01 || p.TPS.Low > measured || p.TPS.High < measured {
			t.Errorf("%v of a measured %.0f", p.TPS, measured)
		}
		if width := p.TPS.High/p.TPS.Low - 1; width < 0.1 || width > 0.4 {
			t.Errorf("the interval of what was measured is %.0f %% wide", 100*width)
		}
	}
}

// TestPredict checks what follows from physics: with four times the latency of a flush that binds, a group of commits
// waits about four times as long; IOPS that are too few limit the flushes; more CPUs do not help a disk.
func TestPredict(t *testing.T) {
	ref := reference(t, 1)
	measured := ref.Mean(func(r demand.Run) float64 { return r.TPS })
	slow, few, fast := disk("slow", 4*time.Millisecond, 3000), disk("few", time.Millisecond, 200), disk("fast", 500*time.Microsecond, 6000)
	for _, tc := range []struct {
		name      string
		q         Question
		low, high float64 // of the measured throughput
		first     string
	}{
		{"slower", Question{Data: &slow}, 0.25, 0.32, closed.Flush},
		{"fewer IOPS", Question{Data: &few}, 0.2, 0.3, closed.Flush},
		{"faster", Question{Data: &fast}, 1.2, 1.9, ""},
		{"a WAL of its own that is slow", Question{WAL: &slow}, 0.25, 0.32, closed.Flush},
		{"more CPUs", Question{CPUs: 8}, 0.99, 1.15, closed.Flush},
		{"fewer clients", Question{Clients: 2}, 0.2, 0.4, closed.Flush},
		{"more clients", Question{Clients: 64}, 1.4, 2.5, ""},
	} {
		p, err := ref.Predict(tc.q)
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if change := p.TPS.Value / measured; change < tc.low || change > tc.high || p.TPS.Low >= p.TPS.Value || p.TPS.High <= p.TPS.Value {
			t.Errorf("%s: %.2f of the measured %.0f: %+v", tc.name, change, measured, p.TPS)
		}
		if tc.first != "" && p.Places[0].Name != tc.first {
			t.Errorf("%s: %+v", tc.name, p.Places)
		}
		sum := 0.0
		for _, place := range p.Places {
			sum += place.Share
		}
		if math.Abs(sum-1) > 0.01 || !(p.P50.Value < p.P95.Value && p.P95.Value <= p.P99.Value) {
			t.Errorf("%s: places add up to %.3f; %+v", tc.name, sum, p)
		}
	}
	p, err := ref.Predict(Question{Data: &few})
	if err != nil {
		t.Fatal(err)
	}
	if p.Loads[0].Name != "data iops" || p.Loads[0].Use < 0.95 {
		t.Errorf("%+v", p.Loads)
	}
}

// TestBurst: the end of a burst follows from its use, also where the WAL has a disk of its own, and where the
// reference itself bursts.
func TestBurst(t *testing.T) {
	burst := disk("burst", 500*time.Microsecond, 100)
	burst.IOPS = device.Limit{Rate: 100, BurstRate: 3000, Burst: 3000}
	ref := reference(t, 1)
	check := func(p Prediction, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if p.Emptied < 1.5 || p.Emptied > 6 {
			t.Errorf("the burst ends after %.1f s", p.Emptied)
		}
		if p.Sustained == nil || p.Sustained.Value > p.TPS.Value/2 {
			t.Errorf("%+v during the burst, %+v after", p.TPS, p.Sustained)
		}
		for _, l := range p.Loads {
			if l.Use > 1.01 {
				t.Errorf("%+v", l)
			}
		}
	}
	check(ref.Predict(Question{Data: &burst}))
	check(ref.Predict(Question{WAL: &burst}))

	// A reference that uses twice the operations of its simulation empties the bucket in half of the time, or a little less.
	plain, _ := ref.Predict(Question{Data: &burst})
	then := ref.models[0].reference.result
	ref.Data = device.Used{Operations: 2 * then.Data.Operations / float64(then.Transactions)}
	more, err := ref.Predict(Question{Data: &burst})
	if err != nil || more.Emptied > 0.51*plain.Emptied || more.Emptied < 0.4*plain.Emptied {
		t.Errorf("%v: with twice the operations, the burst ends after %.2f s instead of %.2f", err, more.Emptied, plain.Emptied)
	}
	ref.Data = device.Used{}

	cell := ref.Cell
	cell.System.Data = burst
	for i := range cell.Runs {
		o := simulate(peak(cell.System), transactions)
		cell.Runs[i] = demand.Run{Repeat: i + 1, TPS: o.tps, Mean: o.mean, P50: o.p50, P95: o.p95, P99: o.p99}
	}
	ref, err = NewReference(cell)
	if err != nil {
		t.Fatal(err)
	}
	check(ref.Predict(Question{Clients: 12}))
	calm := disk("calm", 500*time.Microsecond, 100)
	calm.IOPS = device.Limit{Rate: 5000, BurstRate: 6000, Burst: 3000}
	if p, err := ref.Predict(Question{Data: &calm}); err != nil || p.Emptied != 0 || p.Sustained != nil {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestBurstOfBytes: where the WAL shrinks after a checkpoint, a burst of bytes ends when what was written so far has used
// it up, and what is sustained after it depends on the WAL from there on.
func TestBurstOfBytes(t *testing.T) {
	burst := disk("burst", time.Millisecond, 5000)
	burst.Throughput = device.FlowLimit{Rate: 2e6, BurstRate: 200e6, Burst: 480e6}
	ref := reference(t, 1)
	mean, err := ref.Predict(Question{Data: &burst})
	if err != nil || mean.Sustained == nil {
		t.Fatal(err)
	}
	tps := mean.TPS.Value
	rest := (480e6+2e6*mean.Emptied)/mean.Emptied/tps - 5000 // bytes of a transaction beside its WAL
	ref.Images = &demand.Images{First: 1, Fading: 30000, Before: 1, During: 30}
	ref.Images.First = 5000 / ref.Images.Mean(ref.Mean(func(r demand.Run) float64 { return r.TPS }))
	p, err := ref.Predict(Question{Data: &burst})
	if err != nil || p.Sustained == nil {
		t.Fatal(err)
	}
	n := p.TPS.Value * p.Emptied
	if left := 480e6 + 2e6*p.Emptied - n*(rest+ref.Images.Between(0, n)); math.Abs(left) > 0.02*480e6 || p.Emptied > 0.9*mean.Emptied {
		t.Errorf("the burst ends after %.2f s, when %.0f bytes are left; by the mean %.2f s", p.Emptied, left, mean.Emptied)
	}
	// Groups of four commits then share a flush, which writes a block more.
	block := closed.BlockSize / 4.0
	after := ref.Images.Between(n, n+p.Sustained.Value*(31-p.Emptied))
	if want := mean.Sustained.Value * (5000 + block) / (after + block); math.Abs(p.Sustained.Value/want-1) > 0.05 {
		t.Errorf("%.0f a second are sustained, want %.0f; by the mean %.0f", p.Sustained.Value, want, mean.Sustained.Value)
	}
}

// TestSpeed: CPUs that are twice as fast double what they bind, with a wider interval, and hardly change what a disk binds.
func TestSpeed(t *testing.T) {
	ref := reference(t, 1)
	busy := ref.Cell
	busy.Runs = slices.Clone(busy.Runs)
	busy.System.Data = disk("fast", 50*time.Microsecond, 100000)
	o := simulate(busy.System, transactions)
	for i := range busy.Runs {
		busy.Runs[i] = demand.Run{Repeat: i + 1, TPS: o.tps, Mean: o.mean, P50: o.p50, P95: o.p95, P99: o.p99}
	}
	bound, err := NewReference(busy)
	if err != nil {
		t.Fatal(err)
	}
	slow := disk("slow", 4*time.Millisecond, 3000)
	for _, tc := range []struct {
		name      string
		ref       *Reference
		q         Question
		low, high float64 // of the throughput with the same CPUs
	}{
		{"bound by CPUs", bound, Question{CPUSpeed: 2}, 1.8, 2.1},
		{"bound by CPUs, which are slower", bound, Question{CPUSpeed: 0.5}, 0.46, 0.55},
		{"bound by the disk", ref, Question{CPUSpeed: 2, Data: &slow}, 0.98, 1.1},
		{"by CoreMark", bound, Question{CPUSpeed: 2, CoreMark: true}, 1.8, 2.1},
	} {
		same := tc.q
		same.CPUSpeed = 0
		before, err := tc.ref.Predict(same)
		if err != nil {
			t.Fatal(err)
		}
		p, err := tc.ref.Predict(tc.q)
		if ratio := p.TPS.Value / before.TPS.Value; err != nil || ratio < tc.low || ratio > tc.high {
			t.Errorf("%s: %.2f times the throughput, %v", tc.name, ratio, err)
		}
		doubt := tc.q.doubt()
		if wide := math.Log(p.TPS.High/p.TPS.Low) / 2 / ninety; tc.ref == bound && wide < 0.9*doubt {
			t.Errorf("%s: a standard deviation of %.3f, less than that of the speed, %.2f", tc.name, wide, doubt)
		}
	}
	for _, speed := range []float64{-1, 0.2, 5, math.NaN()} {
		if p, err := ref.Predict(Question{CPUSpeed: speed}); err == nil {
			t.Errorf("%v times as fast: %+v", speed, p.TPS)
		}
	}
	if p, err := ref.Predict(Question{CPUSpeed: 1.5, CoreMark: true}); err != nil || len(p.Assumed) != 1 {
		t.Errorf("%v: assumed %q", err, p.Assumed)
	}
	ref.Assumed = []string{"the CPU time"}
	if _, err := ref.Predict(Question{CPUSpeed: 2}); err == nil {
		t.Error("the CPU time of an import is assumed")
	}
}

// TestWithSpeed: all CPU times become shorter, and nothing else; the loop of the original stays as it is.
func TestWithSpeed(t *testing.T) {
	s := closed.System{Clients: 3, CPUs: 2, Background: 0.4, Path: 100, Copy: 20, Sync: 40, Loop: &closed.Loop{Wake: 10, Turn: 30},
		Demand: closed.Demand{Client: 60, Server: 80, LockWait: 50, Delay: 70}}
	want := closed.System{Clients: 3, CPUs: 2, Background: 0.2, Path: 50, Copy: 10, Sync: 20, Loop: &closed.Loop{Wake: 10, Turn: 15},
		Demand: closed.Demand{Client: 30, Server: 40, LockWait: 25, Delay: 70}}
	if got := withSpeed(s, 2); !reflect.DeepEqual(got, want) || s.Loop.Turn != 30 {
		t.Errorf("%+v, %+v", got, got.Loop)
	}
}

// TestOtherMachine: the CPUs of another machine leave none to others.
func TestOtherMachine(t *testing.T) {
	s := closed.System{CPUs: 4}
	if got := (Question{CPUs: 2, OtherMachine: true}).apply(s); got.CPUs != 2 || got.Others != 0 {
		t.Errorf("another machine: %d and %d CPUs", got.CPUs, got.Others)
	}
	if got := (Question{CPUs: 2}).apply(s); got.CPUs != 2 || got.Others != 2 {
		t.Errorf("a limit: %d and %d CPUs", got.CPUs, got.Others)
	}
	limited := Reference{Cell: demand.Cell{System: closed.System{CPUs: 1, Others: 1}}}
	if err := limited.checkCPUs(Question{CPUs: 2, OtherMachine: true}); err == nil {
		t.Error("the server had a part of the CPUs")
	}
}

// TestCourse: a load that does half as much in its first ten seconds empties a bucket later, and is slower until then.
func TestCourse(t *testing.T) {
	burst := disk("burst", 500*time.Microsecond, 100)
	burst.IOPS = device.Limit{Rate: 100, BurstRate: 3000, Burst: 3000}
	ref := reference(t, 1)
	even, err := ref.Predict(Question{Data: &burst})
	if err != nil {
		t.Fatal(err)
	}
	for second := range 20 {
		ref.Course = append(ref.Course, 0.5*float64(second+1)+max(0, float64(second-9)))
	}
	p, err := ref.Predict(Question{Data: &burst})
	if err != nil || p.Emptied < 1.5*even.Emptied || p.Emptied > 4*even.Emptied || math.Abs(p.TPS.Value/even.TPS.Value-0.5) > 0.01 {
		t.Errorf("%v: ends after %.2f s instead of %.2f; %v until then instead of %v", err, p.Emptied, even.Emptied, p.TPS, even.TPS)
	}
	for i, pair := range [][2]Estimate{{p.Mean, even.Mean}, {p.P50, even.P50}, {p.P95, even.P95}, {p.P99, even.P99}} {
		if math.Abs(pair[0].Value/pair[1].Value-2) > 0.02 {
			t.Errorf("latency %d: %v instead of %v", i, pair[0], pair[1])
		}
	}
}

// TestDurability: a prediction says if commits would survive other events.
func TestDurability(t *testing.T) {
	ref := reference(t, 1)
	local, same := disk("local", time.Millisecond, 3000), disk("same", time.Millisecond, 3000)
	ref.System.Data.Durability, local.Durability, same.Durability = "the loss of a host", "a power cut", "the loss of a host"
	p, err := ref.Predict(Question{Data: &local, WAL: &same})
	if want := "it is enough that data on local survives a power cut (on here, it survives the loss of a host)"; err != nil || len(p.Assumed) != 1 || p.Assumed[0] != want {
		t.Errorf("%v: %q", err, p.Assumed)
	}
}

// TestProcessors: of a server with CPUs of its own, these are a resource beside those of all else.
func TestProcessors(t *testing.T) {
	ref := reference(t, 1)
	for _, tc := range []struct {
		cpus int
		want []string
	}{{0, []string{"cpu"}}, {1, []string{"cpu", "other cpu"}}} {
		p, err := ref.Predict(Question{CPUs: tc.cpus})
		var got []string
		for _, l := range p.Loads {
			if strings.HasSuffix(l.Name, "cpu") {
				got = append(got, l.Name)
			}
			if l.Use > 1.01 {
				t.Errorf("%+v", l)
			}
		}
		slices.Sort(got)
		if err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("%d CPUs: %v, %v", tc.cpus, got, err)
		}
	}
}

// TestMisfit: a bucket is emptied by as many transactions as were measured, also where the simulation has more.
func TestMisfit(t *testing.T) {
	burst := disk("burst", 500*time.Microsecond, 100)
	burst.IOPS = device.Limit{Rate: 100, BurstRate: 3000, Burst: 3000}
	ref := reference(t, 1.6)
	p, err := ref.Predict(Question{Data: &burst})
	if err != nil {
		t.Fatal(err)
	}
	now := simulate(peak(Question{Data: &burst}.apply(ref.models[0].System)), transactions).result
	used := p.TPS.Value * now.Data.Operations / float64(now.Transactions)
	if left := 3000 + 100*p.Emptied - used*p.Emptied; math.Abs(left) > 0.03*3000 {
		t.Errorf("when the burst ends, after %.2f s, %.0f operations are left", p.Emptied, left)
	}
}

// TestEmptyAt compares the end of a burst with a bucket that is followed millisecond by millisecond.
func TestEmptyAt(t *testing.T) {
	images := demand.Images{Always: 1, First: 30, Fading: 2000}
	for name, tc := range map[string]struct {
		limit device.Limit
		used  func(n float64) float64
	}{
		"steady":                {device.Limit{Rate: 100, Burst: 1000}, func(n float64) float64 { return 2 * n }},
		"it shrinks":            {device.Limit{Rate: 100, Burst: 20000}, func(n float64) float64 { return n * images.Between(0, n) }},
		"it fills again before": {device.Limit{Rate: 400, Burst: 50000}, func(n float64) float64 { return n * images.Between(0, n) }},
		"after hours":           {device.Limit{Rate: 199.9, Burst: 1000}, func(n float64) float64 { return 2 * n }},
		"never":                 {device.Limit{Rate: 200, Burst: 1000}, func(n float64) float64 { return 2 * n }},
		"no burst":              {device.Limit{Rate: 1}, func(n float64) float64 { return 2 * n }},
	} {
		const tps, tick = 100, 0.001
		want, left := 0.0, tc.limit.Burst
		for i := 1; i < 2e7 && tc.limit.Burst > 0; i++ {
			now := float64(i) * tick
			left = min(tc.limit.Burst, left+tc.limit.Rate*tick-tc.used(tps*now)+tc.used(tps*(now-tick)))
			if left <= 0 {
				want = now
				break
			}
		}
		if got := emptyAt(tc.limit, func(second float64) float64 { return tc.used(tps * second) }); math.Abs(got-want) > 0.005*max(1, want) {
			t.Errorf("%s: empty after %.3f s, want %.3f", name, got, want)
		}
	}
}

// TestOdd: devices without figures, and questions in which hardly anything happens, are refused.
func TestOdd(t *testing.T) {
	ref := reference(t, 1)
	none, still := device.Device{Name: "none"}, disk("still", time.Millisecond, 0.001)
	for _, q := range []Question{{Data: &none}, {WAL: &none}, {Data: &still}} {
		if p, err := ref.Predict(q); err == nil {
			t.Errorf("%+v: %+v", q, p)
		}
	}
	if _, err := ref.Sweep(Question{Data: &none}, SweepLatency, []float64{0.001}); err == nil {
		t.Error("the latency of a device without one is changed")
	}
}

// TestLatency: the knee of a latency is the greatest one that costs next to nothing.
func TestLatency(t *testing.T) {
	s, err := reference(t, 1).Sweep(Question{}, SweepLatency, []float64{0.0005, 0.00051, 0.002, 0.004})
	if err != nil {
		t.Fatal(err)
	}
	if !s.Falls() || s.Flat() || s.Knee != 0.00051 {
		t.Errorf("%v", s.Knee)
	}
	cached := disk("cached", time.Millisecond, 0)
	cached.WriteCache, cached.Flush = true, device.Latency{Median: unit.Duration(3 * time.Millisecond)}
	q, err := reference(t, 1).at(Question{Data: &cached}, SweepLatency, 0.002)
	if err != nil {
		t.Fatal(err)
	}
	if durable := q.Data.MeanSeconds(device.Write) + q.Data.MeanSeconds(device.Flush); math.Abs(durable/0.002-1) > 0.01 {
		t.Errorf("a durable write takes %v", durable)
	}
}

func TestRefused(t *testing.T) {
	ref := reference(t, 1)
	far, cached := disk("far", 11*time.Millisecond, 0), disk("cached", time.Millisecond, 0)
	cached.WriteCache = true
	for _, tc := range []struct {
		q    Question
		want string
	}{
		{Question{Data: &far}, "more than 10 times apart"}, {Question{WAL: &far}, "more than 10 times apart"},
		{Question{Data: &cached}, "does not say how long a flush of it takes"},
		{Question{Clients: 10001}, "10001 clients are too many"},
		{Question{Clients: 81}, "81 clients are too far from the 8"}, {Question{CPUs: 21}, "21 CPUs are too far from the 2"},
	} {
		if _, err := ref.Predict(tc.q); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: %v", tc.q, err)
		}
	}
	ref.Runs = []demand.Run{{TPS: ref.Runs[0].TPS / 40, Mean: ref.Runs[0].Mean, P50: 1, P95: 1, P99: 1}}
	for i := range ref.models {
		ref.models[i].reference.tps /= 40
	}
	if _, err := ref.Predict(Question{}); err == nil || !strings.Contains(err.Error(), "would change by more than 20 times") {
		t.Error(err)
	}
	ref = reference(t, 1)
	cell := demand.Cell{Environment: "here", Cell: ref.Cell.Cell, System: ref.System}
	for _, r := range ref.Runs {
		r.Mean *= 4
		cell.Runs = append(cell.Runs, r)
	}
	if _, err := NewReference(cell); err == nil || !strings.Contains(err.Error(), "the model does not explain") {
		t.Error(err)
	}
}

// TestSweep checks the knee of a sweep, that refused values are listed, and that a sweep is bounded.
func TestSweep(t *testing.T) {
	ref := reference(t, 1)
	s, err := ref.Sweep(Question{}, SweepIOPS, []float64{3000, 100, 200, 400, 800, 1600})
	if err != nil {
		t.Fatal(err)
	}
	last := 0.0
	for _, p := range s.Points {
		if p.Prediction == nil || p.Prediction.TPS.Value < last*0.98 {
			t.Fatalf("at %v: %+v after %.0f", p.Value, p.Prediction, last)
		}
		last = p.Prediction.TPS.Value
	}
	if s.Points[0].Value != 100 || s.Flat() || s.Knee < 400 || s.Knee > 1600 {
		t.Errorf("the knee is at %v", s.Knee)
	}
	if s, err = ref.Sweep(Question{}, SweepClients, []float64{8, 1000}); err != nil || s.Points[0].Refused != "" || s.Points[1].Refused == "" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, bad := range [][]float64{make([]float64, MostPoints+1), {1000, 2000}} {
		if _, err := ref.Sweep(Question{}, SweepClients, bad); err == nil {
			t.Errorf("%d values are not refused", len(bad))
		}
	}
	for key, value := range map[string]float64{SweepThroughput: 60e6, SweepLatency: 0.002, SweepCPUs: 4} {
		if s, err := ref.Sweep(Question{}, key, []float64{value}); err != nil || s.Points[0].Refused != "" || s.Knee != 0 {
			t.Errorf("%s: %+v, %v", key, s, err)
		}
	}
}

// TestArray: the IOPS of an array are those of all members.
func TestArray(t *testing.T) {
	ref := reference(t, 1)
	member := disk("member", time.Millisecond, 100)
	array := device.Device{Name: "array", Array: &device.Array{Level: 10, Members: 4, Chunk: 64 << 10, Of: &member}}
	q, err := ref.at(Question{Data: &array}, SweepIOPS, 2000)
	if err != nil {
		t.Fatal(err)
	}
	if iops, _ := q.Data.Provisioned(); iops != 2000 || member.IOPS.Rate != 100 {
		t.Errorf("%v, and the device itself has %v", iops, member.IOPS.Rate)
	}
}

func BenchmarkPredict(b *testing.B) {
	cell := reference(&testing.T{}, 1).Cell
	slow := disk("slow", 2*time.Millisecond, 3000)
	for b.Loop() {
		ref, err := NewReference(cell)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := ref.Predict(Question{Data: &slow}); err != nil {
			b.Fatal(err)
		}
		if _, err := ref.Doubled(Question{Data: &slow}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSweep(b *testing.B) {
	ref := reference(&testing.T{}, 1)
	var values []float64
	for i := range MostPoints {
		values = append(values, 300+20*float64(i))
	}
	for b.Loop() {
		if _, err := ref.Sweep(Question{}, SweepIOPS, values); err != nil {
			b.Fatal(err)
		}
	}
}

// TestChoked: limits of less than a tenth of what the reference uses are refused; those of a burst are not.
func TestChoked(t *testing.T) {
	r := Reference{models: []model{{reference: outcome{result: closed.Result{Length: time.Second, Data: device.Used{Operations: 2000, Bytes: 16e6}}}}}}
	for want, d := range map[string]device.Device{
		"":                                    {IOPS: device.Limit{Rate: 250}, Throughput: device.FlowLimit{Rate: 2e6}},
		"150 operations a second are too far": {IOPS: device.Limit{Rate: 150}},
		"1000000 bytes a second are too far":  {Throughput: device.FlowLimit{Rate: 1e6}},
	} {
		if err := r.choked(closed.System{Data: d}); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	// The WAL, 1,900 flushes of 7,500 bytes, moves to a disk of its own.
	then := &r.models[0].reference.result
	then.Flushes, then.Transactions = 1900, 1900
	r.System.Commits, r.System.WALBytes = 1, 7500
	few, many := device.Device{IOPS: device.Limit{Rate: 50}}, device.Device{IOPS: device.Limit{Rate: 250}}
	if err := r.choked(closed.System{Data: few, WAL: &many}); err != nil {
		t.Errorf("100 operations a second are left on a disk of 50: %v", err)
	}
	if err := r.choked(closed.System{Data: many, WAL: &few}); err == nil || !strings.Contains(err.Error(), "50 operations a second are too far from the 1900") {
		t.Errorf("1,900 flushes a second on a disk of 50 operations: %v", err)
	}
}

// TestAtLeast: a quantile is not below a lower one, and one that is not known stays so.
func TestAtLeast(t *testing.T) {
	p50, p95 := Estimate{3, 2, 5}, Estimate{2.5, 2.1, 4}
	if got, want := p95.atLeast(p50), (Estimate{3, 2.1, 5}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if got := (Estimate{}).atLeast(p50); got != (Estimate{}) {
		t.Error(got)
	}
}

// TestTaken: a part is taken out of a CPU time as far as a fifth is left.
func TestTaken(t *testing.T) {
	for _, tc := range []struct {
		whole, part time.Duration
		want        float64
	}{{100, 30, 1}, {100, 80, 1}, {100, 160, 0.5}, {0, 0, 1}} {
		if got := taken(tc.whole, tc.part); got != tc.want {
			t.Errorf("%v of %v in %v, want %v", got, tc.part, tc.whole, tc.want)
		}
	}
}
