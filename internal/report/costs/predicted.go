package costs

import (
	"fmt"
	"slices"

	"plinth/internal/cost"
	"plinth/internal/prediction"
	"plinth/internal/price"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// predictedRows returns the rows of disks that were not measured, for the table of one workload or cell: each number
// has a tilde, and each name the word.
func predictedRows(s *cost.Sheet, of place) (rows [][]string) {
	for _, p := range s.Predicted {
		for _, r := range p.Rows {
			if loadName(r.Workload, r.Cell) != of.name {
				continue
			}
			rows = append(rows, []string{
				p.Name + " (predicted)", amount(r.Month), "~" + phrase.Count(r.TPS.Value), nearly(r.P99, func(f float64) string { return phrase.Fine(1e3 * f) }),
				nearly(r.Million, inMoney), "~" + inMoney(r.Million.Low) + " to " + inMoney(r.Million.High), nearly(r.PerMoney, phrase.Fine),
			})
		}
	}
	return rows
}

func inMoney(f float64) string { return price.Amount(f).String() }

// nearly formats a predicted number; that of a zero estimate is not known.
func nearly(e prediction.Estimate, format func(float64) string) string {
	if e == (prediction.Estimate{}) {
		return phrase.None
	}
	return "~" + format(e.Value)
}

// predicted says what the predicted rows rest on, and how to measure them.
func predicted(s *cost.Sheet) prose.Document {
	if len(s.Predicted) == 0 {
		return nil
	}
	var lines, assumed prose.List
	for _, p := range s.Predicted {
		lines = append(lines, fmt.Sprintf("%s: %s with its data on this disk, %s a month; to measure it, add an environment like %s with storage: {data: %s}",
			p.Name, p.From, p.Bill.Month().In(s.Currency), p.From, p.Declaration))
		for _, r := range p.Rows {
			text := fmt.Sprintf("%s, %s: ~%s TPS (%s to %s)", p.Name, loadName(r.Workload, r.Cell), phrase.Count(r.TPS.Value), phrase.Count(r.TPS.Low), phrase.Count(r.TPS.High))
			if r.BurstEnds > 0 {
				text += fmt.Sprintf(", once the burst of the disk has ended; until then, for ~%s, ~%s TPS", phrase.Duration(r.BurstEnds), phrase.Count(r.Burst.Value))
			}
			lines = append(lines, text)
		}
		for _, text := range p.Refused {
			lines = append(lines, p.Name+" is not predicted for "+text)
		}
		for _, text := range p.Assumed {
			if !slices.Contains(assumed, text) {
				assumed = append(assumed, text)
			}
		}
	}
	d := prose.Document{prose.Heading("Predicted, not measured"), lines}
	if len(assumed) > 0 {
		d.Add(prose.Paragraph("Assumed, because others measured the reference:"), assumed)
	}
	d.Add(prose.Paragraph("Numbers with ~ are predicted (plinth predict), with 90 % intervals. They have no verdict: what follows compares measured environments alone."))
	return d
}
