package advice

import (
	"slices"
	"time"

	"plinth/internal/cost"
	"plinth/internal/price"
)

// Predicted is a disk that was not measured, beside the answer to a rule. It is never chosen: Standing says whether
// measuring it could change the answer.
type Predicted struct {
	Name     string `json:"name"` // of the rule
	Title    string `json:"title"`
	Workload string `json:"workload"`
	Disk     string `json:"disk"`
	Basis    string `json:"basis"` // "predicted"
	From     string `json:"from"`  // the environment that was measured
	// Declaration is storage.data of an environment like From that would measure it.
	Declaration string `json:"declaration"`
	// Quantity names the quantity by which the rule ranks: tps, p99 (in seconds), million (the cost of as many transactions) or month.
	Quantity string            `json:"quantity"`
	Row      cost.PredictedRow `json:"row"`
	// Instead is the environment that the answer takes, and Measured its quantity; "" and 0 if it takes none.
	Instead  string  `json:"instead,omitempty"`
	Measured float64 `json:"measured,omitempty"`
	Standing string  `json:"standing"`      // see below
	Why      string  `json:"why,omitempty"` // why it would not be chosen, if that is not the quantity
}

// The standings of predicted disks.
const (
	Better    = "better"     // its interval is beyond that of the measured choice, or it alone meets the limits
	Perhaps   = "perhaps"    // the intervals overlap, or that of its p99 holds the limit
	NotBetter = "not better" // neither
)

// predicted compares predicted disks with the answers of rules by TPS, p99 and bills. What a disk survives, and what
// several workloads do together, is left to measured environments.
func (s *study) predicted(answers []Answer) []Predicted {
	var all []Predicted
	for _, r := range Rules() {
		quantity := s.quantity(r)
		if quantity == "" || s.leaves(r) {
			continue
		}
		for _, workload := range s.workloads(r.Of) {
			c := choiceOf(answers, r.Name, workload)
			if c == nil && !r.has("budget") && !r.has("p99") {
				continue // what is measured lacks a number, and may be better
			}
			for _, p := range s.sheet.Predicted {
				at := slices.IndexFunc(p.Rows, func(row cost.PredictedRow) bool { return row.Workload == workload })
				if at < 0 {
					continue
				}
				one := Predicted{Name: r.Name, Title: s.titled(r).Title, Workload: workload, Disk: p.Name, Basis: p.Basis, From: p.From, Declaration: p.Declaration, Quantity: quantity, Row: p.Rows[at]}
				s.stand(&one, r, c)
				all = append(all, one)
			}
		}
	}
	return all
}

// quantity returns the predicted quantity that a rule ranks by; "" if there is none.
func (s *study) quantity(r Rule) string {
	switch {
	case r.Of != writes && r.Of != reads && r.Of != "all", r.has("host"), r.has("zone"), r.has("managed"):
		return ""
	case r.Rank != "metric":
		return r.Rank
	case s.metric.Name == "tps":
		return "tps"
	}
	return ""
}

// choiceOf returns what is chosen for a workload; nil if nothing is.
func choiceOf(answers []Answer, rule, workload string) *Choice {
	for _, a := range answers {
		for i := range a.Choices {
			if a.Name == rule && a.Choices[i].Workload == workload {
				return &a.Choices[i]
			}
		}
	}
	return nil
}

// stand says how a predicted disk stands beside a choice, which may be nil.
func (s *study) stand(p *Predicted, r Rule, c *Choice) {
	meets := Better
	if r.has("p99") {
		meets, p.Why = withinPredicted(p.Row, s.P99)
	}
	if r.has("budget") && float64(p.Row.Month) > s.Budget {
		meets, p.Why = NotBetter, "over the budget"
	}
	p.Standing = meets
	if c == nil {
		return
	}
	p.Instead = c.Environment
	switch ranked := p.rank(c); {
	case meets == NotBetter:
	case ranked == NotBetter:
		p.Standing, p.Why = NotBetter, ""
	case ranked == Perhaps:
		p.Standing = Perhaps
	}
}

// withinPredicted reports whether the p99 of a predicted disk would be within a limit.
func withinPredicted(row cost.PredictedRow, limit time.Duration) (standing, why string) {
	switch e := row.P99; {
	case e.Value == 0:
		return Perhaps, "its p99 is not predicted"
	case e.Low > limit.Seconds():
		return NotBetter, "its p99 would be longer"
	case e.High > limit.Seconds():
		return Perhaps, "its p99 may be longer"
	}
	return Better, ""
}

// rank compares the quantity of a predicted disk with that of a choice, and notes that.
func (p *Predicted) rank(c *Choice) string {
	if p.Quantity == "month" {
		p.Measured = known(c.Month)
		if c.Month.Known() && p.Row.Month < c.Month {
			return Better
		}
		return NotBetter // a bill is no estimate
	}
	e, measured, higher := p.Row.TPS, c.TPS, true
	switch p.Quantity {
	case "p99":
		e, measured, higher = p.Row.P99, c.P99, false
		measured.Value, measured.Low, measured.High = measured.Value/1e9, measured.Low/1e9, measured.High/1e9
	case "million":
		e, measured, higher = p.Row.Million, c.Million, false
	}
	p.Measured = measured.Value
	switch {
	case e.Value == 0 || !measured.Known():
		return Perhaps
	case higher && e.Low > measured.High, !higher && e.High < measured.Low:
		return Better
	case higher && e.High < measured.Low, !higher && e.Low > measured.High:
		return NotBetter
	}
	return Perhaps
}

// known returns an amount; 0 if it is not known.
func known(a price.Amount) float64 {
	if !a.Known() {
		return 0
	}
	return float64(a)
}
