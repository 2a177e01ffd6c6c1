package chart

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// The functions below return charts for the tests, similar to those of a report.

var clients = []float64{1, 2, 4, 8, 16, 32}

func someForest(width int) Forest {
	return Forest{
		Title: "Effect on TPS, memory against disk", Unit: "%", Margin: 3, Width: width,
		Less: "memory is slower", More: "memory is faster",
		Rows: []ForestRow{
			{Group: "memory against disk", Label: "tpcb-like", Effect: 64, Low: 30, High: 122, Text: "+64 % (30 to 122 %)", Word: "better", Whole: true},
			{Group: "memory against disk", Label: "tpcb-like", Detail: "1 client", Effect: 41, Low: 12, High: 73, Text: "+41 % (12 to 73 %)", Word: "better"},
			{Group: "memory against disk", Label: "tpcb-like", Detail: "8 clients, 1 thread", Effect: 80, Low: 35, High: 131, Text: "+80 % (range 35 to 131 %)", Range: true},
			{Group: "memory against disk", Label: "select-only", Effect: 0.4, Low: -1.1, High: 1.9, Text: "+0.4 % (-1.1 to +1.9 %)", Word: "equivalent", Whole: true},
			{Group: "memory against disk", Label: "select-only", Detail: "8 clients, 1 thread", Missing: "every block has an invalid run"},
			{Group: "memory against disk", Label: "simple-update", Effect: -22, Low: -44, High: -3.5, Text: "-22 % (-44 to -3.5 %)", Word: "worse", Whole: true},
			{Group: "slow-disk against disk", Label: "tpcb-like", Effect: -51, Low: -63, High: -40, Text: "-51 % (-63 to -40 %)", Word: "worse", Basis: Emulated, Whole: true},
			{Group: "slow-disk against disk", Label: "simple-update", Detail: "8 clients", Effect: -8, Low: -35, High: 21, Text: "-8 % (-35 to +21 %)", Word: "inconclusive", Basis: Predicted},
		},
	}
}

func extremeForest() Forest {
	f := Forest{Title: "One row far from the others", Unit: "x", Margin: 0.03, Less: "slower", More: "faster"}
	for i := range 40 {
		e := math.Exp(0.02 * float64(i-20))
		f.Rows = append(f.Rows, ForestRow{Label: "workload", Detail: fmt.Sprintf("%d clients", i+1), Effect: e, Low: e * 0.9, High: e * 1.1,
			Text: fmt.Sprintf("x%.2f (%.2f to %.2f)", e, e*0.9, e*1.1), Word: "inconclusive"})
	}
	f.Rows[7].Effect, f.Rows[7].High, f.Rows[7].Text = 9000, 12000, "x9,000 (0.70 to 12,000)"
	f.Rows[9].High, f.Rows[9].Text = math.Inf(1), "x0.80 (0.72 to ...)"
	return f
}

func someMultiples(series int, scale ...float64) Multiples {
	m := Multiples{Title: "Throughput against clients", XTitle: "clients", YTitle: "TPS", XLog: true}
	names := []string{"disk", "memory", "slow disk", "XFS", "wal on its own device", "replicated", "managed", "far away"}
	for i, workload := range []string{"tpcb-like", "simple-update", "select-only"}[:len(scale)] {
		p := Panel{Title: workload}
		for s := range series {
			line := Series{Name: names[s], Index: s}
			if s == 2 && series == 3 {
				line.Basis = Emulated
			}
			for _, x := range clients {
				y := scale[i] * 1000 * math.Pow(x, 0.6) * (1 + 0.25*float64(s))
				line.Points = append(line.Points, Point{X: x, Y: y, Low: y * 0.85, High: y * 1.12,
					Text: fmt.Sprintf("%s, %v clients: %s TPS", names[s], x, number(y, 0))})
			}
			p.Series = append(p.Series, line)
		}
		m.Panels = append(m.Panels, p)
	}
	return m
}

func somePercentiles(series int) Percentiles {
	p := Percentiles{Title: "Latency percentiles", YTitle: "latency, ms", Unit: "transaction", YLog: true}
	for _, workload := range []string{"tpcb-like", "select-only"} {
		panel := CurvePanel{Title: workload + ", 8 clients"}
		for s := range series {
			c := Curve{Name: fmt.Sprintf("environment %d", s), Index: s, Count: 400_000}
			if s == 2 && series == 3 {
				c.Basis = Emulated
			}
			for i := range 2000 {
				q := 1 - math.Pow(10, -float64(i)/300)
				c.Points = append(c.Points, Quantile{q, math.Round(100*(0.4+0.3*float64(s))*(1+math.Pow(float64(i)/500, 3)+0.5*math.Floor(float64(i)/400))) / 100})
			}
			panel.Curves = append(panel.Curves, c)
		}
		p.Panels = append(p.Panels, panel)
	}
	return p
}

