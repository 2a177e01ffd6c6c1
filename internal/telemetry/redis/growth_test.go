package redis

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// fileOf simulates a server's append-only file: commands are appended, and a rewrite
// replaces everything with a small base and what was appended since it began.
type fileOf struct {
	input, appended   float64 // total
	size, base, start float64 // start is what had been appended when the rewrite began
	rewrites          float64
	goes, done        bool
}

// ended reports whether a rewrite has ended since the last call.
func (f *fileOf) ended() (done bool) {
	done, f.done = f.done, false
	return done
}

func (f *fileOf) write(bytes float64) {
	f.input += bytes * 1.02 // reads, and what is not appended
	f.appended += bytes
	f.size += bytes
}

func (f *fileOf) rewrite() {
	if f.goes {
		f.size = 1000 + f.appended - f.start
		f.base, f.done = f.size, true
	} else {
		f.start = f.appended
		f.rewrites++
	}
	f.goes = !f.goes
}

func (f *fileOf) sample() (s sample) {
	s.clear()
	s.values[aofSize], s.values[aofBase], s.values[received] = f.size, f.base, f.input
	s.values[aofRewrites], s.values[aofEnabled] = f.rewrites, 1
	s.values[aofRewriting] = 0
	if f.goes {
		s.values[aofRewriting] = 1
	}
	return s
}

// TestGrowth checks that the appended bytes are known to one part in a hundred however
// often the file is rewritten, and exactly where no rewrite ended.
func TestGrowth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &fileOf{size: 500, base: 500}
		var g growth
		before := f.sample()
		for range 3 { // nothing is known until something was appended
			f.write(rapid.Float64Range(1e5, 1e7).Draw(t, "bytes"))
			now := f.sample()
			if !g.add(&now, &before, f.ended()) {
				t.Fatal("it was not known without a rewrite")
			}
			before = now
		}
		if math.Abs(g.bytes-f.appended) > 1 {
			t.Fatalf("%v, want %v", g.bytes, f.appended)
		}
		for range rapid.IntRange(1, 50).Draw(t, "samples") {
			for range rapid.IntRange(0, 3).Draw(t, "steps") {
				f.write(rapid.Float64Range(0, 1e7).Draw(t, "bytes"))
				if rapid.IntRange(0, 2).Draw(t, "rewrite") == 0 {
					f.rewrite()
				}
			}
			now := f.sample()
			if !g.add(&now, &before, f.ended()) {
				t.Fatal("it was not known with a rewrite")
			}
			before = now
		}
		if math.Abs(g.bytes-f.appended) > 0.01*f.appended+1 {
			t.Fatalf("%v, want %v", g.bytes, f.appended)
		}
	})
}

// TestGrowthIsNotKnown checks that growth is unknown at the first rewrite seen, after a
// restart of the server, and without a file.
func TestGrowthIsNotKnown(t *testing.T) {
	f := &fileOf{size: 5e6, base: 1e6}
	f.write(1e6)
	first := f.sample()
	f.write(1e6)
	f.rewrite()
	f.rewrite()
	second := f.sample()
	var g growth
	if g.add(&second, &first, true) {
		t.Error("a rewrite was the first that was seen, and its growth is known")
	}
	third := second
	third.values[received] = 3
	if g.add(&third, &second, false) {
		t.Error("the server was restarted, and the growth is known")
	}
	var none sample
	none.clear()
	if g.add(&none, &second, false) || g.bytes != 0 {
		t.Error("there is no file, and its growth is known")
	}
}

// TestPhases checks that a rewrite is counted and timed, whether samples see it or only its
// effect.
func TestPhases(t *testing.T) {
	begin := time.Unix(1000, 0)
	type step struct {
		begun float64
		goes  bool
		ended bool
		text  string
	}
	for name, steps := range map[string][]step{
		"seen":                 {{0, false, false, ""}, {1, true, false, ""}, {0, true, false, ""}, {0, false, true, "0.2 s"}},
		"between two":          {{1, false, true, "in less than 0.1 s"}, {0, false, false, ""}},
		"one after the other":  {{1, true, false, ""}, {1, true, true, "0.1 s"}, {0, false, true, "0.1 s"}},
		"it went on before":    {{0, true, false, ""}, {0, false, true, ""}},
		"several between two":  {{3, false, true, "in less than 0.1 s"}},
		"two, and one goes on": {{2, true, true, "in less than 0.1 s"}, {0, false, true, "0.1 s"}},
	} {
		p := rewritePhase
		for i, s := range steps {
			ended := p.step(begin.Add(time.Duration(i)*often), s.begun, s.goes)
			if ended != s.ended || ended && p.ended("ok") != s.text {
				t.Errorf("%s, step %d: %t, %q; want %t, %q", name, i, ended, p.ended("ok"), s.ended, s.text)
			}
		}
	}
	if p := rewritePhase; p.ended("err") != "failed, in less than 0.1 s" {
		t.Error(p.ended("err"))
	}
}
