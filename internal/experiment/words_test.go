package experiment

import "testing"

func TestWords(t *testing.T) {
	for _, c := range []struct{ engine, text, want string }{
		{"postgres", "peak TPS", "peak TPS"},
		{"redis", "peak TPS", "peak RPS"},
		{"redis", "second of the lowest TPS", "second of the lowest RPS"},
		{"redis", "a transaction", "a request"},
		{"", "TPS of a transaction", "TPS of a transaction"},
		{"another", "TPS", "TPS"},
	} {
		if got := WordsOf(c.engine).Say(c.text); got != c.want {
			t.Errorf("%s: %q is %q, want %q", c.engine, c.text, got, c.want)
		}
	}
}

// TestRequestsASecond: who writes rps has the metric that records call tps.
func TestRequestsASecond(t *testing.T) {
	for name, want := range map[string]string{"rps": "tps", "rps-variation": "tps-variation", "tps": "tps"} {
		if m, err := ParseMetric(name); err != nil || m.Name != want {
			t.Errorf("%s is %q (%v), want %s", name, m.Name, err, want)
		}
	}
	if _, err := ParseMetric("rpsx"); err == nil {
		t.Error("rpsx is a metric")
	}
	e, _, err := Parse("e.yaml", []byte("engine: redis\nworkloads: [set]\nmetric: rps\nenvironments: {a: {}, b: {}}\n"), "", nil)
	if err != nil || e.Metric != "tps" {
		t.Errorf("metric: rps is read as %+v (%v)", e, err)
	}
}
