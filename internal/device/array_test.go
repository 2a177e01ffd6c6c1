package device

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"plinth/internal/unit"
)

// TestArraysReachTheFormulas: a saturated array of N disks does what is published.
func TestArraysReachTheFormulas(t *testing.T) {
	gp3 := gp3().Device
	for _, c := range []struct {
		level, members int
		kind           Kind
		want           float64
	}{
		{10, 8, Read, 24000}, {10, 8, Write, 12000}, // the published ceiling
		{0, 8, Read, 24000}, {0, 8, Write, 24000}, {0, 2, Write, 6000},
		{1, 2, Read, 6000}, {1, 2, Write, 3000}, {1, 3, Read, 9000}, {10, 4, Write, 6000},
	} {
		d, err := RAID(c.level, c.members, chunkOf(c.level), gp3)
		if err != nil {
			t.Fatal(err)
		}
		got := load(NewStation(d, 1), 600, 3*time.Second, pages(c.kind))
		e := Ideal(d)
		theory := e.Reads
		if c.kind == Write {
			theory = e.Writes
		}
		if !near(got, c.want, 0.03) || !near(theory, c.want, 1e-9) {
			t.Errorf("raid%d of %d, %s: %.0f a second, theory %.0f, want %.0f", c.level, c.members, c.kind, got, theory, c.want)
		}
	}
}

// TestArrayThroughput: long writes in sequence reach stripes x throughput.
func TestArrayThroughput(t *testing.T) {
	d, err := RAID(10, 8, 64*unit.KiB, gp3().Device)
	if err != nil {
		t.Fatal(err)
	}
	next := func(i int) Request { return Request{Write, int64(i) << 20, 1 << 20} }
	got := load(NewStation(d, 1), 64, 10*time.Second, next) * float64(unit.MiB)
	if want := float64(Ideal(d).Throughput); want != 500*float64(unit.MiB) || !near(got, want, 0.02) {
		t.Errorf("%.0f bytes a second, want %.0f", got, want)
	}
}

// TestDisksDoNotSpeedUpACommit: one write after the other is no faster on eight
// disks, and a little slower on mirrors: the slower of two.
func TestDisksDoNotSpeedUpACommit(t *testing.T) {
	one := gp3().Device
	alone := load(NewStation(one, 1), 1, 60*time.Second, pages(Write))
	for _, level := range []int{0, 10} {
		d, err := RAID(level, 8, 64*unit.KiB, one)
		if err != nil {
			t.Fatal(err)
		}
		got := load(NewStation(d, 1), 1, 60*time.Second, pages(Write))
		if got > alone*1.01 || !near(got, Ideal(d).QD1Writes, 0.01) {
			t.Errorf("raid%d: %.0f writes a second, %.0f alone, theory %.0f", level, got, alone, Ideal(d).QD1Writes)
		}
	}
}

// TestStripesAreWhole: the disks of an array get the bytes of each request, once,
// or once for each mirror.
func TestStripesAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		level := rapid.SampledFrom([]int{0, 1, 10}).Draw(t, "level")
		members := 2 * rapid.IntRange(2, 5).Draw(t, "pairs")
		chunk := unit.Size(0)
		if level != 1 {
			chunk = 4096 << rapid.IntRange(0, 6).Draw(t, "chunk")
		}
		d, err := RAID(level, members, chunk, Device{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		s := NewStation(d, 1)
		want := 0.0
		for range 20 {
			r := Request{
				Kind:   Kind(rapid.IntRange(0, 1).Draw(t, "kind")),
				Offset: int64(rapid.IntRange(0, 1<<22).Draw(t, "offset")),
				Size:   int64(rapid.IntRange(1, 1<<22).Draw(t, "size")),
			}
			s.Submit(0, r)
			copies := 1
			if r.Kind == Write && level != 0 {
				copies = map[int]int{1: members, 10: 2}[level]
			}
			want += float64(r.Size) * float64(copies)
		}
		if got := s.Used().Bytes; got != want {
			t.Fatalf("%v bytes at the disks, want %v", got, want)
		}
	})
}

// TestChunksGoRound: a request within a chunk goes to the disk whose turn it is.
func TestChunksGoRound(t *testing.T) {
	d, err := RAID(0, 4, 64*unit.KiB, Device{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	s := NewStation(d, 1)
	for c := range 10 {
		s.Submit(0, Request{Write, int64(c)*65536 + 512, 4096})
	}
	for i, want := range []float64{3, 3, 2, 2} {
		if got := s.disks[i].used.Operations; got != want {
			t.Errorf("disk %d had %v, want %v", i, got, want)
		}
	}
}

// chunkOf is the published chunk, where there are chunks.
func chunkOf(level int) unit.Size {
	if level == 1 {
		return 0
	}
	return 64 * unit.KiB
}
