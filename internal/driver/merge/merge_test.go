package merge

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"pgregory.net/rapid"

	"plinth/internal/driver"
	"plinth/internal/driver/drivertest"
	"plinth/internal/record"
)

// agreed is the agreement that synthetic outcomes keep.
func (s shape) agreed() Agreement {
	return Agreement{Window: windowBegin, Length: time.Duration(s.seconds) * time.Second}
}

// merged merges parts, and returns the log, too.
func merged(t *rapid.T, kept *drivertest.Kept, s shape, parts ...Part) (*driver.Outcome, []byte) {
	t.Helper()
	o, err := Outcomes(parts, s.agreed(), kept)
	if err != nil {
		t.Fatal(err)
	}
	if o.Problems != nil || o.Warnings != nil {
		t.Fatalf("problems %v, warnings %v", o.Problems, o.Warnings)
	}
	log, err := os.ReadFile(kept.HistogramLog)
	if err != nil {
		t.Fatal(err)
	}
	return o, log
}

func TestOneIsItself(t *testing.T) {
	t.Parallel()
	kept := drivertest.In(t, t.TempDir())
	rapid.Check(t, func(t *rapid.T) {
		all := drawTransactions(t, mix)
		want, wantLog := mix.outcomeOf(all)
		got, log := merged(t, kept, mix, mix.part(1, all))
		drivertest.SameOutcome(t, got, want)
		drivertest.SameLog(t, log, wantLog)
		for i, c := range got.Points.Columns { // in the warm-up, too
			if !slices.EqualFunc(c.Values, want.Points.Columns[i].Values, drivertest.Near) {
				t.Fatalf("column %s: %v, want %v", c.Name, c.Values, want.Points.Columns[i].Values)
			}
		}
	})
}

// TestPartsAreTheWhole divides a load at random. The drivers' own tests do the same with what their
// load generators write.
func TestPartsAreTheWhole(t *testing.T) {
	t.Parallel()
	kept := drivertest.In(t, t.TempDir())
	rapid.Check(t, func(t *rapid.T) {
		all := drawTransactions(t, mix)
		want, wantLog := mix.outcomeOf(all)
		parts, _ := divided(t, all)
		got, log := merged(t, kept, mix, parts...)
		drivertest.SameLog(t, log, wantLog)
		drivertest.SameOutcome(t, got, want)
	})
}

// divided returns a load as parts of several load generators, twice: a log can be read only once.
func divided(t *rapid.T, all []transaction) (parts, again []Part) {
	shares := make([][]transaction, rapid.IntRange(2, 4).Draw(t, "generators"))
	for _, x := range all {
		i := rapid.IntRange(0, len(shares)-1).Draw(t, "generator")
		shares[i] = append(shares[i], x)
	}
	for i, share := range shares {
		parts, again = append(parts, mix.part(i, share)), append(again, mix.part(i, share))
	}
	return parts, again
}

func TestOrderHasNoEffect(t *testing.T) {
	t.Parallel()
	kept := drivertest.In(t, t.TempDir())
	rapid.Check(t, func(t *rapid.T) {
		parts, again := divided(t, drawTransactions(t, mix))
		again = rapid.Permutation(again).Draw(t, "order")
		a, logA := merged(t, kept, mix, parts...)
		b, logB := merged(t, kept, mix, again...)
		drivertest.SameOutcome(t, a, b)
		if !bytes.Equal(logA, logB) {
			t.Fatal("the logs differ")
		}
	})
}

func TestGroupingHasNoEffect(t *testing.T) {
	t.Parallel()
	kept := drivertest.In(t, t.TempDir())
	rapid.Check(t, func(t *rapid.T) {
		parts, again := divided(t, drawTransactions(t, mix))
		want, wantLog := merged(t, kept, mix, parts...)
		cut := rapid.IntRange(1, len(again)-1).Draw(t, "cut")
		var halves []Part
		for _, half := range [][]Part{again[:cut], again[cut:]} {
			o, log := merged(t, kept, mix, half...)
			halves = append(halves, Part{Name: half[0].Name, Outcome: o, Log: bytes.NewReader(log)})
		}
		got, log := merged(t, kept, mix, halves...)
		drivertest.SameOutcome(t, got, want)
		drivertest.SameLog(t, log, wantLog)
	})
}

