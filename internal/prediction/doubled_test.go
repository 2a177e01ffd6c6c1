package prediction

import (
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/prediction/closed"
	"plinth/internal/unit"
)

// TestDoubled checks which resource helps a system that is bound by one.
func TestDoubled(t *testing.T) {
	disk := device.Device{Name: "disk", Read: device.Latency{Median: unit.Duration(time.Millisecond)}, Write: device.Latency{Median: unit.Duration(time.Millisecond)}, IOPS: device.Limit{Rate: 5000}}
	few, slow := disk, disk
	few.IOPS.Rate = 200
	slow.Write.Median = unit.Duration(10 * time.Millisecond)
	commits := closed.Demand{Client: 10 * time.Microsecond, Server: 100 * time.Microsecond, Statements: 5, WALBytes: 1000, Commits: 1}
	busy, sending := commits, commits
	busy.Server = 4 * time.Millisecond
	sending.Client = 2 * time.Millisecond
	for name, c := range map[string]struct {
		closed.System
		want string
		more float64
	}{
		"IOPS":      {closed.System{Clients: 8, CPUs: 2, Data: few, Demand: commits}, "data iops", 2},
		"latency":   {closed.System{Clients: 8, CPUs: 2, Data: slow, Demand: commits}, "data latency", 2},
		"WAL":       {closed.System{Clients: 8, CPUs: 2, Data: disk, WAL: &slow, Demand: commits}, "wal latency", 2},
		"CPUs":      {closed.System{Clients: 8, CPUs: 1, Others: 2, Data: disk, Demand: busy}, "cpu", 2},
		"generator": {closed.System{Clients: 8, CPUs: 4, Threads: 1, Data: disk, Demand: sending}, "generator", 2},
	} {
		all := (&Reference{}).doubled(model{}, c.System, 4000)
		p := Prediction{Doubled: all}
		if b := p.Binds(); b == nil || b.Resource != c.want || b.Factor < c.more*0.85 || b.Factor > c.more*1.1 {
			t.Errorf("%s: %+v", name, all)
		}
	}
	if none := (Prediction{Doubled: []Doubled{{"cpu", 1.01}}}).Binds(); none != nil {
		t.Errorf("%+v binds", none)
	}
}

// TestWithCPUs: the server gets CPUs of a machine; the others are left to all else.
func TestWithCPUs(t *testing.T) {
	shared, pinned := closed.System{CPUs: 4}, closed.System{CPUs: 1, Others: 3}
	for _, s := range []closed.System{shared, pinned} {
		for cpus, others := range map[int]int{1: 3, 3: 1, 4: 0, 8: 0} {
			if got := withCPUs(s, cpus); got.CPUs != cpus || got.Others != others {
				t.Errorf("%d of %+v: %d and %d", cpus, s, got.CPUs, got.Others)
			}
		}
	}
}
