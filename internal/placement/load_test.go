package placement

import (
	"slices"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/engine/postgres/relation"
	"plinth/internal/unit"
)

// TestLoadByHand: 100 reads a second of 1,000, of which 80% are allowed; 400 of 1,000 bytes, of which
// 800 are allowed, growing by one byte a second.
func TestLoadByHand(t *testing.T) {
	d := constant(time.Millisecond, time.Millisecond)
	d.IOPS = device.Limit{Rate: 1000}
	stores := []Store{{Name: "a", Device: d, Capacity: 1000, Tablespaces: []string{"s"}}, {Name: "b", Device: constant(1e9, 1e9)}}
	w := Workload{Objects: []Object{{Name: "t", Kind: relation.Table, Tablespace: "s", Size: 400, Reads: 100, Growth: 1, Operation: 8192}}}
	price := func(_ Store, size unit.Size) (float64, bool) { return float64(size) / 100, true }
	plan, err := Find(w, stores, Goal{Objective: LeastTime}, price)
	must(t, err)
	a, b := plan.Stores[0], plan.Stores[1]
	if !near(a.Margin, 8) || a.Full != 400*time.Second || a.Dollars != (Dollars{4, true}) || !near(a.Use.IOPS, 0.1) || a.Before == nil || *a.Before != a.After {
		t.Errorf("%+v", a)
	}
	if b.Margin != -1 || b.Full != 0 || b.Dollars != (Dollars{0, true}) {
		t.Errorf("an unused store: %+v", b)
	}
	if want := (Totals{DeviceTime: 0.1, Dollars: Dollars{4, true}, Read: time.Millisecond}); plan.After != want {
		t.Errorf("got %+v, want %+v", plan.After, want)
	}
}

// TestTargetOfCommits checks that a commit waits for a write and a flush: 0.1 and 2 ms on the cheap
// store, which is too long.
func TestTargetOfCommits(t *testing.T) {
	flushing := constant(100*time.Microsecond, 100*time.Microsecond)
	flushing.WriteCache, flushing.Flush = true, device.Latency{Median: unit.Duration(2 * time.Millisecond)}
	stores := []Store{{Name: "cheap", Device: flushing, WAL: true}, {Name: "safe", Device: constant(1e6, 1e6)}}
	price := func(s Store, _ unit.Size) (float64, bool) {
		return map[string]float64{"cheap": 1, "safe": 100}[s.Name], true
	}
	w := Workload{Objects: []Object{{Name: WAL, Kind: WAL, Size: 10, Durable: Exactly(10), Operation: 8192}}}
	for target, want := range map[time.Duration]string{1500 * time.Microsecond: "safe", 2200 * time.Microsecond: "cheap", 0: "cheap"} {
		plan, err := Find(w, stores, Goal{Objective: LeastDollars, Target: target}, price)
		must(t, err)
		if plan.Objects[0].To != want || len(plan.Violations) > 0 {
			t.Errorf("within %s: %s, %v", target, plan.Objects[0].To, plan.Violations)
		}
		if commit := plan.After.Commit; want == "cheap" && commit != 2100*time.Microsecond {
			t.Errorf("a commit takes %s", commit)
		}
	}
	plan, err := Find(w, stores, Goal{Objective: LeastDollars, Target: 500 * time.Microsecond}, price)
	must(t, err)
	if plan.Objects[0].To != "safe" || len(plan.Violations) != 1 || plan.Violations[0].String() != "the target for a durable write of the WAL: 200% of what is allowed" {
		t.Errorf("%+v", plan.Violations)
	}
}

// TestRoomIsMadeFirst checks that a move waits for the one that makes room for it, and that one that
// never has room does not hold it up.
func TestRoomIsMadeFirst(t *testing.T) {
	object := func(name, space string, size unit.Size, reads float64) Object {
		return Object{Name: name, Kind: relation.Table, Tablespace: space, Size: size, Reads: reads}
	}
	stores := []Store{
		{Name: "fast", Device: constant(1e5, 1e5), Capacity: 100, Tablespaces: []string{"f"}},
		{Name: "slow", Device: constant(1e6, 1e6), Tablespaces: []string{"s"}},
	}
	p := newProblem([]Object{object("huge", "s", 200, 1000), object("out", "f", 90, 1), object("in", "s", 50, 10)}, stores, Goal{Objective: LeastTime}, nil)
	if got := p.moving([]int{0, 1, 0}); !slices.Equal(got, []int{1, 2, 0}) {
		t.Errorf("the order is %v", got)
	}
}

// TestPartitionsWritten checks that partitions into which a table's writes are spread are write-hot
// as the table is.
func TestPartitionsWritten(t *testing.T) {
	root := relation.Name{Schema: "public", Name: "log"}
	objects := []Object{{Name: "other", Kind: relation.Table, Changed: 1000, Queried: 1}}
	for range 100 {
		objects = append(objects, Object{Kind: relation.Partition, Root: &root, Changed: 10, members: 1})
	}
	warm(objects, Rules)
	if objects[1].Temperature != WriteHot {
		t.Errorf("a partition is %s: %q", objects[1].Temperature, objects[1].Why)
	}
}
