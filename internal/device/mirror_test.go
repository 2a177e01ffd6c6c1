package device

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plinth/internal/unit"
)

// theory is how long the busiest lane of an array needs for reads, with all of its
// mirrors at work. The parts of a request are found byte by byte of its chunks, and
// each keeps a disk busy for as long as the tighter of its limits says.
func theory(a Array, requests []Request) (seconds float64) {
	lanes := int64(a.Members / a.mirrors())
	busy := make([]float64, lanes)
	for _, r := range requests {
		parts := make([]int64, lanes)
		for at := r.Offset; at < r.Offset+r.Size; {
			chunk := at / int64(a.Chunk)
			next := min((chunk+1)*int64(a.Chunk), r.Offset+r.Size)
			parts[chunk%lanes] += next - at
			at = next
		}
		for lane, size := range parts {
			operations := math.Ceil(float64(size) / float64(a.Of.OperationSize))
			busy[lane] += max(operations/a.Of.IOPS.Rate, float64(size)/float64(a.Of.Throughput.Rate))
		}
	}
	return slices.Max(busy) / float64(a.mirrors())
}

// TestMirrorsShareReads: whatever the chunk, the size of requests and the number of
// members, reads in sequence use both mirrors of each pair: they reach what the
// limits of all members allow together.
func TestMirrorsShareReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		member := Device{Name: "x", Read: Latency{micros(500), 0}, Write: Latency{micros(500), 0},
			IOPS: Limit{Rate: 1000}, Throughput: FlowLimit{Rate: mebibytes(125)}, OperationSize: 256 * unit.KiB}
		chunk := 4 * unit.KiB << rapid.IntRange(0, 7).Draw(t, "chunk")
		d, err := RAID(10, 2*rapid.IntRange(2, 6).Draw(t, "pairs"), chunk, member)
		if err != nil {
			t.Fatal(err)
		}
		size := 4096 * int64(rapid.IntRange(1, 128).Draw(t, "pages"))
		// Whole rounds over all lanes, all asked for at once: no lane has to wait for another.
		round := int(unit.Size(d.Array.Members/2) * chunk / (4 * unit.KiB))
		requests := make([]Request, round*max(1, 1500/round))
		s, end := NewStation(d, 1), time.Duration(0)
		for i := range requests {
			requests[i] = Request{Read, int64(i) * size, size}
			end = max(end, s.Submit(0, requests[i]))
		}
		if want := theory(*d.Array, requests); !near(end.Seconds(), want, 0.03) {
			t.Fatalf("%d reads of %d bytes took %.3f s, theory %.3f", len(requests), size, end.Seconds(), want)
		}
	})
}

// TestAlignedReads: the published array at eight members of 1000 IOPS reads 8,000
// chunks a second; so do requests of a whole round of chunks, of four parts each.
func TestAlignedReads(t *testing.T) {
	d, err := RAID(10, 8, 64*unit.KiB, Device{Name: "x", Read: Latency{micros(500), 0}, IOPS: Limit{Rate: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	for size, want := range map[int64]float64{64 << 10: 8000, 256 << 10: 2000, 128 << 10: 4000} {
		next := func(i int) Request { return Request{Read, int64(i) * size, size} }
		if got := load(NewStation(d, 1), 256, 5*time.Second, next); !near(got, want, 0.01) {
			t.Errorf("%d KiB: %.0f a second, want %.0f", size>>10, got, want)
		}
	}
}

// TestIdleMirrorsTakeTurns: where none of them is behind, each reads as much.
func TestIdleMirrorsTakeTurns(t *testing.T) {
	d, err := RAID(10, 8, 64*unit.KiB, Device{Name: "x", Read: Latency{micros(500), 0}})
	if err != nil {
		t.Fatal(err)
	}
	s := NewStation(d, 1)
	for i := range 80 {
		s.Submit(time.Duration(i)*time.Second, Request{Read, int64(i) << 16, 64 << 10})
	}
	for i, k := range s.disks {
		if k.used.Operations != 10 {
			t.Errorf("disk %d had %v of 80 reads", i, k.used.Operations)
		}
	}
}
