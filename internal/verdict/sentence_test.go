package verdict

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// said returns the sentence on a verdict with 24 blocks by default, where eight are the
// minimum.
func said(v record.Verdict, margin float64) string {
	v.Workload, v.Other = "tpcb-like", "two-disks"
	return phrase{v, record.Plan{Unit: unitBlock, Margin: margin}, false, false, experiment.TermsOf("postgres")}.sentence(8)
}

func TestSentences(t *testing.T) {
	ratio := func(metric string, effect, low, high float64, word record.Outcome) record.Verdict {
		return record.Verdict{Metric: metric, Effect: effect, Low: low, High: high, N: 24, Level: 0.975, Outcome: word}
	}
	share := func(metric string, effect, low, high float64, word record.Outcome) record.Verdict {
		v := ratio(metric, effect, low, high, word)
		v.Difference = true
		return v
	}
	few := func(n int, v record.Verdict) record.Verdict {
		v.N, v.Level = n, 0
		return v
	}
	const under = "p99-under-10ms"
	for _, c := range []struct {
		v    record.Verdict
		want string
	}{
		{ratio("tps", 0.18, 0.12, 0.25, record.Better), "18 % more TPS (12 to 25 %, 24 blocks): better"},
		{ratio("tps", -0.18, -0.25, -0.12, record.Worse), "18 % less TPS (12 to 25 %, 24 blocks): worse"},
		{ratio("p99", 0.18, 0.12, 0.25, record.Worse), "18 % more p99 latency (12 to 25 %, 24 blocks): worse"},
		{ratio("latency", -0.31, -0.38, -0.24, record.Better), "31 % less latency (24 to 38 %, 24 blocks): better"},
		{ratio("tps", 0.01, -0.01, 0.02, record.Equivalent), "TPS within 3 % (-1.0 to +2.0 %, 24 blocks): equivalent"},
		{ratio("tps", 0.01, -0.02, 0.025, record.Equivalent), "TPS within 3 % (-2.0 to +2.5 %, 24 blocks): equivalent"},
		{ratio("tps", 0.012, 0.004, 0.021, record.Equivalent), "TPS within 3 % (+0.4 to +2.1 %, 24 blocks): equivalent"},
		{ratio("tps", 0, 0, 0, record.Equivalent), "TPS within 3 % (0.0 to 0.0 %, 24 blocks): equivalent"},
		{ratio("tps", 0.01, -0.021, 0.049, record.Inconclusive), "1 % more TPS (-2 to +5 %, 24 blocks): inconclusive"},
		{ratio("tps", -0.01, -0.049, 0.021, record.Inconclusive), "1 % less TPS (-5 to +2 %, 24 blocks): inconclusive"},
		{ratio("tps", 0.04, 0.0004, 0.081, record.Better), "4.00 % more TPS (0.04 to 8.10 %, 24 blocks): better"},
		{ratio("tps", -0.0012, -0.0013, -0.0011, record.Equivalent), "TPS within 3 % (-0.13 to -0.11 %, 24 blocks): equivalent"},
		{ratio("tps", 2.5, 2.3, 2.7, record.Better), "250 % more TPS (230 to 270 %, 24 blocks): better"},
		{ratio("tps", 11.4, 10.1, 13, record.Better), "12.4 times the TPS (11.1 to 14.0 times, 24 blocks): better"},
		{ratio("p99", 11.4, -0.2, 130, record.Inconclusive), "12.4 times the p99 latency (0.800 to 131 times, 24 blocks): inconclusive"},
		{ratio("tps", 5, 2, 15, record.Better), "6.00 times the TPS (3.00 to 16.0 times, 24 blocks): better"},
		{ratio("tps", -0.004, -0.1, 0.12, record.Inconclusive), "0 % difference in TPS (-10 to +12 %, 24 blocks): inconclusive"},
		{ratio("tps", -0.01, -0.0292, 0.009, record.Inconclusive), "1.00 % less TPS (-2.92 to +0.90 %, 24 blocks): inconclusive"},
		{ratio("tps", -0.995, -0.997, -0.993, record.Worse), "0.00500 times the TPS (0.00300 to 0.00700 times, 24 blocks): worse"},
		{share(under, 0.039, 0.021, 0.058, record.Better), "3.9 points more seconds with p99 under 10ms (2.1 to 5.8 points, 24 blocks): better"},
		{share("failures", 0, 0, 0, record.Equivalent), "no difference in failed (0.0 to 0.0 points, 24 blocks): equivalent"},
		{few(4, ratio("tps", 0.18, 0.12, 0.25, "")), "18 % more TPS (range 12 to 25 %, 4 blocks): no verdict yet"},
		{few(1, ratio("tps", 0.18, 0.18, 0.18, "")), "18 % more TPS (1 block): no verdict yet"},
		{few(4, ratio("tps", 0.18, 0.12, 0.25, record.Inconclusive)), "18 % more TPS (range 12 to 25 %, 4 blocks): inconclusive, too few for a verdict"},
		{few(0, ratio("tps", 0, 0, 0, record.Unfit)), "TPS: invalid, no block in which both have a valid run"},
		{ratio("tps", 0, 0, 0, record.Unfit), "TPS: invalid"},
	} {
		if got := said(c.v, 0.03); got != "two-disks: tpcb-like "+c.want {
			t.Errorf("%+v:\n got %s\nwant two-disks: tpcb-like %s", c.v, got, c.want)
		}
	}
	if got := said(ratio("tps", 0.001, -0.001, 0.003, record.Equivalent), 0.005); !strings.Contains(got, "TPS within 0.5 % (") {
		t.Error(got)
	}
}

// TestPrintedEndsAgreeWithTheWord checks that rounding never moves an end of an interval
// across zero or the margin.
func TestPrintedEndsAgreeWithTheWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-0.5, 0.5).Draw(t, "low")
		high := low + rapid.Float64Range(0, 0.3).Draw(t, "width")
		v := record.Verdict{Metric: "tps", Effect: (low + high) / 2, Low: low, High: high, N: 24, Level: 0.95, Outcome: record.Equivalent}
		text := said(v, 0.03)
		text = text[strings.Index(text, "(")+1 : strings.Index(text, " %, ")]
		from, to, _ := strings.Cut(text, " to ")
		for printed, is := range map[string]float64{from: low, to: high} {
			looks, err := strconv.ParseFloat(printed, 64)
			if err != nil {
				t.Fatal(err)
			}
			for _, bound := range []float64{0, 3, 100/1.03 - 100} {
				if off := is*100 - bound; math.Abs(off) > 0.001 && off*(looks-bound) <= 0 {
					t.Fatalf("%s for %g, on the other side of %g", printed, is*100, bound)
				}
			}
		}
	})
}
