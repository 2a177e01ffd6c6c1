package latency

import (
	"bytes"
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
