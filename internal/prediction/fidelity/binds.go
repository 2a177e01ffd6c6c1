package fidelity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/prediction"
	"plinth/internal/prediction/demand"
	"plinth/internal/stats"
)

// Binding names the resource that binds a cell: which one is predicted to help most if there were twice as much of it, and which
// one did when it was measured.
type Binding struct {
	Environment string
	experiment.Cell
	// Predicted and Measured are names of resources; "" if none helps, or, measured, if two help alike.
	Predicted, Measured string
	Factors             []Factor
}

// Factor is by how much twice as much of a resource multiplies throughput.
type Factor struct {
	Resource            string
	Predicted, Measured float64
	runs                []demand.Run
}

// doubles are the resources by the end of the name of the environment that has twice as much.
var doubles = map[string]string{"-iops": "data iops", "-throughput": "data throughput", "-latency": "data latency", "-cpus": "cpu"}

// helps is the factor of throughput from which a resource helps.
const helps = 1.05

// Bindings judges what binds: for each environment NAME of a record that was also measured with twice as much of
// resources, as NAME-iops, NAME-throughput, NAME-latency (half of it) or NAME-cpus.
func Bindings(cells []Measured) (all []Binding) {
	for _, base := range cells {
		var factors []Factor
		for _, c := range cells {
			suffix, is := strings.CutPrefix(c.Environment, base.Environment)
			if resource, known := doubles[suffix]; is && known && c.Cell.Cell == base.Cell.Cell {
				factors = append(factors, Factor{Resource: resource, Measured: c.Mean(tps) / base.Mean(tps), runs: c.Runs})
			}
		}
		if len(factors) > 1 {
			all = append(all, bound(base.Cell, factors))
		}
	}
	return all
}

func tps(r demand.Run) float64 { return r.TPS }

func bound(base demand.Cell, factors []Factor) Binding {
	b := Binding{Environment: base.Environment, Cell: base.Cell, Factors: factors}
	slices.SortFunc(factors, func(x, y Factor) int { return cmp.Compare(y.Measured, x.Measured) })
	if factors[0].Measured >= helps && higher(factors[0].runs, factors[1].runs) == stats.Up {
		b.Measured = factors[0].Resource
	}
	ref, err := prediction.NewReference(base)
	if err != nil {
		return b
	}
	doubled, err := ref.Doubled(prediction.Question{})
	if err != nil {
		return b
	}
	best := helps
	for i := range factors {
		for _, d := range doubled {
			if d.Resource != factors[i].Resource {
				continue
			}
			factors[i].Predicted = d.Factor
			if d.Factor >= best {
				best, b.Predicted = d.Factor, d.Resource
			}
		}
	}
	return b
}

// BindingTable returns a table in Markdown, and how often the prediction was right where the measurement tells.
func BindingTable(all []Binding) (table string, right, known int) {
	var t strings.Builder
	t.WriteString("| environment | workload | clients | twice as much of it | measured | predicted |\n|---|---|---:|---|---:|---:|\n")
	for _, b := range all {
		for i, f := range b.Factors {
			mark := ""
			if f.Resource == b.Measured {
				mark = " (binds)"
			}
			name := fmt.Sprintf("%s | %s | %d", b.Environment, b.Workload, b.Clients)
			if i > 0 {
				name = " | | "
			}
			fmt.Fprintf(&t, "| %s | %s%s | %.2f | ~%.2f |\n", name, f.Resource, mark, f.Measured, f.Predicted)
		}
		if b.Measured != "" {
			known++
			if b.Predicted == b.Measured {
				right++
			}
		}
	}
	return t.String(), right, known
}
