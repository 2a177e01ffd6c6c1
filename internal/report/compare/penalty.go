package compare

import (
	"fmt"

	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/verdict"
)

// Penalty is the cost of an environment against the baseline, in the form of published
// benchmarks: "14.3 times less throughput, 39 times the p99".
type Penalty struct {
	Workload    string `json:"workload"`
	Environment string `json:"environment"`
	Baseline    string `json:"baseline"`
	Rate        *Ratio `json:"tps_fewer_times,omitempty"` // baseline over environment
	P99         *Ratio `json:"p99_times,omitempty"`       // environment over baseline
}

// Ratio is a ratio with the interval of its verdict.
type Ratio struct {
	Times float64 `json:"times"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Level float64 `json:"level"` // of the interval; 0 means a range, or nothing for a single block
	N     int     `json:"n"`
}

// Penalties returns the penalties of all workloads, in the order of the verdicts. They are the
// effects of the verdicts in another form, so they never contradict them.
func Penalties(c *verdict.Comparison) []Penalty {
	var all []Penalty
	at := map[[3]string]int{}
	for _, v := range c.Verdicts {
		key := [3]string{v.Workload, v.Other, v.Baseline}
		r := ratioOf(v)
		if r == nil {
			continue
		}
		if _, known := at[key]; !known {
			at[key] = len(all)
			all = append(all, Penalty{Workload: v.Workload, Environment: v.Other, Baseline: v.Baseline})
		}
		if p := &all[at[key]]; v.Metric == "tps" {
			p.Rate = r
		} else {
			p.P99 = r
		}
	}
	return all
}

// ratioOf returns the ratio of a verdict on throughput or p99; nil for other metrics, and if no
// ratio exists, as with values of zero.
func ratioOf(v record.Verdict) *Ratio {
	if v.Metric != "tps" && v.Metric != "p99" || !HasNumber(v) || min(1+v.Effect, 1+v.Low, 1+v.High) <= 0 {
		return nil
	}
	r := &Ratio{Times: 1 + v.Effect, Low: 1 + v.Low, High: 1 + v.High, Level: v.Level, N: v.N}
	if v.Metric == "tps" {
		r.Times, r.Low, r.High = 1/r.Times, 1/r.High, 1/r.Low
	}
	return r
}

// String formats the ratio with its interval: "14.3 (12.1 to 16.9)".
func (r *Ratio) String() string {
	switch {
	case r == nil:
		return phrase.None
	case r.N < 2:
		return phrase.Times(r.Times)
	}
	span := phrase.Times(r.Low) + " to " + phrase.Times(r.High)
	if r.Level == 0 {
		span = "range " + span
	}
	return fmt.Sprintf("%s (%s)", phrase.Times(r.Times), span)
}

// PenaltyTable returns the penalty ratios with an explanation.
func PenaltyTable(all []Penalty, w experiment.Terms) prose.Document {
	if len(all) == 0 {
		return nil
	}
	t := prose.Table{Title: "Penalty ratios", Keys: 2, Columns: []prose.Column{{Title: "Workload"}, {Title: "Config"},
		{Title: "times fewer " + w.Rate, Right: true}, {Title: "times the p99", Right: true}}}
	level := 0.0
	for _, p := range all {
		t.Rows = append(t.Rows, []string{p.Workload, p.Environment, p.Rate.String(), p.P99.String()})
		if p.Rate != nil {
			level = max(level, p.Rate.Level)
		}
	}
	note := "Against " + all[0].Baseline + "; below 1 is a gain. The ratios are the effects of the verdicts"
	if level > 0 {
		note += ", with their intervals in brackets"
	}
	return prose.Document{t, prose.Paragraph(note + ".")}
}
