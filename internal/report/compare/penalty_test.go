package compare_test

import (
	"encoding/json"
	"strings"
	"testing"

	"plinth/internal/report/reporttest"
	"plinth/internal/report/summary"
)

// TestPenalties checks the ratios that published benchmarks quote.
func TestPenalties(t *testing.T) {
	var text strings.Builder
	if err := summary.Write(&text, reporttest.Cached(t), "json", summary.Options{}); err != nil {
		t.Fatal(err)
	}
	var show summary.Summary
	if err := json.Unmarshal([]byte(text.String()), &show); err != nil {
		t.Fatal(err)
	}
	if len(show.Penalties) != 6 {
		t.Fatalf("%d penalties: %+v", len(show.Penalties), show.Penalties)
	}
	for _, p := range show.Penalties {
		if p.Workload != "set" || p.Environment != "always" {
			continue
		}
		if p.Baseline != "no-aof" || p.Rate == nil || p.P99 == nil {
			t.Fatalf("%+v", p)
		}
		if r := p.Rate; r.Times < 14.3 || r.Times > 14.32 || r.Low > r.Times || r.High < r.Times || r.Level == 0 {
			t.Errorf("4450 against 311 requests a second is %+v; want 14.3 times fewer", *r)
		}
		if r := p.P99; r.Times < 14 || r.Times > 15 {
			t.Errorf("64 against 4.4 ms is %+v; want about 14.5 times", *r)
		}
	}
}
