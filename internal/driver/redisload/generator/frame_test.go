package generator

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// heard records what a Decoder reports.
type heard struct{ lines []string }

func (h *heard) say(format string, args ...any) {
	h.lines = append(h.lines, fmt.Sprintf(format, args...))
}
func (h *heard) Origin(at time.Time, warm time.Duration) { h.say("origin %d %d", at.UnixNano(), warm) }
func (h *heard) Refused(text string)                     { h.say("refused %s", text) }
func (h *heard) Complaint(c Complaint)                   { h.say("complaint %v", c) }
func (h *heard) End(e End)                               { h.say("end %v", e) }
func (h *heard) Second(s *Second) error                  { h.say("%s", shown(s)); return nil }

func shown(s *Second) string {
	text := fmt.Sprint("second ", s.Number, s.Begin, s.End, s.CPU)
	for i := range s.Parts {
		text += fmt.Sprintf("%v %x", s.Parts[i].Sums, s.Parts[i].Latencies.Append(nil))
	}
	return text
}

// TestFramesAnySplit checks that the reports are the same however the stream is split.
func TestFramesAnySplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stream []byte
		var want heard
		for range rapid.IntRange(0, 5).Draw(t, "seconds") {
			s := NewSecond(2)
			s.Number, s.Begin, s.End = rapid.Int64().Draw(t, "number"), 1, 2
			s.CPU = rapid.SliceOfN(rapid.Int64Min(0), 0, 3).Draw(t, "cpu")
			s.Parts[1].Sums = Sums{Done: 1, Failures: 2, Latency: 3, Longest: 4, Lag: 5, WorstLag: 6, Reads: 7, Hits: 8}
			for _, l := range rapid.SliceOf(rapid.Int64Range(0, 4e12)).Draw(t, "latencies") {
				s.Parts[0].Latencies.Add(l)
			}
			stream = frame(stream, frameSecond, func(b []byte) []byte { return appendSecond(b, s) })
			want.say("%s", shown(s))
		}
		stream = frame(stream, frameRefused, func(b []byte) []byte { return appendStrings(b, "ERR x") })
		want.Refused("ERR x")
		stream = frame(stream, frameComplain, func(b []byte) []byte { return appendStrings(b, "e", "h") })
		want.Complaint(Complaint{"e", "h"})
		stream = frame(stream, frameEnd, func(b []byte) []byte { return binary.AppendVarint(binary.AppendVarint(b, 9), 8) })
		want.End(End{9, 8})
		var got heard
		d := NewDecoder(&got, 2)
		for len(stream) > 0 {
			n := rapid.IntRange(1, len(stream)).Draw(t, "piece")
			if _, err := d.Write(stream[:n]); err != nil {
				t.Fatal(err)
			}
			stream = stream[n:]
		}
		if !d.Whole() || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("heard %v, want %v", got, want)
		}
	})
}

func FuzzDecoder(f *testing.F) {
	s := NewSecond(1)
	s.CPU = []int64{5}
	s.Parts[0].Latencies.Add(1000)
	f.Add(frame(nil, frameSecond, func(b []byte) []byte { return appendSecond(b, s) }))
	f.Add(frame(nil, frameComplain, func(b []byte) []byte { return appendStrings(b, "cannot", "hint") }))
	f.Add([]byte("x\x00\x00\x00\x00"))
	f.Fuzz(func(_ *testing.T, stream []byte) {
		d := NewDecoder(&heard{}, 1)
		_, _ = d.Write(stream)
	})
}
