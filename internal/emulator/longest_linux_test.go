package emulator

import (
	"slices"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/unit"
)

// longestSince is LongestSince of readings that are near enough.
func longestSince(t testing.TB, a, b Reading) Longest {
	t.Helper()
	l, known := LongestSince(a, b)
	if !known {
		t.Fatalf("the maxima between readings %d and %d are not known", a.Number, b.Number)
	}
	return l
}

// TestLongestIsExact checks in virtual time that the maximum is the longest operation to the
// nanosecond, with the cost of the path, and that of each interval.
func TestLongestIsExact(t *testing.T) {
	random := device.Latency{Median: unit.Duration(time.Millisecond), P99: unit.Duration(20 * time.Millisecond)}
	path := Path{Read: 60 * time.Microsecond, Write: 90 * time.Microsecond}
	for _, write := range []bool{false, true} {
		v := inVirtualTime(t, device.Device{Name: "random", Read: random, Write: random}, path)
		v.write = write
		before := v.server.disk.reading()
		for _, clients := range []int{1, 16} {
			v.drive(t, clients, 300)
			after := v.server.disk.reading()
			got, want := longestSince(t, before, after), Longest{Read: slices.Max(v.took) + path.Read}
			if write {
				want = Longest{Write: slices.Max(v.took) + path.Write}
			}
			if got != want {
				t.Errorf("%d clients, write %v: %+v, want %+v", clients, write, got, want)
			}
			before = after
		}
		if again := longestSince(t, before, v.server.disk.reading()); again != (Longest{}) {
			t.Errorf("without operations: %+v", again)
		}
	}
}

// TestLongestOfALateAnswer checks that a maximum includes lateness: it is not the latency of the model.
func TestLongestOfALateAnswer(t *testing.T) {
	const delay, late = time.Millisecond, 300 * time.Microsecond
	v := inVirtualTime(t, constant(delay), Path{})
	v.left = 1
	v.ask(t)
	v.serve(t)
	v.backingFile()
	v.now += delay + late
	v.server.answerDue()
	if got := v.server.disk.reading().Longest; got[len(got)-1] != (Longest{Read: delay + late}) {
		t.Errorf("%+v", got)
	}
}

// TestLongest uses real devices. Each bound follows from the order of events, however busy the
// machine is: a request is not answered before the model's time, a caller waits at least as long as
// the emulator, and no mean is above the maximum.
func TestLongest(t *testing.T) {
	d := constant(time.Millisecond)
	d.Write.Median, d.Flush, d.WriteCache = unit.Duration(2*time.Millisecond), device.Latency{Median: unit.Duration(3 * time.Millisecond)}, true
	e := begin(t, d)
	file := direct(t, e.Image())
	for _, c := range []struct {
		name  string
		do    func([]byte, int) error
		of    func(Longest) time.Duration
		count func(Reading) int64
		model time.Duration
	}{
		{"read", operations(t, e.Image(), false), func(l Longest) time.Duration { return l.Read }, func(r Reading) int64 { return r.Reads }, time.Millisecond},
		{"write", operations(t, e.Image(), true), func(l Longest) time.Duration { return l.Write }, func(r Reading) int64 { return r.Writes }, 2 * time.Millisecond},
		{"flush", func([]byte, int) error { return file.Sync() }, func(l Longest) time.Duration { return l.Flush }, func(r Reading) int64 { return r.Flushes }, 3 * time.Millisecond},
	} {
		before := reading(t, e)
		took := timed(t, 4, 10, c.do)
		reading(t, e) // by another reader, which takes nothing away
		after := reading(t, e)
		longest, count := c.of(longestSince(t, before, after)), c.count(after)-c.count(before)
		if longest < c.model {
			t.Errorf("the longest %s took %v, less than the model's %v", c.name, longest, c.model)
		}
		all := after.Reads + after.Writes + after.Flushes - before.Reads - before.Writes - before.Flushes
		if mean := (after.Queue - before.Queue) / float64(all); all == count && longest.Seconds() < mean-1e-6 {
			t.Errorf("the longest %s took %v, and their mean is %v s", c.name, longest, mean)
		}
		merged := c.name == "flush" && testForm == NBD // the kernel may send one flush for several callers, and some of its own
		if count == int64(len(took)) && !merged && longest > slices.Max(took) {
			t.Errorf("the longest %s took %v, and callers waited %v at most", c.name, longest, slices.Max(took))
		}
		if count < 1 {
			t.Errorf("no %s was counted", c.name)
		}
	}
}
