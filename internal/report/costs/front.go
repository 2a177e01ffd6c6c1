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
	return prose.Document{prose.Heading("Which ones nothing beats"), lines,
		prose.Paragraph(fmt.Sprintf("An environment is beaten by one that costs no more and does more, or that does as much, within %.0f %%, for less. Compared block by block; the comparisons of a line share 5 %%, once for what is beaten and once for what nothing beats.", 100*cost.Alike))}
}

func evens(s *cost.Sheet) prose.Document {
	all := s.Evens()
	if len(all) == 0 {
		return nil
	}
	t := prose.Table{Columns: []prose.Column{{Title: "Workload"}, {Title: "Dearer"}, {Title: "Cheaper, at full load"}, {Title: "Break-even", Right: true}, {Title: "95 % interval", Right: true}}}
	for _, e := range all {
		t.Rows = append(t.Rows, []string{loadName(e.Workload, e.Cell), e.Dearer, e.Cheaper, share(e.Utilisation.Value), shareSpan(e.Utilisation)})
	}
	return prose.Document{prose.Heading("Utilisation above which the dearer one pays off"), t,
		prose.Paragraph("The dearer environment costs less per transaction than several of the cheaper one from this share of its own throughput on; above 100 %, never.")}
}

func share(f float64) string { return strconv.FormatFloat(100*f, 'f', 0, 64) + " %" }

func shareSpan(r cost.Range) string {
	if r.N == 1 {
		return "one block"
	}
	return fmt.Sprintf("%.0f to %.0f %%", 100*r.Low, 100*r.High)
}
