package emulator

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plinth/internal/device"
)

// TestLongestSince compares what two readers with their own pace see with all operations: each sees
// the longest since its own previous reading.
func TestLongestSince(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &history{}
		reading := func() Reading {
			var r Reading
			r.Number, r.Longest = h.read()
			return r
		}
		type reader struct {
			last Reading
			want Longest
			gap  int // readings by others
		}
		readers := []*reader{{last: reading()}, {}}
		readers[1].last = reading()
		readers[0].gap = 1
		for range rapid.IntRange(1, 200).Draw(t, "events") {
			took := time.Duration(rapid.IntRange(1, 1000).Draw(t, "took"))
			kind := device.Kind(rapid.IntRange(-1, int(device.Flush)).Draw(t, "kind"))
			if kind >= device.Read {
				h.add(kind, took)
				one := map[device.Kind]Longest{device.Read: {Read: took}, device.Write: {Write: took}, device.Flush: {Flush: took}}[kind]
				for _, r := range readers {
					r.want = r.want.with(one)
				}
				continue
			}
			reads, other := readers[int(took)%2], readers[int(took+1)%2]
			now := reading()
			got, known := LongestSince(reads.last, now)
			if known != (reads.gap < intervals) || known && got != reads.want {
				t.Fatalf("after %d readings by others: %+v, %v, want %+v", reads.gap, got, known, reads.want)
			}
			reads.last, reads.want, reads.gap = now, Longest{}, 0
			other.gap++
		}
	})
	var r Reading
	if l, known := LongestSince(r, r); !known || l != (Longest{}) {
		t.Errorf("between a reading and itself: %+v, %v", l, known)
	}
	if _, known := LongestSince(Reading{Number: 7}, Reading{Number: 2, Longest: make([]Longest, 2)}); known {
		t.Error("a reading of an emulator that was started later is compared with one before")
	}
}

// TestLongestTravels checks that a reading keeps its maxima on the wire.
func TestLongestTravels(t *testing.T) {
	sent := Reading{Number: 40, Longest: []Longest{{}, {Read: 1, Write: 2, Flush: 3}}}
	text, err := json.Marshal(sent.wire())
	if err != nil {
		t.Fatal(err)
	}
	var w wireReading
	if err := json.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	if got := w.reading(); got.Number != sent.Number || !slices.Equal(got.Longest, sent.Longest) {
		t.Errorf("%s came as %+v", text, got)
	}
}
