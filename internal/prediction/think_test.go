package prediction

import (
	"math"
	"strings"
	"testing"
	"time"

	"plinth/internal/prediction/closed"
	"plinth/internal/prediction/demand"
)

// TestThink: clients that think most of the time are as many times faster as they are more, until the disk or the CPUs bind;
// a faster CPU does not make them think faster. What the model does not explain is measured beside think time.
func TestThink(t *testing.T) {
	c := reference(t, 1).Cell
	c.System.Think = 40 * time.Millisecond
	o := simulate(c.System, transactions)
	measure := func(longer float64) demand.Cell {
		c := c
		c.Runs = nil
		for range 3 {
			c.Runs = append(c.Runs, demand.Run{TPS: o.tps / longer, Mean: o.mean * longer, P50: o.p50 * longer, P95: o.p95 * longer, P99: o.p99 * longer})
		}
		return c
	}
	ref, err := NewReference(measure(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		q         Question
		low, high float64
	}{{Question{}, 0.99, 1.01}, {Question{Clients: 32}, 3.6, 4.05}, {Question{CPUSpeed: 4}, 0.99, 1.05}} {
		p, err := ref.Predict(tc.q)
		if err != nil {
			t.Fatal(err)
		}
		if change := p.TPS.Value / o.tps; change < tc.low || change > tc.high || p.Places[0].Name != closed.Pause {
			t.Errorf("%+v: %.3f of the measured %.0f; %+v", tc.q, change, o.tps, p.Places)
		}
	}
	rest := o.mean - c.System.Think.Seconds()
	if _, err := NewReference(measure((o.mean + 4*rest) / o.mean)); err == nil || !strings.Contains(err.Error(), "does not explain") {
		t.Errorf("a rest that takes five times as long as in the model: %v", err)
	}
	// A rest of 1.5 times that of the model, most of the time and next to none of it.
	width := func(r *Reference) float64 {
		p, err := r.Predict(Question{})
		if err != nil {
			t.Fatal(err)
		}
		return math.Log(p.TPS.High / p.TPS.Low)
	}
	lacks, err := NewReference(measure((o.mean + rest/2) / o.mean))
	if err != nil {
		t.Fatal(err)
	}
	if thinks, works := width(lacks), width(reference(t, 1.5)); thinks > 0.95*works || math.Abs(lacks.misfit) < 0.05 {
		t.Errorf("the interval has a width of %.3f beside think time, and of %.3f without; misfit %.2f", thinks, works, lacks.misfit)
	}
	c.System.Think = 30 * time.Second
	o = simulate(c.System, transactions)
	if _, err := NewReference(measure(1)); err != nil {
		t.Errorf("thinking for long: %v", err)
	}
}
