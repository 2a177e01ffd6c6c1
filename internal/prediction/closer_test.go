package prediction

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestCloser checks what can be measured of a question on the machine of the reference, and that it makes the interval
// narrower.
func TestCloser(t *testing.T) {
	ref := reference(t, 1.2)
	slower, faster := disk("slower", 2*time.Millisecond, 1000), disk("faster", 300*time.Microsecond, 6000)
	unlimited := disk("unlimited", 2*time.Millisecond, 0)
	for _, tc := range []struct {
		name     string
		q        Question
		measured Question
		answers  bool
	}{
		{"clients", Question{Clients: 32}, Question{Clients: 32}, true},
		{"as many clients", Question{Clients: 8, Data: &slower}, Question{Data: &slower}, true},
		{"clients and a faster disk", Question{Clients: 32, Data: &faster}, Question{Clients: 32}, false},
		{"clients and a slower disk", Question{Clients: 32, Data: &slower}, Question{Clients: 32, Data: &slower}, true},
		{"a disk with a higher limit", Question{Clients: 32, Data: &unlimited}, Question{Clients: 32}, false},
		{"a disk of the WAL", Question{WAL: &slower}, Question{WAL: &slower}, true},
		{"memory and a faster disk", Question{Memory: 1 << 30, Data: &faster}, Question{Memory: 1 << 30}, false},
		{"fewer CPUs", Question{CPUs: 1}, Question{CPUs: 1}, true},
		{"more CPUs and clients", Question{CPUs: 4, Clients: 4}, Question{Clients: 4}, false},
		{"another machine", Question{CPUs: 1, OtherMachine: true, SharedBuffers: 1 << 20}, Question{SharedBuffers: 1 << 20}, false},
	} {
		c, err := ref.Closer(tc.q)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		m := c.Measured
		if m.Data != tc.measured.Data || m.WAL != tc.measured.WAL || m.Clients != tc.measured.Clients || m.CPUs != tc.measured.CPUs || m.Memory != tc.measured.Memory || m.SharedBuffers != tc.measured.SharedBuffers || c.Answers != tc.answers {
			t.Errorf("%s: %+v", tc.name, c)
		}
		if knows := !c.Answers && m.Memory == 0 && m.SharedBuffers == 0; knows != (c.Half > 0) {
			t.Errorf("%s: ±%.3f", tc.name, c.Half)
		}
	}
	q := Question{Clients: 48, Data: &faster}
	c, err := ref.Closer(q)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ref.Predict(q)
	if err != nil {
		t.Fatal(err)
	}
	if c.Half >= p.TPS.Half() || c.Half < 0.05 {
		t.Errorf("±%.3f from a closer run, and ±%.3f without it", c.Half, p.TPS.Half())
	}
	remote := disk("remote", 50*time.Microsecond, 6000)
	if _, err := ref.Closer(Question{Clients: 32, Data: &remote}); err == nil || !strings.Contains(err.Error(), "more than 10 times apart") {
		t.Errorf("a disk that is too far: %v", err)
	}
	if half := (Estimate{100, 80, 125}).Half(); math.Abs(half-0.25) > 1e-9 {
		t.Errorf("an interval from 80 to 125 goes %v beyond 100", half)
	}
	for _, q := range []Question{{Data: &faster}, {CPUSpeed: 2}, {}} {
		if _, err := ref.Closer(q); err == nil || !strings.Contains(err.Error(), "measure any of it on the machine of the reference") {
			t.Errorf("%+v: %v", q, err)
		}
	}
}
