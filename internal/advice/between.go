package advice

import (
	"slices"
	"strings"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

// compared is the comparison of an environment with one of another record, or why there is none.
type compared struct {
	*verdict.Comparison
	why string
}

// against compares the choice of one record with an environment of another one: of other's record.
func (g *group) against(r Rule, best, other leader, environment string, rivals int) Between {
	a, b := g.studies[best.of], g.studies[other.of]
	x := Between{
		Record: g.names[other.of], Environment: environment, Label: g.label(other.of, environment), Standing: Unknown,
		Value: other.Value, Month: other.Month, Million: other.Million, of: other.of,
	}
	for _, o := range other.Rivals {
		if o.Environment == environment {
			x.Value, x.Month, x.Million = o.Value, o.Month, o.Million
		}
	}
	workloads := []string{best.Workload}
	if r.Of == mixed {
		workloads = a.workloads("")
		if others := b.workloads(""); !slices.Equal(workloads, others) {
			x.Why = "their workloads differ: " + join(workloads) + " in " + g.names[best.of] + ", " + join(others) + " in " + g.names[other.of]
			return x
		}
	}
	var standings, sentences []string
	for _, w := range workloads {
		v, text, why := g.verdict(best, other, environment, w)
		if why != "" {
			x.Why = why
			return x
		}
		here, _ := a.row(best.Environment, w)
		there, _ := b.row(environment, w)
		if len(workloads) > 1 {
			text = "under " + w + ", " + text
		}
		standings, sentences = append(standings, r.standing(here, there, v, rivals)), append(sentences, text)
		if x.Verdict.Workload == "" {
			x.Verdict = v
		}
	}
	x.Sentence = strings.Join(sentences, "; ")
	switch {
	case slices.Contains(standings, Unknown):
	case slices.Contains(standings, Less):
		x.Standing = Less
	default:
		x.Standing = Same
	}
	return x
}

// verdict compares two environments under one workload by the metric of the choices, and returns the verdict with its
// sentence, or why they cannot be compared.
func (g *group) verdict(best, other leader, environment, workload string) (v record.Verdict, text, why string) {
	a, b := g.studies[best.of], g.studies[other.of]
	if best.Metric != other.Metric {
		return v, "", "their metrics differ: " + best.Metric + " in " + g.names[best.of] + ", " + other.Metric + " in " + g.names[other.of]
	}
	// The choices rest on all cells of a workload, so a comparison of some of them would be about something else.
	if x, y := a.paths(workload), b.paths(workload); !slices.Equal(x, y) {
		return v, "", "their cells differ: " + join(x) + " in " + g.names[best.of] + ", " + join(y) + " in " + g.names[other.of]
	}
	c := g.compare(best, other.of, environment)
	if c.why != "" {
		return v, "", c.why
	}
	at := slices.IndexFunc(c.Verdicts, func(v record.Verdict) bool { return v.Workload == workload })
	if at >= 0 {
		return c.Verdicts[at], sentence(c.Comparison, c.Verdicts[at]), ""
	}
	return v, "", "they have no numbers of " + workload + " in common"
}

// paths returns the cells of a workload, as in paths of records.
func (s *study) paths(workload string) []string {
	var all []string
	for _, c := range s.Experiment.Cells() {
		if c.Workload == workload {
			all = append(all, c.Path())
		}
	}
	slices.Sort(all)
	return all
}

// compare compares the choice of one record with an environment of another one, as plinth compare does.
func (g *group) compare(best leader, of int, environment string) compared {
	a, b := g.studies[best.of].Record, g.studies[of].Record
	key := strings.Join([]string{best.Metric, g.names[best.of], best.Environment, g.names[of], environment}, "\n")
	if c, known := g.compared[key]; known {
		return c
	}
	c, err := verdict.Between(a, b, verdict.Options{Environments: []string{best.Environment, environment}, Metrics: []string{best.Metric}}, g.studies[0].Parity)
	result := compared{Comparison: c}
	if err != nil {
		text := strings.NewReplacer(":\n  ", ": ", "\n  ", "; ").Replace(err.Error())
		for _, prefix := range []string{"cannot compare " + g.names[best.of] + " with " + g.names[of] + ": ", "cannot compare: "} {
			text = strings.TrimPrefix(text, prefix)
		}
		result.why = text
	} else {
		for _, n := range c.Warnings {
			if n.Rule != notDeclared && n.Rule != "unpaired" && !slices.Contains(g.weakens, n.Text) { // both are said once for all
				g.weakens = append(g.weakens, n.Text)
			}
		}
	}
	g.compared[key] = result
	return result
}
