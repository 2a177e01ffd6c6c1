package demand

import (
	"math"
	"testing"

	"plinth/internal/record"
)

// TestImages fits WAL that shrinks from 9000 to 1000 bytes, with 30,000 transactions to 1/e, in runs with a warm-up of
// one second and a window of five.
func TestImages(t *testing.T) {
	var all []imagePoint
	for _, tps := range []float64{1000, 5000} {
		points := record.Points{Columns: []record.Column{{Name: "second"}, {Name: "tps"}, {Name: "wal.bytes"}, {Name: "checkpoints.timed"}}}
		for second := -1.0; second < 5; second++ {
			bytes := 1000 + 8000*math.Exp(-tps*(second+1.5)/30000)
			for i, v := range []float64{second, tps, bytes * tps, 0} {
				points.Columns[i].Values = append(points.Columns[i].Values, v)
			}
		}
		some, before, during := imagePoints(points)
		if before != 1 || during != 5 || len(some) != 6 {
			t.Fatalf("%d points, %v and %v s", len(some), before, during)
		}
		all = append(all, some...)
	}
	i := Images{Before: 1, During: 5}
	if !i.fit(all) || math.Abs(i.Fading/30000-1) > 0.06 || math.Abs(i.Always+i.First-9000) > 100 {
		t.Fatalf("%+v", i)
	}
	sum := 0.0
	for second := range 5 {
		sum += 1000 + 8000*math.Exp(-2000*(float64(second)+1.5)/30000)
	}
	if got := i.Mean(2000); math.Abs(got/(sum/5)-1) > 0.01 {
		t.Errorf("%v bytes, want %v", got, sum/5)
	}
	if got := i.Mean(0); math.Abs(got-9000) > 100 {
		t.Errorf("%v bytes of the first transaction", got)
	}
}

// TestNoImages: nothing is concluded from few seconds, from such that are alike, or from WAL that grows.
func TestNoImages(t *testing.T) {
	for name, bytes := range map[string]func(after float64) float64{
		"grows": func(after float64) float64 { return 1000 + after },
		"alike": nil,
	} {
		var all []imagePoint
		for i := range 20 {
			p := imagePoint{after: 1000 + float64(i), bytes: 5000}
			if bytes != nil {
				p.after = 1000 * float64(i+1)
				p.bytes = bytes(p.after)
			}
			all = append(all, p)
		}
		if i := (Images{}); i.fit(all) {
			t.Errorf("%s: %+v", name, i)
		}
	}
	if i := (Images{}); i.fit([]imagePoint{{1, 2}, {100, 1}}) {
		t.Errorf("two seconds: %+v", i)
	}
}

// TestCheckpointWithin: after a checkpoint in the run, pages are written whole again, and nothing is concluded.
func TestCheckpointWithin(t *testing.T) {
	points := record.Points{Columns: []record.Column{
		{Name: "second", Values: []float64{-1, 0, 1, 2}}, {Name: "tps", Values: []float64{100, 100, 100, 100}},
		{Name: "wal.bytes", Values: []float64{1000, 900, 800, 1000}}, {Name: "checkpoints.requested", Values: []float64{0, 0, 0, 1}},
	}}
	if all, _, _ := imagePoints(points); all != nil {
		t.Errorf("%v", all)
	}
	points.Columns[3].Values = []float64{1, 0, 0, 0} // that before the run
	if all, before, during := imagePoints(points); len(all) != 4 || all[2] != (imagePoint{250, 8}) || before != 1 || during != 3 {
		t.Errorf("%v", all)
	}
}
