package advice

import (
	"slices"
	"strings"

	"plinth/internal/cost"
	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// alpha is the error allowed for the claim that an environment is the best.
const alpha = 0.05

// byVerdict reports whether verdicts on a metric decide, not bills.
func (r Rule) byVerdict() bool { return r.Rank == "metric" || r.Rank == "p99" }

// decision is a choice in the making.
type decision struct {
	*study
	rule     Rule
	workload string
	metric   experiment.Metric
	in, out  []candidate // in: the best by mean first
}

// make chooses the best by mean or, if verdicts call a cheaper one equivalent to it, the cheapest of those.
func (d *decision) make() (Choice, error) {
	c, err := d.first()
	if err != nil || !d.rule.byVerdict() {
		return c, err
	}
	cheapest, month := 0, c.Month
	for i, r := range c.Rivals { // in the order of in, without the first
		if r.Verdict.Outcome == record.Equivalent && r.Month.Known() && (!month.Known() || r.Month < month) {
			cheapest, month = i+1, r.Month
		}
	}
	if cheapest == 0 {
		return c, nil
	}
	best := d.in[0].Environment
	d.in[0], d.in[cheapest] = d.in[cheapest], d.in[0]
	c, err = d.first()
	c.Notes = append(c.Notes, "it does as much as "+best+", within the margin, for less")
	return c, err
}

// first makes the choice of the first candidate; all others are its rivals.
func (d *decision) first() (Choice, error) {
	best, rivals := d.in[0], d.in[1:]
	c := Choice{
		Workload: d.workload, Environment: best.Environment, Basis: d.Record.Environments[best.Environment].Basis(), Metric: d.metric.Name, Value: best.value,
		TPS: best.TPS, P99: best.P99, Month: best.Month, Million: best.Million, Rivals: []Rival{}, Out: []Out{}, Change: []string{},
		perhaps: best.perhaps,
	}
	for _, o := range d.out {
		c.Out = append(c.Out, o.failed)
	}
	verdicts, sentences, err := d.verdicts(best, rivals)
	if err != nil {
		return c, err
	}
	for _, r := range rivals {
		v := verdicts[r.Environment] // none if they cannot be compared
		c.Rivals = append(c.Rivals, Rival{
			Environment: r.Environment, Value: r.value, Month: r.Month, Million: r.Million,
			Verdict: v, Sentence: sentences[r.Environment], Standing: d.rule.standing(best.Row, r.Row, v, len(rivals)),
		})
	}
	c.Sure = d.sure(c, best)
	c.Notes = append(c.Notes, d.notes(c)...)
	c.Change = append(c.Change, d.changes(best, c)...)
	return c, nil
}

// verdicts compares the rivals with the best one, by environment.
func (d *decision) verdicts(best candidate, rivals []candidate) (map[string]record.Verdict, map[string]string, error) {
	verdicts, sentences := map[string]record.Verdict{}, map[string]string{}
	if len(rivals) == 0 {
		return verdicts, sentences, nil
	}
	var names []string
	for _, r := range rivals {
		names = append(names, r.Environment)
	}
	c, err := d.compare(best.Environment, names, d.metric)
	if err != nil {
		return nil, nil, err
	}
	for _, v := range c.Verdicts {
		if v.Workload != d.workload || v.Metric != d.metric.Name {
			continue
		}
		verdicts[v.Other] = v
		sentences[v.Other] = sentence(c, v)
	}
	return verdicts, sentences, nil
}

// sentence returns the sentence of a verdict, without its environment and workload.
func sentence(c *verdict.Comparison, v record.Verdict) string {
	for _, text := range c.Sentences {
		if rest, found := strings.CutPrefix(text, v.Other+": "+v.Workload+" "); found {
			return rest
		}
	}
	return ""
}

// upkeep returns what an environment costs in a million seconds of its load: what its transactions cost, apart from
// how many it does. Bills alone do not tell that: utilisations may differ.
func upkeep(r cost.Row) float64 { return r.Million.Value * r.TPS.Value }

// standing says how a rival stands against the best one of several.
//
// The best one is picked after its runs were seen. If another is truly the best, each of the rivals of that one
// could be called best by mistake, so the probabilities of these mistakes add up: each comparison is allowed
// alpha / rivals in its direction, which is twice that in the two-sided P of a verdict.
func (r Rule) standing(best, rival cost.Row, v record.Verdict, rivals int) string {
	if r.Rank == "month" && best.Month.Known() { // a bill is no estimate
		return standingByBill(best, rival)
	}
	switch {
	case v.Workload == "" || v.Level == 0 || v.Outcome == "":
		return Unknown
	case r.Rank == "million":
		// What a transaction costs more, in the other environment, at the end of the interval that favours it.
		if upkeep(rival)/upkeep(best)/(1+v.High) > 1 {
			return Less
		}
		return Unknown
	case v.Outcome == record.Worse && surely(v, rivals):
		return Less
	case v.Outcome == record.Equivalent && !(rival.Month < best.Month):
		return Same
	}
	return Unknown
}

func standingByBill(best, rival cost.Row) string {
	switch {
	case rival.Month > best.Month:
		return Less
	case rival.Month == best.Month:
		return Same
	}
	return Unknown // the rival has no bill
}

// surely reports whether the P of a verdict allows for picking the best beside so many rivals.
func surely(v record.Verdict, rivals int) bool { return v.P <= min(alpha, 2*alpha/float64(rivals)) }

// sure returns how sure a choice is.
func (d *decision) sure(c Choice, best candidate) Certainty {
	maybe := slices.ContainsFunc(d.out, func(o candidate) bool { return o.failed.Maybe && o.merit > best.merit })
	few := d.rule.has("p99") && c.P99.Level == 0
	switch {
	case maybe, few, best.perhaps:
		return Open
	case len(c.Rivals) == 0:
		return Alone
	case slices.ContainsFunc(c.Rivals, func(r Rival) bool { return r.Standing == Unknown }):
		return Open
	case slices.ContainsFunc(c.Rivals, func(r Rival) bool { return r.Standing == Same && !(r.Month > c.Month) }):
		return Alike
	}
	return Decided
}

// notes returns what belongs to a choice beside its numbers.
func (d *decision) notes(c Choice) []string {
	var all []string
	if d.rule.Rank == "month" && !c.Month.Known() {
		all = append(all, "no bill is known: of those that meet the limit, it performs best")
	}
	if d.rule.Of == bursts {
		all = append(all, d.lasting(d.workload)...)
	}
	if d.rule.has("host") || d.rule.has("zone") {
		all = append(all, d.survivals(c.Environment)...)
		for _, r := range c.Rivals {
			for _, text := range d.survivals(r.Environment) {
				all = append(all, r.Environment+": "+text)
			}
		}
		if d.rule.has("zone") {
			_, because := d.zone(c.Environment)
			all = append(all, because)
		}
		if made := d.Record.Environments[c.Environment]; made.Replica != nil {
			all = append(all, map[bool]string{
				true:  "commits wait for its replica: a failover loses none",
				false: "commits do not wait for its replica: a failover may lose the last ones",
			}[made.Replica.Synchronous], "the replica ran on the same machine: one on another host adds a round trip to commits that wait for it")
		}
	}
	return all
}
