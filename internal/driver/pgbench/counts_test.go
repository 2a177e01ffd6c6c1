package pgbench

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"pgregory.net/rapid"

	"plinth/internal/record"
)

// TestCountsAreTheLibrarys compares buckets, percentiles and encoding with those
// of the library, for any latencies.
func TestCountsAreTheLibrarys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		octave := rapid.Uint32Range(0, 31)
		latencies := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) uint32 {
			return rapid.Uint32Max(uint32(1)<<octave.Draw(t, "octave")).Draw(t, "latency")
		}), 1, 200).Draw(t, "latencies")
		mine, theirs := newCounts(), record.NewHistogram()
		for _, v := range latencies {
			mine.add(v)
			if err := theirs.RecordValue(min(int64(v)*1000, record.LongestLatency)); err != nil {
				t.Fatal(err)
			}
		}
		var got [4]int64
		mine.quantiles(quantilesShown, got[:])
		for i, q := range quantilesShown {
			if want := theirs.ValueAtPercentile(q * 100); got[i] != want {
				t.Fatalf("quantile %v is %d, the library's %d", q, got[i], want)
			}
		}
		if back := encodedAndBack(t, mine); !back.Equals(theirs) {
			t.Fatalf("read back %v, want %v", back.Distribution(), theirs.Distribution())
		}
		for b := mine.lo; b <= mine.hi; b++ {
			if mine.n[b] > 0 && bucketOf(uint32(highest(b)/1000)) > b {
				t.Fatalf("bucket %d does not hold its highest value", b)
			}
		}
	})
}

type fataler interface{ Fatal(...any) }

func encodedAndBack(t fataler, c *counts) *hdrhistogram.Histogram {
	var out bytes.Buffer
	h := newHlog(&out)
	h.begin(time.Unix(1, 0))
	h.interval("", 0, 1, c)
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
	back, err := hdrhistogram.NewHistogramLogReader(&out).NextIntervalHistogram()
	if err != nil || back == nil {
		t.Fatal("cannot read back: ", err)
	}
	return back
}

func TestEmptyInterval(t *testing.T) {
	if back := encodedAndBack(t, newCounts()); back.TotalCount() != 0 {
		t.Errorf("an empty interval was read back with %d latencies", back.TotalCount())
	}
}

func TestLongestLatency(t *testing.T) {
	c := newCounts()
	c.add(math.MaxUint32) // 71 minutes
	if got, want := highest(c.hi), record.LongestLatency; got < want || lowest(c.hi) > want {
		t.Errorf("counted from %d to %d ns, want %d", lowest(c.hi), got, want)
	}
}

// TestHistogramLogHeader holds the lines that HDR tools look for.
func TestHistogramLogHeader(t *testing.T) {
	var out bytes.Buffer
	h := newHlog(&out)
	h.begin(time.UnixMicro(1_795_252_004_335_588))
	c := newCounts()
	c.add(1000)
	h.interval(tagOf("my, script"), 2, 0.5, c)
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
	want := "#[plinth: pgbench latencies in nanoseconds]\n" +
		"#[Histogram log format version 1.3]\n" +
		"#[BaseTime: 1795252004.336 (seconds since epoch)]\n" +
		"#[StartTime: 1795252004.336 (seconds since epoch), 2026-11-21T09:06:44Z]\n" +
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n" +
		"Tag=my__script,2.000000,0.500000,1.000447,HISTF"
	if got := out.String(); len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("log begins\n%s\nwant\n%s", got, want)
	}
}
