package fault

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plinth/internal/engine"
	"plinth/internal/record"
	"plinth/internal/runner/stand"
)

// said is a Witness that returns fixed counts.
type said []engine.Testimony

func (said) Stop(context.Context) {}

func (s said) Count(context.Context, engine.Server) ([]engine.Testimony, error) { return s, nil }

// TestCounting checks the totals for arbitrary counts per connection.
func TestCounting(t *testing.T) {
	testimony := rapid.Custom(func(t *rapid.T) engine.Testimony {
		one := engine.Testimony{Acknowledged: rapid.Int64Range(0, 1e6).Draw(t, "acknowledged")}
		one.Found = rapid.Int64Range(0, one.Acknowledged).Draw(t, "found")
		if one.Found < one.Acknowledged {
			one.Back = time.Duration(rapid.Int64Range(0, 1e9).Draw(t, "back"))
		}
		return one
	})
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(testimony, 1, 8).Draw(t, "testimonies")
		broke := rapid.SampledFrom([]string{"", "it burns"}).Draw(t, "broke")
		b := injection{seen: record.Injection{Broke: broke}}
		if err := b.count(t.Context(), said(all), &stand.Stand{}); err != nil {
			t.Fatal(err)
		}
		s := b.seen
		var acknowledged, lost int64
		var back time.Duration
		for _, one := range all {
			acknowledged += one.Acknowledged
			lost += one.Acknowledged - one.Found
			back = max(back, one.Back)
		}
		if broke != "" {
			lost, back = acknowledged, 0
		}
		if s.Acknowledged != acknowledged || s.Lost() != lost || s.Back != back.Seconds() {
			t.Fatalf("%+v of %+v", s, all)
		}
	})
}