// TestDeviation checks that the deviation of merged histograms is what the parallel variance formula
// (Chan, Golub and LeVeque) makes of the parts' counts, means and deviations.
func TestDeviation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.SliceOfN(rapid.Int64Range(1, 3_000_000_000), 1, 50)
		a, b := histogramOf(draw.Draw(t, "a")), histogramOf(draw.Draw(t, "b"))
		n, m := float64(a.TotalCount()), float64(b.TotalCount())
		apart := a.Mean() - b.Mean()
		variance := (n*a.StdDev()*a.StdDev() + m*b.StdDev()*b.StdDev() + apart*apart*n*m/(n+m)) / (n + m)
		got, err := mergeLatencies([]counted{{a.TotalCount(), record.Summarise(a)}, {b.TotalCount(), record.Summarise(b)}})
		if err != nil || math.Abs(got.Stddev-math.Sqrt(variance)) > 1e-6*got.Stddev+1 {
			t.Fatalf("%v, want %v, %v", got.Stddev, math.Sqrt(variance), err)
		}
	})
}

func histogramOf(nanos []int64) *hdrhistogram.Histogram {
	h := record.NewHistogram()
	for _, n := range nanos {
		_ = h.RecordValue(n)
	}
	return h
}

// TestPercentilesAreNotAveraged has one fast and one slow load generator: the median of all is that
// of the fast one, which has more transactions, and p95 that of the slow one.
func TestPercentilesAreNotAveraged(t *testing.T) {
	t.Parallel()
	s := shape{scripts: []string{"a"}, seconds: 1}
	var fast, slow []transaction
	for range 90 {
		fast = append(fast, transaction{nanos: 1_000_000})
	}
	for range 10 {
		slow = append(slow, transaction{nanos: 100_000_000})
	}
	o, err := Outcomes([]Part{s.part(1, fast), s.part(2, slow)}, s.agreed(), drivertest.In(t, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	near := func(got, want float64) bool { return math.Abs(got-want) <= want/1000 }
	if l := o.Result.Latency; !near(float64(l.P50), 1e6) || !near(float64(l.P95), 100e6) || !near(l.Mean, 10.9e6) || l.Max != 100_000_000 {
		t.Errorf("%+v", l)
	}
	for _, c := range o.Points.Columns {
		if c.Name == "latency_p50_ns" && !near(c.Values[0], 1e6) || c.Name == "latency_p95_ns" && !near(c.Values[0], 100e6) {
			t.Errorf("%s is %v", c.Name, c.Values)
		}
	}
}

// FuzzLog merges an outcome with any histogram log.
func FuzzLog(f *testing.F) {
	all := []transaction{{nanos: 1_000_000}, {second: 2, script: 1, nanos: 5}}
	whole, log := mix.outcomeOf(all)
	kept := drivertest.In(f, f.TempDir())
	f.Add(log)
	f.Add([]byte("Tag=read,0.5,1,1,HIST\n"))
	f.Fuzz(func(t *testing.T, log []byte) {
		o, err := Outcomes([]Part{{Name: "a", Outcome: whole, Log: bytes.NewReader(log)}, {Name: "b", Outcome: whole}}, mix.agreed(), kept)
		if err == nil && o.Result.Transactions != 4 {
			t.Errorf("%+v", o.Result)
		}
	})
}

// BenchmarkOutcomes merges four load generators with 600 seconds of two scripts each, 2000
// transactions a second.
func BenchmarkOutcomes(b *testing.B) {
	s := shape{scripts: mix.scripts, seconds: 600}
	random := rand.New(rand.NewPCG(1, 2))
	var parts []Part
	var logs [][]byte
	for i := range 4 {
		var all []transaction
		for n := range s.seconds * 2000 {
			all = append(all, transaction{second: n / 2000, script: random.IntN(2), nanos: int64(150_000 * math.Exp(random.NormFloat64()*0.5))})
		}
		o, log := s.outcomeOf(all)
		parts, logs = append(parts, Part{Name: string(rune('a' + i)), Outcome: o}), append(logs, log)
	}
	kept := drivertest.In(b, b.TempDir())
	b.ReportAllocs()
	for b.Loop() {
		for i := range parts {
			parts[i].Log = bytes.NewReader(logs[i])
		}
		if _, err := Outcomes(parts, s.agreed(), kept); err != nil {
			b.Fatal(err)
		}
	}
}
