package cost

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/price"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// Sheet holds the costs of the environments of a record, and what they do for them.
type Sheet struct {
	Record       string        `json:"record,omitempty"` // "" without a record
	Currency     string        `json:"currency"`
	Environments []Environment `json:"environments"`
	Rows         []Row         `json:"rows,omitempty"`
	Notes        []string      `json:"notes,omitempty"` // what weakens the numbers
	// Fronts are the choices that no other one beats, for each workload.
	Fronts []Front `json:"fronts,omitempty"`
	// Predicted are disks that were not measured. Nothing above includes them.
	Predicted []Predicted `json:"predicted,omitempty"`

	data map[key][]float64 // by block, for comparisons
	seed uint64
	// unordered says that the runs of the environments cannot be compared block by block.
	unordered bool
}

// Environment is one environment and its bill.
type Environment struct {
	Name  string `json:"name"`
	Basis string `json:"basis,omitempty"` // measured, emulated, imported
	Bill  *Bill  `json:"bill"`
	// Terms are other ways to pay for the machines, of those in the price book.
	Terms []Term `json:"terms,omitempty"`
}

// Row says what one environment does under one workload, and what that costs.
type Row struct {
	Environment string       `json:"environment"`
	Workload    string       `json:"workload"`
	Cell        string       `json:"cell,omitempty"` // one cell; otherwise the mean of all
	Month       price.Amount `json:"month"`          // with what the load itself costs, such as surplus CPU credits
	TPS         Range        `json:"tps"`
	P99         Range        `json:"p99_ns"`
	P999        Range        `json:"p99_9_ns"`
	Million     Range        `json:"per_million_transactions"`
	PerMoney    Range        `json:"tps_per_money"` // TPS per unit of money a month
	Thousand    Range        `json:"per_1000_tps_month"`
	Load        *Load        `json:"load,omitempty"` // of a machine whose CPU or disk bursts
}

// key identifies the values of a quantity in the blocks of a row.
type key struct{ environment, workload, cell, quantity string }

// NewSheet returns the bills of an experiment's environments and, if there is a record of it, what their
// throughput costs. Cells asks for a row a cell instead of a row a workload.
func NewSheet(e *experiment.Experiment, rec *record.Record, books Books, cells bool) (*Sheet, error) {
	s := &Sheet{data: map[key][]float64{}}
	environments := map[string]experiment.Environment{}
	for _, env := range e.Environments {
		if rec != nil {
			if _, measured := rec.Environments[env.Name]; !measured {
				continue
			}
		}
		bill, err := BillOf(e, env, books)
		if err != nil {
			return nil, err
		}
		one := Environment{Name: env.Name, Bill: bill, Terms: termsOf(e, env, books, bill)}
		if rec != nil {
			one.Basis = rec.Environments[env.Name].Basis()
		}
		s.Environments = append(s.Environments, one)
		environments[env.Name] = env
	}
	if err := s.alike(); err != nil {
		return nil, err
	}
	if rec == nil {
		return s, nil
	}
	s.Record, s.seed = filepath.Base(rec.Path), rec.Summary.Seed
	s.unordered = rec.Import != nil && rec.Import.Order != record.OrderAlternate
	s.scaled(rec)
	s.measure(rec, cells)
	for i := range s.Rows {
		r := &s.Rows[i]
		env, bill := environments[r.Environment], s.bill(r.Environment)
		utilisation := float64(cmp.Or(e.CostOf(env).Utilisation, 1))
		r.Month = bill.Month()
		s.burst(rec, env, bill, r, utilisation)
		r.price(bill.hours, utilisation)
	}
	s.fronts()
	return s, nil
}

func (s *Sheet) bill(environment string) *Bill {
	for _, e := range s.Environments {
		if e.Name == environment {
			return e.Bill
		}
	}
	return nil
}

// Age notes prices that are older than a year.
func (s *Sheet) Age(now time.Time) {
	for _, e := range s.Environments {
		for _, source := range e.Bill.Old(now) {
			if text := "prices that are older than a year: " + source.String(); !slices.Contains(s.Notes, text) {
				s.Notes = append(s.Notes, text)
			}
		}
	}
}

// scaled notes that emulated devices were slower than what is paid.
func (s *Sheet) scaled(rec *record.Record) {
	for _, e := range s.Environments {
		for _, v := range rec.Environments[e.Name].AllVolumes() {
			if v.Emulation != nil && v.Emulation.RateScale > 0 && v.Emulation.RateScale < 1 {
				s.Notes = append(s.Notes, fmt.Sprintf("the emulated devices ran at %.0f %% of their rates: the billed devices would do more where these rates are the bottleneck", 100*v.Emulation.RateScale))
				return
			}
		}
	}
}

