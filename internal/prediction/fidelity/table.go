package fidelity

import (
	"fmt"
	"strings"
)

// Table returns the judged predictions as a table in Markdown.
func Table(all []Judged) string {
	var b strings.Builder
	b.WriteString("| environment | workload | clients | from | measured TPS | predicted TPS | error | p95 ms | predicted | error | replication |\n|---|---|---:|---:|---:|---|---:|---:|---:|---:|---:|\n")
	for _, j := range all {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %.0f | ", j.Environment, j.Workload, j.Clients, j.From, j.TPS)
		if j.Refused != "" {
			fmt.Fprintf(&b, "refused: %s | | | | | |\n", j.Refused)
			continue
		}
		p := j.Prediction
		held := ""
		if !j.Held() {
			held = " *"
		}
		fmt.Fprintf(&b, "~%.0f (%.0f to %.0f)%s | %+.0f %% | %.1f | ~%.1f | %+.0f %% | %.0f %% |\n", p.TPS.Value, p.TPS.Low, p.TPS.High, held, 100*j.Error(), 1e3*j.P95, 1e3*p.P95.Value, 100*j.ErrorP95(), 100*j.Replicated)
	}
	return b.String()
}
