package record_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"plinth/internal/record"
)

func TestSummarise(t *testing.T) {
	h := record.NewHistogram()
	for ms := int64(1); ms <= 1000; ms++ {
		if err := h.RecordValue(ms * 1_000_000); err != nil {
			t.Fatal(err)
		}
	}
	l := record.Summarise(h)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"mean", l.Mean, 500.5e6},
		{"stddev", l.Stddev, 288.67e6},
		{"min", float64(l.Min), 1e6},
		{"p50", float64(l.P50), 500e6},
		{"p95", float64(l.P95), 950e6},
		{"p99", float64(l.P99), 990e6},
		{"p99.9", float64(l.P999), 999e6},
		{"max", float64(l.Max), 1000e6},
	} {
		if math.Abs(c.got-c.want) > c.want*0.001 {
			t.Errorf("%s = %g, want %g within 0.1 %%", c.name, c.got, c.want)
		}
	}
	back, err := l.Decode()
	if err != nil {
		t.Fatal(err)
	}
	if !back.Equals(h) {
		t.Error("decoded histogram differs from the encoded one")
	}
}

func TestSummariseNothing(t *testing.T) {
	l := record.Summarise(record.NewHistogram())
	if l != (record.Latency{}) {
		t.Fatalf("Summarise of an empty histogram = %+v, want zeros", l)
	}
	h, err := l.Decode()
	if err != nil || h.TotalCount() != 0 {
		t.Fatalf("Decode of no histogram = %v, %v; want an empty one", h, err)
	}
}

func TestDecodeRefusesDamage(t *testing.T) {
	h := record.NewHistogram()
	_ = h.RecordValue(1000)
	good, err := record.EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	wide, err := record.EncodeHistogram(hdrhistogram.New(1, math.MaxInt64, 5))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"not base64": "!!!!",
		"wide":       wide,
		"cut short":  good[:len(good)/2],
		"another":    "AAAAAAAAAAAAAAAA",
		"huge":       strings.Repeat("A", 2<<20),
	} {
		if _, err := (record.Latency{Histogram: text}).Decode(); err == nil {
			t.Errorf("%s: decoded", name)
		}
	}
}

func FuzzDecodeHistogram(f *testing.F) {
	h := record.NewHistogram()
	_ = h.RecordValue(42)
	good, _ := record.EncodeHistogram(h)
	f.Add(good)
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := record.Latency{Histogram: text}.Decode()
		if err == nil && h.TotalCount() < 0 {
			t.Errorf("%d transactions", h.TotalCount())
		}
	})
}

// randomLatency returns the histogram of a simulated run of n transactions.
func randomLatency(tb testing.TB, seed uint64, n int) record.Latency {
	tb.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	h := record.NewHistogram()
	for range n {
		us := int64(math.Exp(random.NormFloat64()*0.25) * 800)
		if err := h.RecordValue(us * 1000); err != nil {
			tb.Fatal(err)
		}
	}
	return record.Summarise(h)
}

func TestHistogramStaysSmall(t *testing.T) {
	l := randomLatency(t, 1, 50_000)
	if n := len(l.Histogram); n > 4096 {
		t.Errorf("a run's histogram takes %d bytes, want at most 4096", n)
	} else {
		t.Logf("%d bytes", n)
	}
}