// alike checks that bills can be compared: one currency, and the same parts. If some environments have a
// machine and others do not, the others lack its price.
func (s *Sheet) alike() error {
	machine := false
	for _, e := range s.Environments {
		machine = machine || e.Bill.Machine
		if s.Currency = cmp.Or(s.Currency, e.Bill.Currency); e.Bill.Currency != s.Currency {
			return fmt.Errorf("the prices of %s are in %s, those of %s in %s", s.Environments[0].Name, s.Currency, e.Name, e.Bill.Currency)
		}
	}
	if !machine && len(s.Environments) > 0 {
		s.Notes = append(s.Notes, "the bills have storage only: no environment has an instance or an owned machine")
	}
	for _, e := range s.Environments {
		if machine && !e.Bill.Machine && len(e.Bill.Open()) < len(e.Bill.Items) {
			e.Bill.Items = append(e.Bill.Items, price.Item{What: "machine", Price: price.Unknown, Month: price.Unknown, Note: "other environments have an instance, and this one has none"})
		}
	}
	return nil
}

// measure adds a row for each workload and environment, or for each cell.
func (s *Sheet) measure(rec *record.Record, cells bool) {
	var names []string
	for _, e := range s.Environments {
		names = append(names, e.Name)
	}
	counted, notes := rec.Counted(names, rec.Runs)
	for _, n := range notes {
		s.Notes = append(s.Notes, n.Text)
	}
	type place struct{ environment, workload, cell string }
	var order []place
	values := map[place]map[int][]record.Run{} // by repeat
	for _, run := range counted {
		p := place{run.Environment, run.Workload, ""}
		if cells {
			p.cell = run.Cell.Path()
		}
		if values[p] == nil {
			order, values[p] = append(order, p), map[int][]record.Run{}
		}
		values[p][run.Repeat] = append(values[p][run.Repeat], run)
	}
	slices.SortStableFunc(order, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.workload, b.workload), cmp.Compare(a.cell, b.cell), cmp.Compare(slices.Index(names, a.environment), slices.Index(names, b.environment)))
	})
	for _, p := range order {
		row := Row{Environment: p.environment, Workload: p.workload, Cell: p.cell}
		whole := 0
		for _, runs := range values[p] {
			whole = max(whole, len(runs))
		}
		before := len(values[p])
		maps.DeleteFunc(values[p], func(_ int, runs []record.Run) bool { return len(runs) < whole }) // a mean of other cells
		if lack := before - len(values[p]); lack > 0 {
			s.Notes = append(s.Notes, fmt.Sprintf("%s, %s: %s not included, as not all cells are complete", p.environment, p.workload, unit.Count(lack, "repeat")))
		}
		for name, of := range quantities {
			var blocks []float64
			for _, repeat := range slices.Sorted(maps.Keys(values[p])) {
				blocks = append(blocks, meanOf(values[p][repeat], of))
			}
			s.data[key{p.environment, p.workload, p.cell, name}] = blocks
		}
		k := key{p.environment, p.workload, p.cell, ""}
		row.TPS, row.P99, row.P999 = s.rangeOf(k, tps, rec.Summary.Seed), s.rangeOf(k, p99, rec.Summary.Seed), s.rangeOf(k, p999, rec.Summary.Seed)
		s.Rows = append(s.Rows, row)
	}
}

// The quantities of rows.
const (
	tps  = "tps"
	p99  = "p99"
	p999 = "p999"
)

var quantities = map[string]func(record.Result) float64{
	tps:  func(r record.Result) float64 { return r.TPS },
	p99:  func(r record.Result) float64 { return float64(r.Latency.P99) },
	p999: func(r record.Result) float64 { return float64(r.Latency.P999) },
}

func (s *Sheet) rangeOf(k key, quantity string, seed uint64) Range {
	k.quantity = quantity
	return rangeOf(s.data[k], seed)
}

// meanOf returns the geometric mean over the runs of a repeat: one a cell.
func meanOf(runs []record.Run, of func(record.Result) float64) float64 {
	sum := 0.0
	for _, run := range runs {
		v := of(run.Result)
		if v <= 0 {
			return 0
		}
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(runs)))
}

// price fills in what the throughput costs.
func (r *Row) price(hours, utilisation float64) {
	if !r.Month.Known() || !r.TPS.Known() {
		return
	}
	month := float64(r.Month)
	r.Million = r.TPS.under(month * 1e6 / (hours * 3600 * utilisation))
	if month > 0 {
		r.PerMoney = r.TPS.times(1 / month)
	}
	r.Thousand = r.TPS.under(month * 1000)
}
