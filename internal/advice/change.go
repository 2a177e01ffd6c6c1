package advice

import (
	"fmt"
	"math"
	"slices"

	"plinth/internal/cost"
	"plinth/internal/price"
	"plinth/internal/unit"
	"plinth/internal/verdict"
)

// changes returns what would change a choice, as far as the record knows it.
func (d *decision) changes(best candidate, c Choice) []string {
	var all, open []string
	if best.perhaps {
		all = append(all, d.straddles(best))
	}
	for _, r := range c.Rivals {
		if r.Standing == Unknown {
			open = append(open, r.Environment)
		}
	}
	if open != nil {
		text := "no verdict separates it from "
		if d.rule.Rank == "million" {
			text = "the blocks do not decide whether it costs less than "
		}
		all = append(all, text+join(open))
	}
	for _, o := range d.out {
		if o.failed.Maybe && o.merit > best.merit {
			all = append(all, o.Environment+": "+d.straddles(o))
		} else if o.merit > best.merit && d.rule.Rank == "metric" && d.metric.Name == "tps" {
			all = append(all, fmt.Sprintf("%s has %s on average, but %s", o.Environment, more(o.value/best.value), d.reason(o)))
		} else if o.merit > best.merit && d.rule.Rank == "month" {
			all = append(all, fmt.Sprintf("%s costs %s instead of %s a month, but %s", o.Environment, d.money(o.Month), d.money(best.Month), d.reason(o)))
		}
	}
	if d.rule.Rank == "million" {
		all = append(all, d.equal(c)...)
	}
	return all
}

// straddles says that an interval of p99 does not decide whether it is within the limit.
func (d *decision) straddles(c candidate) string {
	kind := "interval"
	if c.P99.Level == 0 {
		kind = "range of " + unit.Count(c.P99.N, "block")
	}
	return fmt.Sprintf("the %s of its p99, %s to %s ms, does not decide whether it is within %s", kind, milliseconds(c.P99.Low), milliseconds(c.P99.High), unit.Duration(d.P99))
}

// more formats a ratio above one.
func more(ratio float64) string {
	if ratio > 10 {
		return verdict.Times(ratio) + " times the TPS"
	}
	return fmt.Sprintf("%.0f %% more TPS", 100*(ratio-1))
}

func (d *decision) reason(o candidate) string {
	switch {
	case d.rule.has("budget") && o.failed.Why == "over the budget":
		return "costs " + d.money(o.Month) + " a month"
	case d.rule.Rank == "month" && o.P99.Known() && o.P99.Low > float64(d.P99):
		return "its p99 is " + milliseconds(o.P99.Value) + " ms"
	}
	return o.failed.Why
}

// equal says at which bill the next best rival would cost as little per transaction.
func (d *decision) equal(c Choice) []string {
	if len(c.Rivals) == 0 {
		return nil
	}
	r := c.Rivals[0]
	bill := r.Month * price.Amount(c.Million.Value/r.Million.Value)
	return []string{fmt.Sprintf("%s would cost as little per transaction at %s a month instead of %s", r.Environment, d.money(bill), d.money(r.Month))}
}

// bursts reports whether a workload uses up CPU credits or a burst bucket in some environment.
func (s *study) bursts(workload string) bool {
	return slices.ContainsFunc(s.sheet.Rows, func(r cost.Row) bool { return r.Workload == workload && r.Load != nil })
}

// lasting says how long the environments can do what they did.
func (s *study) lasting(workload string) []string {
	var all []string
	for _, r := range s.sheet.Rows {
		if r.Workload != workload || r.Load == nil {
			continue
		}
		for _, l := range r.Load.Limits {
			text := fmt.Sprintf("%s: a burst may last %s (%s)", r.Environment, hours(l.Lasts), l.Resource)
			if l.Charged {
				text += "; what follows is charged"
			} else {
				text += fmt.Sprintf("; then about %s of %s TPS remain (computed, in proportion)", count(r.TPS.Value*l.Sustained/l.Used), count(r.TPS.Value))
			}
			all = append(all, text)
		}
	}
	return all
}

func hours(h float64) string {
	if h < 2 {
		return fmt.Sprintf("%.0f minutes", math.Floor(60*h))
	}
	return fmt.Sprintf("%.1f hours", h)
}
