package latency

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"plinth/internal/record"
)

// TestLogHeader checks the lines that HDR tools expect.
func TestLogHeader(t *testing.T) {
	var out bytes.Buffer
	log := NewLog(&out)
	log.Begin("pgbench", time.UnixMicro(1_795_252_004_335_588))
	c := New()
	c.Add(1_000_000)
	log.Interval(TagOf("my, script"), 2, 0.5, c)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	want := "#[plinth: pgbench latencies in nanoseconds]\n" +
		"#[Histogram log format version 1.3]\n" +
		"#[BaseTime: 1795252004.336 (seconds since epoch)]\n" +
		"#[StartTime: 1795252004.336 (seconds since epoch), 2026-11-21T09:06:44Z]\n" +
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n" +
		"Tag=my__script,2.000000,0.500000,1.000447,HISTF"
	if got := out.String(); !strings.HasPrefix(got, want) {
		t.Errorf("log begins\n%s\nwant\n%s", got, want)
	}
}

// TestLongestLatency checks that values beyond the range are in the last bucket, and that
// each bucket holds its highest value.
func TestLongestLatency(t *testing.T) {
	c := New()
	c.Add(2 * record.LongestLatency)
	if got, want := highest(c.hi), record.LongestLatency; got < want || lowest(c.hi) > want {
		t.Errorf("counted from %d to %d ns, want %d", lowest(c.hi), got, want)
	}
	for bucket := range c.hi {
		if got := bucketOf(highest(bucket)); got != bucket {
			t.Fatalf("the highest value of bucket %d is in %d", bucket, got)
		}
	}
}
