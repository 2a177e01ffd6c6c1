package show

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// ClientsTable returns the table of one environment, in its published form.
func (s *Numbers) ClientsTable(e Environment) prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "Clients", Right: true}}, Keys: 1}
	rates := slices.ContainsFunc(e.Rows, func(r Row) bool { return r.Rate > 0 })
	if rates {
		t.Columns = append(t.Columns, prose.Column{Title: "Rate", Right: true})
		t.Keys = 2
	}
	for _, w := range s.Workloads {
		t.Columns = append(t.Columns, prose.Column{Title: w.Label + " " + s.Words().Rate, Right: true}, prose.Column{Title: w.Label + " Lat", Right: true})
	}
	for _, r := range e.Rows {
		row := []string{phrase.Count(float64(r.Clients))}
		if rates {
			row = append(row, Rate(r.Rate))
		}
		for _, w := range s.Workloads {
			a := AverageOf(r.Values, w.Name)
			row = append(row, a.TPSText(), a.LatencyText())
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// summaryTable returns the combined summary. Like the published one it omits latencies of
// read-only workloads, which the clients tables have.
func (s *Numbers) summaryTable() prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "Config"}}, Keys: 1}
	for _, w := range s.Workloads {
		t.Columns = append(t.Columns, prose.Column{Title: "Avg " + w.Label + " " + s.Words().Rate, Right: true})
		if !w.ReadOnly {
			t.Columns = append(t.Columns, prose.Column{Title: "Avg " + w.Label + " Lat", Right: true})
		}
	}
	several := len(s.Workloads) > 1
	if several {
		t.Columns = append(t.Columns, prose.Column{Title: "Overall Avg " + s.Words().Rate, Right: true})
	}
	for _, e := range s.Environments {
		row := []string{e.Title()}
		for _, w := range s.Workloads {
			a := AverageOf(e.Averages, w.Name)
			row = append(row, a.TPSText())
			if !w.ReadOnly {
				row = append(row, a.LatencyText())
			}
		}
		if several {
			row = append(row, Overall(e))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Overall formats the mean of the workloads' averages.
func Overall(e Environment) string {
	if e.Overall == 0 {
		return phrase.None
	}
	return phrase.Count(e.Overall)
}

// Rate formats a rate; 0 is a closed loop.
func Rate(r float64) string {
	if r == 0 {
		return "closed"
	}
	return phrase.Count(r) + "/s"
}

// AverageOf returns the average of a workload; the zero value if it has none.
func AverageOf(values []Average, workload string) Average {
	for _, a := range values {
		if a.Workload == workload {
			return a
		}
	}
	return Average{}
}

// TPSText formats the throughput.
func (a Average) TPSText() string {
	if a.Cells == 0 {
		return phrase.None
	}
	return phrase.Count(a.TPS)
}

// LatencyText formats the mean latency.
func (a Average) LatencyText() string {
	if a.Cells == 0 {
		return phrase.None
	}
	return phrase.Latency(a.Latency)
}

// threadsNote lists the thread counts behind a row; "" if there is only one.
func (s *Numbers) threadsNote(rows []Row) string {
	if s.Threads != 0 {
		return "Only the cells with " + phrase.Plural(s.Threads, "thread") + "."
	}
	var all []int
	for _, r := range rows {
		all = append(all, r.Threads...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) < 2 {
		return ""
	}
	counts := phrase.Ints(all)
	if slices.ContainsFunc(rows, func(r Row) bool { return len(r.Threads) < len(all) }) {
		counts += ", up to the number of clients"
	}
	return "A row is the mean over its thread counts (" + counts + "); --threads N picks one."
}

// BlocksNote gives the number of blocks behind an environment's numbers. The environment must
// have cells.
func (s *Numbers) BlocksNote(e Environment) string {
	least, most := e.Cells[0].Blocks, 0
	for _, c := range e.Cells {
		least, most = min(least, c.Blocks), max(most, c.Blocks)
	}
	if most == 1 {
		return "Each cell has 1 block, so the spread is unknown."
	}
	blocks := fmt.Sprintf("%d", least)
	if most > least {
		blocks = fmt.Sprintf("%d to %d", least, most)
	}
	var spreads []string
	for _, w := range s.Workloads {
		if widest := widest(e.Cells, w.Name); widest >= 0 {
			spreads = append(spreads, w.Label+" "+phrase.Percent(widest))
		}
	}
	return fmt.Sprintf("Each cell has %s blocks. The %s spread (maximum less minimum, over the mean) is at most: %s.",
		blocks, s.Words().Rate, strings.Join(spreads, ", "))
}

// widest returns the widest range of TPS over blocks among the cells of a workload, as a share
// of the cell's mean; -1 if none exists.
func widest(cells []Cell, workload string) float64 {
	share := -1.0
	for _, c := range cells {
		if c.Workload == workload && c.TPS.Mean > 0 {
			share = max(share, (c.TPS.Max-c.TPS.Min)/c.TPS.Mean)
		}
	}
	return share
}