func someOrder() Order {
	random := rand.New(rand.NewPCG(1, 2))
	o := Order{Title: "Runs in their order", YTitle: "TPS", Names: []string{"disk", "memory", "slow disk"}}
	for _, workload := range []string{"tpcb-like", "select-only"} {
		p := OrderPanel{Title: workload}
		for i := range 60 {
			r := OrderRun{X: float64(i + 1), Index: i % 3, Y: 2000 + 400*float64(i%3) + 150*random.NormFloat64(),
				Text: fmt.Sprintf("run %d", i+1), Href: fmt.Sprintf("#run=disk/%s/c8-j1/r%02d", workload, i+1)}
			if i%17 == 5 {
				r.Bad = []string{"invalid", "failed"}[i%2]
			}
			p.Runs = append(p.Runs, r)
		}
		o.Panels = append(o.Panels, p)
	}
	return o
}

func someTimeline(n int) Timeline {
	random := rand.New(rand.NewPCG(3, 4))
	values := func(level, noise float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = level * math.Exp(noise*random.NormFloat64())
			if i > n/2 && i < n/2+n/12 {
				v[i] = math.NaN()
			}
		}
		return v
	}
	t := Timeline{Title: "memory, tpcb-like, 8 clients, repeat 3", Start: -10, Step: 1, Tracks: []Track{
		{Title: "TPS", Unit: "1/s", Lines: []Line{{Name: "server", Values: values(3600, 0.05)}}},
		{Title: "Latency", Unit: "ms", Log: true, Lines: []Line{{Name: "p50", Values: values(1.2, 0.05)}, {Name: "p99", Values: values(9, 0.4)}}},
		{Title: "Wait events", Unit: "sessions", Stack: true, Lines: []Line{{Name: "CPU", Values: values(2, 0.2)},
			{Name: "WALSync", Values: values(3, 0.2)}, {Name: "WALWrite", Values: values(1, 0.2)}}},
		{Title: "Dirty", Unit: "MiB", Lines: []Line{{Name: "Dirty", Values: values(300, 0.1), Low: values(200, 0.1), High: values(420, 0.1)}}},
	}}
	for s := range n / 5 {
		if s%4 == 1 {
			t.Marks = append(t.Marks, Mark{float64(s * 5), "C", "checkpoint begins"}, Mark{float64(s*5) + 4, "E", "checkpoint ends"})
		}
	}
	t.Marks = append(t.Marks, Mark{12, "A", "autovacuum of pgbench_tellers"}, Mark{13, "F", "flush"})
	return t
}

func someHeat(n int) Heat {
	random := rand.New(rand.NewPCG(5, 6))
	h := Heat{Title: "Latency over time", YTitle: "latency, ms", Start: 0, Step: 1}
	for e := 0.1; e < 1000; e *= 1.15 {
		h.Edges = append(h.Edges, e)
	}
	for t := range n {
		column := make([]int, len(h.Edges)-1)
		for range 400 {
			v := math.Exp(0.5 * random.NormFloat64())
			if t%20 < 3 {
				v *= 6
			}
			if i := int(math.Log(v/0.1) / math.Log(1.15)); i >= 0 && i < len(column) {
				column[i] += 3
			}
		}
		h.Counts = append(h.Counts, column)
	}
	return h
}

// someStacks has parts of every look, a bar whose parts are more than the whole, and one that is missing.
func someStacks(width int) Stacks {
	names := []string{"CPU of the backend", "waiting for a CPU", "WAL flush", "data reads", "row locks", "load generator", "client", "network"}
	bar := func(name string, index int, basis Basis, values ...float64) Stack {
		b := Stack{Name: name, Index: index, Basis: basis, Note: "WAL flush: 62 % of the response time; first in 6 of 6 runs.", Href: "#run=" + name, Link: "the typical run, repeat 3"}
		for i, v := range values {
			b.Whole += v
			b.Parts = append(b.Parts, StackPart{Name: names[i%8] + []string{"", " 2", " 3"}[i/8], Look: i, Value: v, Text: short(v) + " ms", Tip: names[i%8] + ": " + short(v) + " ms"})
		}
		b.Text = short(b.Whole) + " ms, 2,430 TPS"
		return b
	}
	hatched := bar("nvme", 0, Measured, 0.3, 0.1, 0.8, 0.02)
	hatched.Parts = append(hatched.Parts, StackPart{Name: "not explained", Look: Rest, Value: 0.4, Text: "0.4 ms", Tip: "not explained: 0.4 ms"})
	hatched.Whole += 0.4
	twice := bar("gp3", 1, Emulated, 0.3, 0.4, 2.9, 0.2)
	twice.Whole -= 0.6
	twice.Parts = append(twice.Parts, StackPart{Name: "not explained", Look: Rest, Value: -0.6, Text: "-0.6 ms"})
	var many []float64
	for i := range seriesCount * textures {
		many = append(many, 0.2+0.01*float64(i))
	}
	return Stacks{Title: "Where the time goes", XTitle: "ms a transaction", Width: width, Panels: []StackPanel{
		{Title: "tpcb-like, 8 clients", Bars: []Stack{hatched, twice, {Name: "memory", Index: 2, Text: "1.2 ms", Missing: "12 seconds are known of wait.active, but plinth reads nothing of this"}}},
		{Title: "select-only, 8 clients", Bars: []Stack{bar("nvme", 0, Measured, many...)}},
		{Title: "nothing", Bars: []Stack{{Name: "nvme", Missing: "not known"}}},
	}}
}
