package advice

import (
	"cmp"
	"slices"

	"plinth/internal/price"
	"plinth/internal/record"
)

// Option is a dearer environment of the record in place of the cheapest one of a workload, with what it gains,
// as measured.
type Option struct {
	Workload string       `json:"workload"`
	From     string       `json:"from"`
	To       string       `json:"to"`
	More     price.Amount `json:"more"` // a month
	Gain     float64      `json:"gain_tps"`
	// PerMoney is the gain in TPS for each unit of money a month.
	PerMoney float64        `json:"gain_per_money"`
	Verdict  record.Verdict `json:"verdict"`
	Sentence string         `json:"sentence"`
	Basis    string         `json:"basis"` // measured, emulated, imported: never predicted
}

// options returns what the dearer environments gain over the cheapest one of each workload, the most per unit
// of money first. Those that do less are left out.
func (s *study) options() []Option {
	var all []Option
	for _, w := range s.workloads("") {
		var in []candidate
		for _, row := range s.sheet.Rows {
			if row.Workload == w && row.Month.Known() && row.TPS.Known() {
				in = append(in, candidate{Row: row})
			}
		}
		if len(in) < 2 {
			continue
		}
		slices.SortStableFunc(in, func(a, b candidate) int { return cmp.Compare(a.Month, b.Month) })
		d := decision{study: s, rule: Rule{Rank: "metric"}, workload: w, metric: builtin("tps")}
		verdicts, sentences, err := d.verdicts(in[0], in[1:])
		if err != nil {
			continue // a record that cannot be compared has answers without rivals, too
		}
		for _, c := range in[1:] {
			more := c.Month - in[0].Month
			if gain := c.TPS.Value - in[0].TPS.Value; gain > 0 && more > 0 {
				all = append(all, Option{
					Workload: w, From: in[0].Environment, To: c.Environment, More: more, Gain: gain, PerMoney: gain / float64(more),
					Verdict: verdicts[c.Environment], Sentence: sentences[c.Environment], Basis: s.Record.Environments[c.Environment].Basis(),
				})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Option) int { return cmp.Compare(b.PerMoney, a.PerMoney) })
	return all
}
