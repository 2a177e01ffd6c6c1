package costs

import (
	"fmt"
	"strconv"
	"strings"

	"plinth/internal/cost"
	"plinth/internal/prose"
)

// fronts says which environments another one beats.
func fronts(s *cost.Sheet) prose.Document {
	if len(s.Fronts) == 0 {
		return nil
	}
	var lines prose.List
	for _, f := range s.Fronts {
		of := map[string][]string{}
		for _, c := range f.Choices {
			name := c.Environment
			if c.By != "" {
				name += " (by " + c.By + ")"
			}
			of[c.Standing] = append(of[c.Standing], name)
		}
		what := map[string]string{"tps": "TPS", "p99": "p99"}[f.Quantity]
		text := fmt.Sprintf("%s, %s against cost: ", loadName(f.Workload, f.Cell), what)
		if names := of[cost.OnFront]; names != nil {
			text += "nothing beats " + strings.Join(names, ", ")
		} else {
			text += "no environment is known to be unbeaten"
		}
		if names := of[cost.Beaten]; names != nil {
			text += "; beaten: " + strings.Join(names, ", ")
		}
		if names := of[cost.Open]; names != nil {
			text += "; undecided, perhaps beaten: " + strings.Join(names, ", ")
		}
		if len(f.LeftOut) > 0 {
			text += "; left out, without a price or a value: " + strings.Join(f.LeftOut, ", ")
		}
		lines = append(lines, text)
	}
	return prose.Document{prose.Heading("Pareto front: environments that no other beats"), lines,
		prose.Paragraph(fmt.Sprintf("An environment is beaten by one that costs no more and performs better, or that costs less and performs as well (within %.0f %%). Environments are compared block by block; the comparisons of a line share an error rate of 5 %%, once for the environments that are beaten and once for those that none beats.", 100*cost.Alike))}
}

func evens(s *cost.Sheet) prose.Document {
	all := s.Evens()
	if len(all) == 0 {
		return nil
	}
	t := prose.Table{Columns: []prose.Column{{Title: "Workload"}, {Title: "More expensive"}, {Title: "Cheaper, at full load"}, {Title: "Break-even", Right: true}, {Title: "95 % interval", Right: true}}}
	for _, e := range all {
		t.Rows = append(t.Rows, []string{loadName(e.Workload, e.Cell), e.Dearer, e.Cheaper, share(e.Utilisation.Value), shareSpan(e.Utilisation)})
	}
	return prose.Document{prose.Heading("Break-even utilisation"), t,
		prose.Paragraph("Above this share of its own throughput, the more expensive environment costs less per transaction than several of the cheaper one; above 100 %, never.")}
}

func share(f float64) string { return strconv.FormatFloat(100*f, 'f', 0, 64) + " %" }

func shareSpan(r cost.Range) string {
	if r.N == 1 {
		return "one block"
	}
	return fmt.Sprintf("%.0f to %.0f %%", 100*r.Low, 100*r.High)
}
