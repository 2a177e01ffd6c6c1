package compare

import (
	"fmt"
	"strings"

	"plinth/internal/prose"
)

// ranking says who comes first only as far as verdicts support it.
func (c *Report) ranking() prose.List {
	var workloads []string
	places := map[string][]string{}
	ties := false
	for _, r := range c.Ranking {
		if places[r.Workload] == nil {
			workloads = append(workloads, r.Workload)
		}
		places[r.Workload] = append(places[r.Workload], fmt.Sprintf("%d. %s", r.Place, strings.Join(r.Environments, " = ")))
		ties = ties || len(r.Environments) > 1
	}
	var lines prose.List
	for _, w := range workloads {
		lines = append(lines, "ranking for "+w+": "+strings.Join(places[w], ", "))
	}
	if ties {
		lines = append(lines, "= stands between environments that no verdict tells apart")
	}
	return lines
}
