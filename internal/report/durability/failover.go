package durability

import (
	"cmp"
	"fmt"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// failovers shows the commits that were lost on Kubernetes, and how long there were none, for each way of
// replication. It returns false if nothing runs there.
func failovers(survivals []record.Survival, numbers *show.Numbers) (t prose.Table, there bool) {
	t = prose.Table{Keys: 1, Columns: []prose.Column{
		{Title: "Environment"}, {Title: "Replication"}, {Title: "Lost, worst", Right: true},
		{Title: "No write for, worst", Right: true}, {Title: "median", Right: true}, {Title: "Took over", Right: true}, {Title: "Timeline", Right: true},
	}}
	for _, s := range survivals {
		if !s.OnKubernetes() {
			continue
		}
		t.Rows = append(t.Rows, []string{
			s.Environment, cmp.Or(replication(numbers.Experiment, s.Environment), phrase.None), phrase.Count(s.Worst(writesLost)),
			seconds(s.Worst(outage)), seconds(s.Median(outage)), fmt.Sprintf("%d of %d", s.TookOver(), len(s.Injections)), timeline(s.Durability),
		})
	}
	return t, len(t.Rows) > 0
}

// replication describes the replicas of an environment on Kubernetes.
func replication(e *experiment.Experiment, environment string) string {
	if e == nil {
		return ""
	}
	i := slices.IndexFunc(e.Environments, func(env experiment.Environment) bool { return env.Name == environment })
	if i < 0 {
		return ""
	}
	k := e.Environments[i].Kubernetes
	text := phrase.Plural(max(1, k.Instances), "instance")
	switch y := k.Synchronous; {
	case y.There():
		text += fmt.Sprintf(", %s %d synchronous, %s", y.Method, y.Number, y.DataDurability)
	case k.Instances > 1:
		text += ", asynchronous"
	}
	return text
}

// timeline returns the first and the last timeline of PostgreSQL: "1 to 4".
func timeline(d record.Durability) string {
	var known []int64
	for _, s := range d.Injections {
		if s.Primary != nil && s.Primary.Before.Timeline > 0 {
			known = append(known, s.Primary.Before.Timeline, s.Primary.After.Timeline)
		}
	}
	if known == nil {
		return phrase.None
	}
	return fmt.Sprintf("%d to %d", known[0], known[len(known)-1])
}
