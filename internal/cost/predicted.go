package cost

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/prediction"
	"plinth/internal/price"
	"plinth/internal/record"
)

// Predicted is a disk that was not measured: its bill, and what a measured environment would do on it. It has no
// verdict, and stands on no front.
type Predicted struct {
	Name        string         `json:"name"`
	Basis       string         `json:"basis"`       // "predicted"
	From        string         `json:"from"`        // the measured environment, with whose machine it is paid
	Declaration string         `json:"declaration"` // storage.data of an environment that would measure it
	Bill        *Bill          `json:"bill"`
	Rows        []PredictedRow `json:"rows"`
	Refused     []string       `json:"refused,omitempty"` // what is not predicted, and why
	Assumed     []string       `json:"assumed,omitempty"` // of a reference that others measured
}

// PredictedRow says what one workload would do on a disk, and what that would cost. Intervals are of 90 %.
type PredictedRow struct {
	Workload string       `json:"workload"`
	Cell     string       `json:"cell,omitempty"`
	Month    price.Amount `json:"month"`
	// TPS is the sustained throughput. While the burst of the disk lasts, which ends after BurstEnds seconds, it is Burst.
	TPS       prediction.Estimate `json:"tps"`
	Burst     prediction.Estimate `json:"burst_tps,omitzero"`
	BurstEnds float64             `json:"burst_ends_s,omitempty"`
	P99       prediction.Estimate `json:"p99_s,omitzero"` // in seconds; of a disk that bursts, it is not known
	Million   prediction.Estimate `json:"per_million_transactions"`
	PerMoney  prediction.Estimate `json:"tps_per_money"`
}

// Add adds a candidate to the costs of the record of whose environment it was predicted. A candidate without a price
// is refused.
func (s *Sheet) Add(e *experiment.Experiment, rec *record.Record, books Books, c Candidate) error {
	bill, err := BillOf(e, c.Environment, books)
	if err != nil {
		return err
	}
	if err := s.priceable(c, bill); err != nil {
		return err
	}
	if c.added {
		bill.Assumes = append(bill.Assumes, "a volume for the data, which the bill of "+c.From+" lacks")
	}
	p := Predicted{Name: c.Name, Basis: "predicted", From: c.From, Declaration: c.Declaration, Bill: bill, Rows: []PredictedRow{}}
	utilisation := float64(cmp.Or(c.Environment.Cost.Utilisation, 1))
	for _, row := range s.Rows {
		if row.Environment != c.From {
			continue
		}
		all, why := c.of(rec, row)
		if why != "" {
			p.Refused = append(p.Refused, strings.TrimSpace(row.Workload+" "+strings.TrimPrefix(row.Cell, row.Workload+"/"))+": "+why)
			continue
		}
		p.Rows = append(p.Rows, predictedRow(row, all, bill, utilisation))
		for _, one := range all {
			for _, text := range one.Assumed {
				if !slices.Contains(p.Assumed, text) {
					p.Assumed = append(p.Assumed, text)
				}
			}
		}
	}
	s.Predicted = append(s.Predicted, p)
	return nil
}

// priceable refuses a candidate that cannot be compared with what is paid for the environments.
func (s *Sheet) priceable(c Candidate, bill *Bill) error {
	var open []string
	for _, i := range bill.Open() {
		open = append(open, i.What+" ("+i.Note+")")
	}
	if !bill.Machine && slices.ContainsFunc(s.Environments, func(e Environment) bool { return e.Bill.Machine }) {
		open = append(open, "machine (other environments have an instance, and "+c.From+" has none)")
	}
	if len(open) > 0 {
		return hint.Errorf("plinth prices lists what has a price; cost: in the experiment, or --set, says what is paid",
			"what %s would cost on %s is not known: %s", c.From, c.Name, strings.Join(open, ", "))
	}
	if bill.Currency != s.Currency {
		return fmt.Errorf("the prices of %s are in %s, and those of the record in %s", c.Name, bill.Currency, s.Currency)
	}
	return nil
}

// of returns the predictions of the cells of a row, or why one of them has none: a mean over the others would be one
// of another load.
func (c Candidate) of(rec *record.Record, row Row) (all []prediction.Prediction, why string) {
	var cells []experiment.Cell
	for _, run := range rec.Runs {
		if run.Environment == row.Environment && run.Workload == row.Workload && run.Status == record.Valid && (row.Cell == "" || run.Cell.Path() == row.Cell) && !slices.Contains(cells, run.Cell) {
			cells = append(cells, run.Cell)
		}
	}
	for _, cell := range cells {
		p, found := c.Predictions[cell]
		if !found {
			return nil, cmp.Or(c.Refused[cell], "it is not predicted")
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		return nil, "it has no valid run"
	}
	return all, ""
}

// predictedRow returns the geometric means over cells, as a measured row has, and what they cost.
func predictedRow(row Row, all []prediction.Prediction, bill *Bill, utilisation float64) PredictedRow {
	r := PredictedRow{Workload: row.Workload, Cell: row.Cell, Month: bill.Month()}
	var tps, burst, p99 []prediction.Estimate
	for _, p := range all {
		burst = append(burst, p.TPS)
		if p.Sustained != nil {
			p.TPS, p.P99 = *p.Sustained, prediction.Estimate{}
			r.BurstEnds = cmp.Or(min(r.BurstEnds, p.Emptied), p.Emptied)
		}
		tps, p99 = append(tps, p.TPS), append(p99, p.P99)
	}
	r.TPS, r.P99 = combined(tps), combined(p99)
	if r.BurstEnds > 0 {
		r.Burst = combined(burst)
	}
	month := float64(r.Month)
	r.Million = under(r.TPS, month*1e6/(bill.hours*3600*utilisation))
	if month > 0 {
		r.PerMoney = prediction.Estimate{Value: r.TPS.Value / month, Low: r.TPS.Low / month, High: r.TPS.High / month}
	}
	return r
}

// combined returns the geometric mean of estimates; zero if one is unknown. Their errors are taken to be the same:
// all come from one model.
func combined(all []prediction.Estimate) prediction.Estimate {
	if len(all) == 1 {
		return all[0] // not rounded
	}
	var sum prediction.Estimate
	for _, e := range all {
		if !(e.Value > 0) {
			return prediction.Estimate{}
		}
		sum.Value, sum.Low, sum.High = sum.Value+math.Log(e.Value), sum.Low+math.Log(e.Low), sum.High+math.Log(e.High)
	}
	n := float64(len(all))
	return prediction.Estimate{Value: math.Exp(sum.Value / n), Low: math.Exp(sum.Low / n), High: math.Exp(sum.High / n)}
}

// under returns a number divided by an estimate.
func under(e prediction.Estimate, number float64) prediction.Estimate {
	return prediction.Estimate{Value: number / e.Value, Low: number / e.High, High: number / e.Low}
}
