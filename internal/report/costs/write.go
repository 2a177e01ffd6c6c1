package costs

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"plinth/internal/cost"
	"plinth/internal/price"
	"plinth/internal/prose"
	"plinth/internal/report/output"
)

// The schemas of the JSON that plinth cost prints.
const (
	SheetSchema     = "plinth/cost/v1"
	PublishedSchema = "plinth/cost-published/v1"
)

// SheetJSON is a sheet as JSON.
type SheetJSON struct {
	Schema string `json:"schema"`
	*cost.Sheet
	Evens []cost.Even `json:"break_even,omitempty"`
	Nines []cost.Nine `json:"nines,omitempty"`
}

// WriteSheet writes what environments cost as text, Markdown, CSV (a line for each environment and
// workload, or for each item of a bill if there is no record) or JSON.
func WriteSheet(w io.Writer, s *cost.Sheet, target time.Duration, format string, width int) error {
	var nines []cost.Nine
	if target > 0 {
		nines = s.Nines(target)
	}
	return output.Write(w, format, width, output.Forms{
		Of:       "of costs",
		Document: func() (prose.Document, error) { return Sheet(s, nines), nil },
		Table:    func() (prose.Table, error) { return fields(s), nil },
		Value:    func() (any, error) { return SheetJSON{SheetSchema, s, s.Evens(), nines}, nil },
	})
}

// WritePublished writes published tables as text, Markdown or JSON.
func WritePublished(w io.Writer, all []cost.Published, format string, width int) error {
	return output.Write(w, format, width, output.Forms{
		Of:       "of published costs",
		Document: func() (prose.Document, error) { return Published(all), nil },
		Value: func() (any, error) {
			return struct {
				Schema string           `json:"schema"`
				Tables []cost.Published `json:"tables"`
			}{PublishedSchema, all}, nil
		},
	})
}

// fields returns all rows for CSV. Unknown numbers are empty.
func fields(s *cost.Sheet) prose.Table {
	if len(s.Rows) == 0 {
		return items(s)
	}
	t := prose.Table{}
	for _, title := range []string{"workload", "cell", "environment", "basis", "currency", "month", "tps", "p99_ns", "p99_9_ns",
		"per_million", "per_million_low", "per_million_high", "level", "blocks", "tps_per_money", "per_1000_tps"} {
		t.Columns = append(t.Columns, prose.Column{Title: title})
	}
	basis := map[string]string{}
	for _, e := range s.Environments {
		basis[e.Name] = e.Basis
	}
	for _, r := range s.Rows {
		t.Rows = append(t.Rows, []string{
			r.Workload, r.Cell, r.Environment, basis[r.Environment], s.Currency, exact(r.Month), known(r.TPS, r.TPS.Value), known(r.P99, r.P99.Value), known(r.P999, r.P999.Value),
			known(r.Million, r.Million.Value), known(r.Million, r.Million.Low), known(r.Million, r.Million.High), fmt.Sprint(r.TPS.Level), fmt.Sprint(r.TPS.N),
			known(r.PerMoney, r.PerMoney.Value), known(r.Thousand, r.Thousand.Value),
		})
	}
	t.Rows = append(t.Rows, predictedFields(s)...)
	return t
}

// predictedFields returns the rows of predicted disks, of basis predicted and without blocks.
func predictedFields(s *cost.Sheet) (rows [][]string) {
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', 10, 64) }
	for _, p := range s.Predicted {
		for _, r := range p.Rows {
			p99 := ""
			if r.P99.Value > 0 {
				p99 = number(1e9 * r.P99.Value)
			}
			rows = append(rows, []string{
				r.Workload, r.Cell, "~" + p.Name, p.Basis, s.Currency, exact(r.Month), number(r.TPS.Value), p99, "",
				number(r.Million.Value), number(r.Million.Low), number(r.Million.High), "0.9", "0", number(r.PerMoney.Value), number(1000 * float64(r.Month) / r.TPS.Value),
			})
		}
	}
	return rows
}

// items returns the items of all bills.
func items(s *cost.Sheet) prose.Table {
	t := prose.Table{}
	for _, title := range []string{"environment", "item", "quantity", "unit", "price", "currency", "month", "source", "note"} {
		t.Columns = append(t.Columns, prose.Column{Title: title})
	}
	for _, e := range s.Environments {
		for _, i := range e.Bill.Items {
			t.Rows = append(t.Rows, []string{e.Name, i.What, strconv.FormatFloat(i.Quantity, 'f', -1, 64), i.Unit, exact(i.Price), s.Currency, exact(i.Month), i.Source, i.Note})
		}
	}
	return t
}

func exact(a price.Amount) string {
	if !a.Known() {
		return ""
	}
	return strconv.FormatFloat(float64(a), 'f', -1, 64)
}

func known(r cost.Range, f float64) string {
	if !r.Known() {
		return ""
	}
	return strconv.FormatFloat(f, 'g', 10, 64)
}
