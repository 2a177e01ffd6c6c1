package breakdown

import (
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/show"
	"plinth/internal/verdict"
)

// Value is a metric of a workload in one environment, at one load or over all cells. It is a
// geometric mean over blocks, so that an effect is the ratio of two values; for shares it is an
// arithmetic mean, and an effect is a difference.
type Value struct {
	Workload    string  `json:"workload"` // "" for the mean TPS of all workloads
	Clients     int     `json:"clients,omitempty"`
	Rate        float64 `json:"rate,omitempty"`
	Metric      string  `json:"metric"`
	Environment string  `json:"environment"`
	Value       float64 `json:"value"` // in the unit of the metric; latencies in nanoseconds
	// Best marks the best value among the environments; never for a metric without a direction.
	Best bool `json:"best,omitempty"`
	// Effect is the comparison with the baseline, without an outcome; nil for the baseline.
	Effect *record.Verdict `json:"effect,omitempty"`
}

// source is where values come from.
type source struct {
	*show.Numbers
	rec      *record.Record
	baseline string
	pairs    []verdict.Pair
}

// newSource returns the source of values of a record. It fails if there is nothing to lay side
// by side.
func newSource(s *show.Numbers, rec *record.Record) (*source, error) {
	switch {
	case s.Unread:
		return nil, hint.Errorf("plinth show RECORD prints its numbers", "cannot compare environments: the experiment of the record cannot be read")
	case len(s.Environments) < 2 || !s.Whole():
		return nil, hint.Errorf("plinth show RECORD prints the tables of one environment", "the record does not have two environments to show side by side")
	case s.Threads != 0:
		return nil, hint.Errorf("leave --threads out, or use --table environments", "effects cover all thread counts, and cannot be limited to %d", s.Threads)
	}
	from := &source{Numbers: s, rec: rec, baseline: s.Experiment.Baseline}
	for _, name := range s.Names() {
		if name != from.baseline {
			from.pairs = append(from.pairs, verdict.Pair{Baseline: from.baseline, Other: name})
		}
	}
	return from, nil
}

// values returns quantities of each workload in each environment, in the order of the experiment,
// the baseline first. Without a number of the baseline there are none; another environment without
// a number is left out.
func (from *source) values(quantities []verdict.Quantity) ([]Value, error) {
	effects, err := verdict.Effects(from.rec, from.pairs, quantities)
	if err != nil {
		return nil, err
	}
	type quantity struct {
		workload string
		verdict.Quantity
	}
	of := map[quantity][]record.Verdict{}
	for _, v := range effects {
		if compare.HasNumber(v) {
			q := quantity{v.Workload, verdict.Quantity{Metric: v.Metric, Clients: v.Clients, Rate: v.Rate}}
			of[q] = append(of[q], v)
		}
	}
	var all []Value
	for _, q := range quantities {
		for _, w := range from.Workloads {
			all = append(all, from.sides(of[quantity{w.Name, q}])...)
		}
	}
	return all, nil
}

// overall returns the mean TPS of all workloads in each environment.
func (from *source) overall() ([]Value, error) {
	effects, err := verdict.Overall(from.rec, from.pairs)
	if err != nil {
		return nil, err
	}
	return from.sides(slices.DeleteFunc(effects, func(v record.Verdict) bool { return !compare.HasNumber(v) })), nil
}

// sides turns the effects on one quantity into values: that of the baseline, and one for each
// effect.
func (from *source) sides(effects []record.Verdict) []Value {
	if len(effects) == 0 {
		return nil
	}
	of := func(v record.Verdict, environment string, value float64) Value {
		return Value{Workload: v.Workload, Clients: v.Clients, Rate: v.Rate, Metric: v.Metric, Environment: environment, Value: value}
	}
	values := []Value{of(effects[0], from.baseline, effects[0].A)}
	for _, v := range effects {
		value := of(v, v.Other, v.B)
		value.Effect = &v
		values = append(values, value)
	}
	if len(effects) == len(from.pairs) { // otherwise the best may be the one without a number
		markBest(values)
	}
	return values
}

// nothingToCompare stands in place of tables without a row.
const nothingToCompare = prose.Paragraph("There is nothing to compare: no block has a value of these metrics in both the baseline and another environment.")

// markBest marks the best of the values of one quantity, if no other is as good.
func markBest(values []Value) {
	m, err := experiment.ParseMetric(values[0].Metric)
	if err != nil || m.Plain {
		return
	}
	for i := range values {
		values[i].Best = !slices.ContainsFunc(values, func(o Value) bool {
			atLeast := m.Higher && o.Value >= values[i].Value || !m.Higher && o.Value <= values[i].Value
			return atLeast && o.Environment != values[i].Environment
		})
	}
}
