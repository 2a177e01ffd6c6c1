package prediction

import (
	"math"
	"strings"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/prediction/closed"
	"plinth/internal/prediction/demand"
)

// redisReference returns one of Redis that a simulation explains, whose syncs take 2 ms or more on a disk with 1 ms;
// with everysec, it appends in the background.
func redisReference(t *testing.T, clients int, everysec bool) *Reference {
	t.Helper()
	s := closed.System{Clients: clients, CPUs: 2, Threads: 1, Background: 0.05, Data: disk("here", time.Millisecond, 3000),
		Loop:   &closed.Loop{Wake: 10 * time.Microsecond},
		Demand: closed.Demand{Statements: 1, Client: 10 * time.Microsecond, Server: 10 * time.Microsecond}}
	if everysec {
		s.Writes, s.WriteSize = 144./(512<<10), 512<<10
	} else {
		s.Loop.Metadata = []device.Request{{Kind: device.Write, Size: 4 << 10}}
		s.WALBytes, s.Commits, s.Sync = 144, 1, 60*time.Microsecond
	}
	o := simulate(s, transactions)
	c := demand.Cell{Environment: "here", Cell: experiment.Cell{Workload: "set", Clients: clients, Threads: 1}, System: s}
	for i := range 4 {
		noise := 1 + 0.02*float64(i-1)
		c.Runs = append(c.Runs, demand.Run{Repeat: i + 1, TPS: o.tps / noise, Mean: o.mean * noise, P50: o.p50 * noise, P95: o.p95 * noise, P99: o.p99 * noise})
	}
	ref, err := NewReference(c)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// TestRedisPredict checks what follows from physics: a sync takes its writes one after the other; IOPS that are too
// few limit the syncs; more CPUs do not help one thread.
func TestRedisPredict(t *testing.T) {
	ref := redisReference(t, 16, false)
	measured := ref.Mean(func(r demand.Run) float64 { return r.TPS })
	slow, few := disk("slow", 4*time.Millisecond, 3000), disk("few", time.Millisecond, 200)
	for name, tc := range map[string]struct {
		q         Question
		low, high float64 // of the measured throughput
	}{
		"slower":       {Question{Data: &slow}, 0.25, 0.32},
		"fewer IOPS":   {Question{Data: &few}, 0.18, 0.26},
		"more CPUs":    {Question{CPUs: 8}, 0.95, 1.05},
		"more clients": {Question{Clients: 64}, 2.5, 5},
		"nothing":      {Question{}, 0.97, 1.03},
	} {
		p, err := ref.Predict(tc.q)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if change := p.TPS.Value / measured; change < tc.low || change > tc.high {
			t.Errorf("%s: %.2f of the measured %.0f: %+v", name, change, measured, p.TPS)
		}
		// Whether the next sync has all requests or half of them is not known.
		if width := p.TPS.High / p.TPS.Low; width < 1.8 || width > 2.8 {
			t.Errorf("%s: %+v", name, p.TPS)
		}
		if first := p.Places[0].Name; first != closed.Append && first != closed.LoopWait {
			t.Errorf("%s: %+v", name, p.Places)
		}
	}
	if _, err := ref.Predict(Question{WAL: &slow}); err == nil || !strings.Contains(err.Error(), "there is no WAL") {
		t.Error(err)
	}
	if one := redisReference(t, 1, false); one.scatter(one.System) != 0 {
		t.Error("one client does not wait for others")
	}
}

// TestRedisInBackground: where nothing waits for the disk, it does not matter how slow it is, unless it is slower
// than the file grows.
func TestRedisInBackground(t *testing.T) {
	ref := redisReference(t, 16, true)
	measured := ref.Mean(func(r demand.Run) float64 { return r.TPS })
	slow := disk("slow", 9*time.Millisecond, 500)
	p, err := ref.Predict(Question{Data: &slow})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(p.TPS.Value/measured-1) > 0.02 || p.TPS.High/p.TPS.Low > 1.3 {
		t.Errorf("%+v of a measured %.0f", p.TPS, measured)
	}
	narrow, few := disk("narrow", time.Millisecond, 3000), disk("few", time.Millisecond, 15)
	narrow.Throughput = device.FlowLimit{Rate: 5 << 20}
	for _, d := range []device.Device{narrow, few} {
		if _, err := ref.Predict(Question{Data: &d}); err == nil || !strings.Contains(err.Error(), "which "+d.Name+" cannot write") {
			t.Errorf("%s: %v", d.Name, err)
		}
	}
	parts := few
	parts.IOPS.Rate, parts.OperationSize = 40, 256<<10 // each write counts as two
	if _, err := ref.Predict(Question{Data: &parts}); err == nil {
		t.Error("a disk with 40 operations a second takes about 25 writes of two")
	}
}

// TestRedisChildren: where child processes write, the interval is wider, and disks that would bind them are refused; a replica
// needs CPU time of each request, and is refused if one CPU is not enough for it.
func TestRedisChildren(t *testing.T) {
	ref := redisReference(t, 16, true)
	quick := disk("quick", time.Millisecond, 3000)
	plain, err := ref.Predict(Question{Data: &quick})
	if err != nil {
		t.Fatal(err)
	}
	ref.Saving = &demand.Saving{Share: 0.5, Used: device.Used{Operations: 100, Bytes: 50 << 20}}
	saving, err := ref.Predict(Question{Data: &quick})
	if err != nil {
		t.Fatal(err)
	}
	if saving.TPS.Value != plain.TPS.Value || saving.TPS.Half() < 1.2*plain.TPS.Half() {
		t.Errorf("%+v with saves, and %+v without", saving.TPS, plain.TPS)
	}
	narrow := quick
	narrow.Name, narrow.Throughput = "narrow", device.FlowLimit{Rate: 50 << 20}
	if _, err := ref.Predict(Question{Data: &narrow}); err == nil || !strings.Contains(err.Error(), "50MiB/s are written, which is nearly all that narrow allows") {
		t.Error(err)
	}

	with := redisReference(t, 4, true)
	loop := *with.System.Loop
	loop.Follow = 7 * time.Microsecond
	c := with.Cell
	c.System.Loop, c.System.Data = &loop, quick
	o := simulate(c.System, transactions)
	for i := range c.Runs {
		c.Runs[i].TPS, c.Runs[i].Mean = o.tps, o.mean
	}
	if with, err = NewReference(c); err != nil {
		t.Fatal(err)
	}
	one, err := with.Predict(Question{CPUs: 1, OtherMachine: true})
	if err != nil {
		t.Fatal(err)
	}
	if busy := one.TPS.Value * (c.System.Server + c.System.Client + loop.Follow).Seconds(); busy > 1.1 {
		t.Errorf("one CPU would be used %.2f times", busy)
	}
	if _, err := with.Predict(Question{CPUs: 8, OtherMachine: true, CPUSpeed: 0.25}); err != nil {
		t.Error(err)
	}
	if err := keepsUp(c.System, 150e3); err == nil || !strings.Contains(err.Error(), "would fall behind") {
		t.Error(err)
	}
}

// TestTurns: CPU times of turns are taken out of the measured ones, in each way in which they may be known; a turn has a
// longest time, however long requests take.
func TestTurns(t *testing.T) {
	measured := redisReference(t, 16, true).System
	ratios := []float64{shortTurn, longTurn}
	all := divisions(measured, 1)
	if len(all) != len(ratios) {
		t.Fatalf("%d divisions", len(all))
	}
	for i, s := range all {
		r := simulate(peak(s), transactions).result
		turns := float64(r.Turns) / float64(r.Transactions)
		if sum := s.Server.Seconds() + turns*s.Loop.Turn.Seconds(); math.Abs(sum/measured.Server.Seconds()-1) > 0.05 {
			t.Errorf("%v and %.2f turns of %v are not %v", s.Server, turns, s.Loop.Turn, measured.Server)
		}
		if ratio := float64(s.Loop.Turn) / float64(s.Server); math.Abs(ratio/ratios[i]-1) > 0.1 {
			t.Errorf("a turn takes %.2f of a request, want %.2f", ratio, ratios[i])
		}
		if s.Client >= measured.Client || measured.Loop.Turn != 0 {
			t.Errorf("%+v of %+v", s, measured)
		}
	}
	pipeline := measured
	pipeline.Server = 80 * time.Microsecond
	if all := divisions(pipeline, 16); len(all) != 2 || all[0].Loop.Turn > 3*time.Microsecond || all[1].Loop.Turn < mostTurn/2 {
		t.Errorf("of 16 requests at once: %+v", all)
	}
	measured.Server = 100 * time.Microsecond
	if all := divisions(measured, 1); len(all) != 1 || all[0].Loop.Turn > mostTurn || all[0].Loop.Turn < mostTurn/2 {
		t.Errorf("of long requests: %+v", all)
	}
	ref := redisReference(t, 16, true)
	if ways := 2 * len(ratios); len(ref.models) != ways {
		t.Errorf("%d models, want %d", len(ref.models), ways)
	}
	same, err := ref.Predict(Question{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := ref.Predict(Question{Clients: 4})
	if err != nil {
		t.Fatal(err)
	}
	if width := math.Log(other.TPS.High / other.TPS.Low); width < 1.3*math.Log(same.TPS.High/same.TPS.Low) {
		t.Errorf("with other clients, how long turns take makes a difference: %+v, and with the same %+v", other.TPS, same.TPS)
	}
}
