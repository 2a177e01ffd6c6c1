package costs

import (
	"fmt"

	"plinth/internal/cost"
	"plinth/internal/prose"
)

func nine(all []cost.Nine, currency string) prose.Document {
	var lines prose.List
	for _, n := range all {
		of := loadName(n.Workload, n.Cell)
		switch {
		case n.P99 == "":
			lines = append(lines, fmt.Sprintf("%s: no environment of known cost has a p99 within %s", of, n.Target))
		case n.P999 == "":
			lines = append(lines, fmt.Sprintf("%s: %s is the cheapest with a p99 within %s; none has a p99.9 within it", of, n.P99, n.Target))
		case n.More == 0:
			lines = append(lines, fmt.Sprintf("%s: %s is the cheapest with a p99 within %s, and its p99.9 is, too: the next nine costs nothing more", of, n.P99, n.Target))
		default:
			lines = append(lines, fmt.Sprintf("%s: %s is the cheapest with a p99 within %s, %s with a p99.9 within it: the next nine costs %s more a month", of, n.P99, n.Target, n.P999, n.More.In(currency)))
		}
	}
	if lines == nil {
		return nil
	}
	return prose.Document{prose.Heading("What one more nine costs"), lines}
}
