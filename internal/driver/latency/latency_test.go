package latency

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"pgregory.net/rapid"

	"plinth/internal/record"
)

// TestCountsAgree checks that counting, encoding, decoding and converting give the
// library's own histogram.
func TestCountsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, c := record.NewHistogram(), New()
		for _, v := range rapid.SliceOf(rapid.OneOf(rapid.Int64Range(0, record.LongestLatency), rapid.Int64Range(0, 5000))).Draw(t, "latencies") {
			c.Add(v)
			_ = want.RecordValue(v)
		}
		back := New()
		rest, err := back.Decode(append(c.Append(nil), 7))
		if err != nil || len(rest) != 1 || back.Total() != c.Total() {
			t.Fatalf("%v, %d bytes left", err, len(rest))
		}
		got := record.NewHistogram()
		back.AddTo(got)
		if !got.Equals(want) {
			t.Fatal("the histograms differ")
		}
		if c.Total() == 0 {
			return
		}
		var q [3]int64
		c.Quantiles([]float64{0.5, 0.95, 0.99}, q[:])
		for i, p := range []float64{50, 95, 99} {
			if w := want.ValueAtPercentile(p); q[i] != w {
				t.Fatalf("p%g is %d, want %d", p, q[i], w)
			}
		}
		c.Reset()
		if c.Total() != 0 || len(c.Append(nil)) != 1 {
			t.Fatal("not empty after a reset")
		}
	})
}

func TestAddBucket(t *testing.T) {
	c := New()
	for _, add := range []struct {
		bucket int
		n      int64
		fits   bool
	}{
		{0, 3, true}, {5, 0, true}, {buckets - 1, 2, true}, {buckets, 1, false}, {-1, 1, false}, {1, -1, false},
		{7, math.MaxUint32 - 5, true}, {7, 1, false},
	} {
		before := c.Total()
		err := c.AddBucket(add.bucket, add.n)
		if added := c.Total() - before; (err == nil) != add.fits || add.fits && added != add.n || !add.fits && added != 0 {
			t.Errorf("bucket %d, %d: %d added, %v", add.bucket, add.n, added, err)
		}
	}
}

// TestFiguresEndAtTheSlowest checks that no percentile exceeds the slowest transaction, which is
// known exactly, and that mean and maximum are those that were passed.
func TestFiguresEndAtTheSlowest(t *testing.T) {
	const longest = 5_000_001
	c, h := New(), record.NewHistogram()
	for range 10 {
		c.Add(longest)
	}
	c.AddTo(h)
	for i, q := range c.Shown(longest) {
		if q != longest {
			t.Errorf("percentile %d is %v", i, q)
		}
	}
	l := Summarise(h, 4_999_999.5, longest)
	if l.Mean != 4_999_999.5 || l.Max != longest || l.P50 != longest || l.P999 != longest {
		t.Errorf("%+v", l)
	}
}

func TestLogIsRead(t *testing.T) {
	var text bytes.Buffer
	log := NewLog(&text)
	log.Begin("redis", time.Unix(1000, 0))
	want := record.NewHistogram()
	for second := range 3 {
		c := New()
		for i := range int64(second * 1000) {
			c.Add(i * 997)
			_ = want.RecordValue(i * 997)
		}
		log.Interval(TagOf("a b,c"), float64(second), 1, c)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	got, reader := record.NewHistogram(), hdrhistogram.NewHistogramLogReader(&text)
	for {
		h, err := reader.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		got.Merge(h)
	}
	if !got.Equals(want) {
		t.Errorf("%d latencies read, %d written", got.TotalCount(), want.TotalCount())
	}
}

func FuzzDecode(f *testing.F) {
	c := New()
	c.Add(5)
	c.Add(1e9)
	f.Add(c.Append(nil))
	f.Fuzz(func(_ *testing.T, b []byte) { _, _ = New().Decode(b) })
}

func BenchmarkAdd(b *testing.B) {
	c := New()
	b.ReportAllocs()
	i := int64(0)
	for b.Loop() {
		c.Add(50_000 + i&0xffff)
		i += 997
	}
}
