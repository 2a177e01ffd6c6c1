package compare_test

import (
	"math"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// ratio returns a verdict on TPS from both values and the limits of the effect.
func ratio(workload string, a, b, low, high float64, n int, word record.Outcome) record.Verdict {
	return record.Verdict{
		Workload: workload, Cells: 1, Metric: "tps", Baseline: "disk", Other: "memory",
		A: a, B: b, N: n, Effect: b/a - 1, Low: low, High: high, Level: 0.975, P: 0.001, Outcome: word,
	}
}

func with(v record.Verdict, change func(*record.Verdict)) record.Verdict {
	change(&v)
	return v
}

func Report(verdicts ...record.Verdict) *verdict.Comparison {
	return &verdict.Comparison{
		Schema: verdict.Schema, Records: []string{"quickstart-20261121T031500Z"},
		Question: "What does this disk cost a commit?",
		Plan: record.Plan{
			Metric: "tps", Margin: 0.03, Unit: "block", Stop: "end", Family: 1, Cells: 1,
			Looks: []record.Look{{Repeat: 2, Units: 8, Alpha: 0.01}, {Repeat: 4, Units: 16, Alpha: 0.015}, {Repeat: 6, Units: 24, Alpha: 0.025}},
		},
		Look: &record.Look{Repeat: 6, Units: 24, Alpha: 0.025}, Repeats: 6,
		Fewest:   verdict.Fewest{Workload: 7, Cell: 7},
		Verdicts: verdicts, Cells: []record.Verdict{},
		Sentences: []string{"memory: tpcb-like 38 % more TPS (25 to 46 %, 24 blocks): better"},
		Warnings:  []record.Note{},
	}
}

var (
	oneLoad = record.Note{Rule: "one-load", Text: "each environment was loaded once: two loads that differ by 1 % look like an effect", Hint: "use dataset: {reload: repeat}"}
	parity  = record.Note{Rule: "parity", Text: "random_page_cost is 4 in disk, 1.1 in memory"}
	short   = record.Note{Rule: "short", Text: "runs are shorter than 30 s"}
)

// comparisons returns test cases for tables by name.
func comparisons() map[string]*verdict.Comparison {
	return map[string]*verdict.Comparison{
		"one-cell":   oneCell(),
		"metrics":    severalMetrics(),
		"figures":    figures(),
		"matrix":     matrix(),
		"three":      threeEnvironments(),
		"every-pair": everyPair(),
		"early":      early(),
		"mixed":      mixed(),
		"long-names": longNames(),
		"hostile":    hostile(),
		"records":    twoRecords(),
		"clients":    byClients(),
		"equals":     equals(),
		"empty":      empty(),
	}
}

func oneCell() *verdict.Comparison {
	return Report(ratio("tpcb-like", 1590, 2187, 0.251, 0.462, 24, record.Better))
}

// severalMetrics has a latency, a share and failures beside TPS, which alone has a verdict.
func severalMetrics() *verdict.Comparison {
	tps := ratio("tpcb-like", 1590, 2187, 0.251, 0.462, 24, record.Better)
	p99 := with(tps, func(v *record.Verdict) {
		v.Metric, v.A, v.B, v.Effect, v.Low, v.High, v.Outcome = "p99", 13.41e6, 9.21e6, 9.21/13.41-1, -0.38, -0.24, ""
	})
	under := with(tps, func(v *record.Verdict) {
		v.Metric, v.Difference, v.A, v.B, v.Effect, v.Low, v.High, v.Outcome = "p99-under-10ms", true, 0.913, 0.952, 0.039, 0.021, 0.058, ""
	})
	failures := with(under, func(v *record.Verdict) {
		v.Metric, v.A, v.B, v.Effect, v.Low, v.High = "failures", 0, 0.0004, 0.0004, -0.0001, 0.0011
	})
	return Report(tps, p99, under, failures)
}

// figures has figures of every unit: some with a verdict, some without a direction.
func figures() *verdict.Comparison {
	figure := func(metric string, a, b float64, word record.Outcome) record.Verdict {
		return with(ratio("tpcb-like", a, b, 0.98*b/a-1, 1.03*b/a-1, 24, word), func(v *record.Verdict) { v.Metric, v.Asked = metric, word != "" })
	}
	share := func(metric string, a, b float64, word record.Outcome) record.Verdict {
		return with(figure(metric, a, b, word), func(v *record.Verdict) {
			v.Difference, v.Effect, v.Low, v.High = true, b-a, b-a-0.02, b-a+0.03
		})
	}
	return Report(
		figure("tps-lowest", 412, 631, record.Better), share("tps-variation", 0.62, 0.21, record.Better),
		figure("wal-sync-latency", 1.8e6, 26e3, record.Better), figure("dirty-peak", 412e6, 1.3e9, record.Worse),
		figure("data-disk-bytes", 38e6, 42e6, ""), figure("commits-per-flush", 8.25, 1.04, ""), figure("data-disk-iops", 19012, 12200, ""),
		share("buffers-backend-over-alloc", 1.2, 0.04, record.Better), share("wait.IO.WALSync", 0.48, 0, ""),
	)
}

// matrix has three workloads of 13 cells each, with warnings on some rows.
func matrix() *verdict.Comparison {
	c := Report(
		with(ratio("select-only", 10724, 10691, -0.012, 0.006, 39, record.Equivalent), func(v *record.Verdict) { v.Cells = 13 }),
		with(ratio("simple-update", 2250, 1355, -0.431, -0.364, 39, record.Worse), func(v *record.Verdict) { v.Cells, v.Warnings = 13, []record.Note{parity} }),
		with(ratio("tpcb-like", 1506, 1491, -0.034, 0.0004, 39, record.Inconclusive), func(v *record.Verdict) { v.Cells, v.Warnings = 13, []record.Note{short, parity} }),
	)
	c.Plan.Family, c.Plan.Cells = 3, 39
	c.Families = verdict.Families{Workload: 3, Cell: 39}
	c.Plan.Looks = []record.Look{{Repeat: 1, Units: 13, Alpha: 0.01}, {Repeat: 3, Units: 39, Alpha: 0.015}, {Repeat: 6, Units: 78, Alpha: 0.025}}
	c.Look, c.Next = &c.Plan.Looks[1], &c.Plan.Looks[2]
	c.Repeats, c.Fewest = 3, verdict.Fewest{Workload: 9, Cell: 13}
	for _, v := range c.Verdicts {
		for i, clients := range []int{1, 10, 10, 10, 25, 25, 25, 50, 50, 50, 100, 100, 100} {
			threads := []int{1, 1, 4, 8}[(i+3)%3+min(i, 1)]
			c.Cells = append(c.Cells, with(v, func(cell *record.Verdict) {
				cell.Cell = &experiment.Cell{Workload: v.Workload, Clients: clients, Threads: threads}
				cell.Cells, cell.N, cell.Outcome, cell.Level = 1, 3, "", 0
				cell.Effect = v.Effect + float64(i-6)/200
				cell.Low, cell.High = cell.Effect-0.04, cell.Effect+0.05
			}))
		}
	}
	c.Warnings = []record.Note{oneLoad, parity}
	c.Sentences = []string{
		"memory: select-only the same TPS (-1.2 to 0.6 %, 39 blocks): equivalent",
		"memory: simple-update 40 % fewer TPS (36 to 43 %, 39 blocks): worse",
		"memory: tpcb-like TPS (-3.4 to 0.04 %, 39 blocks): inconclusive",
	}
	return c
}

// threeEnvironments has two pairs, one of them invalid, and a ranking with a tie.
func threeEnvironments() *verdict.Comparison {
	replicated := func(v *record.Verdict) { v.Other = "replicated" }
	c := Report(
		ratio("select-only", 64304, 64264, -0.013, 0.012, 12, record.Equivalent),
		with(ratio("select-only", 64304, 65100, -0.02, 0.051, 12, record.Inconclusive), replicated),
		ratio("tpcb-like", 5613, 69610, 10.1, 13.2, 12, record.Better),
		with(record.Verdict{Workload: "tpcb-like", Metric: "tps", Baseline: "disk", P: 1, Outcome: record.Unfit,
			Warnings: []record.Note{{Rule: "invalid", Text: "all 12 blocks are left out: replicated had failed transactions"}}}, replicated),
	)
	c.Plan.Family, c.Families.Workload = 4, 4
	c.Ranking = []verdict.Rank{
		{Workload: "select-only", Place: 1, Environments: []string{"disk", "memory", "replicated"}},
		{Workload: "tpcb-like", Place: 1, Environments: []string{"memory"}},
		{Workload: "tpcb-like", Place: 2, Environments: []string{"disk"}},
	}
	return c
}

// everyPair has every pair of four environments, for two workloads, one of them without numbers of
// an environment. A pair has a warning that no verdict against the baseline has.
func everyPair() *verdict.Comparison {
	between := func(baseline, other string, v record.Verdict) record.Verdict {
		return with(v, func(v *record.Verdict) { v.Baseline, v.Other = baseline, other })
	}
	tails := func(v *record.Verdict) {
		v.Warnings = []record.Note{parity, {Rule: "heavy-tails", Text: "one repeat is far from the others"}}
	}
	c := Report(
		between("default", "pgtune", ratio("simple-update", 2250, 2540, 0.09, 0.17, 10, record.Better)),
		between("default", "published", with(ratio("simple-update", 2250, 3440, 0.48, 0.58, 10, record.Better), func(v *record.Verdict) { v.Warnings = []record.Note{parity} })),
		between("default", "oltp", ratio("simple-update", 2250, 3400, 0.44, 0.57, 10, record.Better)),
		between("default", "pgtune", ratio("tpcb-like", 1590, 1600, -0.02, 0.029, 10, record.Equivalent)),
		between("default", "published", ratio("tpcb-like", 1590, 2187, 0.251, 0.462, 10, record.Better)),
		between("default", "oltp", record.Verdict{Workload: "tpcb-like", Metric: "tps", P: 1, Outcome: record.Unfit}),
	)
	c.OtherPairs = []record.Verdict{
		between("pgtune", "published", with(ratio("simple-update", 2540, 3440, 0.29, 0.41, 10, record.Better), tails)),
		between("pgtune", "oltp", ratio("simple-update", 2540, 3400, 0.27, 0.41, 10, record.Better)),
		between("published", "oltp", with(ratio("simple-update", 3440, 3400, -0.06, 0.031, 10, record.Inconclusive), func(v *record.Verdict) { v.Level = 0.9917 })),
		between("pgtune", "published", ratio("tpcb-like", 1600, 2187, 0.24, 0.47, 10, record.Better)),
		between("pgtune", "oltp", record.Verdict{Workload: "tpcb-like", Metric: "tps", P: 1, Outcome: record.Unfit}),
		between("published", "oltp", record.Verdict{Workload: "tpcb-like", Metric: "tps", P: 1, Outcome: record.Unfit}),
		between("pgtune", "published", with(ratio("tpcb-like", 13.41e6, 9.21e6, -0.38, -0.24, 10, ""), func(v *record.Verdict) { v.Metric = "p99" })),
	}
	c.Plan.Compare, c.Plan.Unit, c.Plan.Family, c.Families.Workload, c.Fewest.Workload = []string{"all"}, "repeat", 12, 12, 9
	c.Ranking = []verdict.Rank{
		{Workload: "simple-update", Place: 1, Environments: []string{"published", "oltp"}},
		{Workload: "simple-update", Place: 3, Environments: []string{"pgtune"}},
		{Workload: "simple-update", Place: 4, Environments: []string{"default"}},
		{Workload: "tpcb-like", Place: 1, Environments: []string{"published"}},
		{Workload: "tpcb-like", Place: 2, Environments: []string{"default", "pgtune"}},
	}
	return c
}

// early is before the first look, with two blocks and then one.
func early() *verdict.Comparison {
	c := Report(
		with(ratio("select-only", 14079, 14553, -0.03, 0.18, 2, ""), func(v *record.Verdict) { v.Level = 0 }),
		with(ratio("tpcb-like", 1590, 2187, 0.375, 0.375, 1, ""), func(v *record.Verdict) { v.Level = 0 }),
	)
	c.Look, c.Next, c.Repeats = nil, &c.Plan.Looks[0], 1
	c.Sentences = nil
	return c
}

// mixed has rows at several levels: a range, small and large factors, and ends that coarser
// rounding would move across zero or the margin.
func mixed() *verdict.Comparison {
	return Report(
		with(ratio("range", 100, 110, 0.05, 0.15, 4, record.Inconclusive), func(v *record.Verdict) { v.Level = 0 }),
		with(ratio("factor", 100, 1_340_000, 11000, 15000, 24, record.Better), func(v *record.Verdict) { v.Level = 0.9833 }),
		ratio("vanished", 100000, 42, -0.99971, -0.99941, 24, record.Worse),
		ratio("just-better", 1000, 1040, 0.0004, 0.081, 24, record.Better),
		ratio("just-inside", 1000, 1001, -0.0288, 0.0298, 24, record.Equivalent),
		ratio("just-outside", 1000, 1001, -0.0288, 0.0304, 24, record.Inconclusive),
		ratio("nothing", 1000, 1000, 0, 0, 24, record.Equivalent),
		ratio("damaged", math.NaN(), 1, math.Inf(-1), math.NaN(), 24, record.Inconclusive),
	)
}

func longNames() *verdict.Comparison {
	named := func(v *record.Verdict) {
		v.Baseline, v.Other = "local-nvme-with-xfs-and-noatime-on-raid10", "replicated-block-storage-in-three-zones-with-ext4"
	}
	c := Report(with(ratio("a-mix-of-nine-reads-and-one-write-by-hand", 1590, 2187, 0.251, 0.462, 24, record.Better), named))
	c.Verdicts = append(c.Verdicts, with(c.Verdicts[0], func(v *record.Verdict) {
		v.Metric, v.A, v.B, v.Effect, v.Low, v.High, v.Outcome = "p99", 13.41e6, 9.21e6, 9.21/13.41-1, -0.38, -0.24, ""
	}))
	return c
}

// hostile is a record from an untrusted source.
func hostile() *verdict.Comparison {
	const text = "\x1b]0;owned\a\x1b[2J <b>yes</b> | `rm` *_[x](http://x) \u202Eti si\n# @all"
	c := Report(with(ratio(text, 1590, 2187, 0.251, 0.462, 24, record.Outcome("better\x1b[31m|")), func(v *record.Verdict) {
		v.Baseline, v.Other, v.Metric = text, "=cmd()|"+text, "tps"
		v.Warnings = []record.Note{{Rule: text, Text: text, Hint: text}}
	}))
	c.Question, c.Records, c.Sentences, c.Warnings = text, []string{text}, []string{text}, []record.Note{{Rule: text, Text: "all: " + text}}
	c.Ranking = []verdict.Rank{{Workload: text, Place: 1, Environments: []string{text, "disk"}}}
	c.Plan.Unit, c.Plan.Metric, c.Plan.Compare = text, text, []string{text}
	return c
}

// twoRecords is a comparison by a test for independent samples.
func twoRecords() *verdict.Comparison {
	c := Report(with(ratio("tpcb-like", 13.41e6, 9.21e6, -0.38, -0.24, 6, record.Better), func(v *record.Verdict) {
		v.Metric, v.Baseline, v.Other, v.Level = "p99", "quickstart-20261121T031500Z", "quickstart-20261122T031500Z", 0.95
	}))
	c.Unpaired, c.Records = true, []string{"quickstart-20261121T031500Z", "quickstart-20261122T031500Z"}
	c.Plan.Metric, c.Plan.Unit, c.Plan.Looks, c.Look = "p99", "repeat", nil, &record.Look{Repeat: 6, Units: 6, Alpha: 0.05}
	c.Fewest = verdict.Fewest{Workload: 6}
	c.Warnings = []record.Note{{Rule: "unpaired", Text: "the runs are not of one time: what the machine did on the second day is in the difference"}}
	return c
}

// byClients is in the published form, at a fixed rate.
func byClients() *verdict.Comparison {
	p95 := with(ratio("tpcb-like", 4.2e6, 4.9e6, 0.12, 0.22, 12, record.Worse), func(v *record.Verdict) { v.Metric, v.Cells = "p95", 2 })
	c := Report(p95)
	c.Plan.Metric, c.Plan.Stop, c.Plan.Unit = "p95", "decided", "repeat"
	c.Sentences = []string{"memory: tpcb-like 17 % higher p95 latency (12 to 22 %, 12 repeats): worse"}
	for _, clients := range []int{1, 10} {
		c.Cells = append(c.Cells, with(p95, func(v *record.Verdict) { v.Clients, v.Rate, v.Cells, v.N, v.Outcome = clients, 500, 3, 6, "" }))
	}
	return c
}

// equals compares a machine with itself.
func equals() *verdict.Comparison {
	c := Report(ratio("tpcb-like", 5613, 5650, -0.016, 0.029, 24, record.Equivalent))
	c.Noise = []record.Noise{
		{Workload: "tpcb-like", Metric: "tps", Blocks: 24, PairSD: 0.0513, LoadSD: 0.0102, BlockTime: 9.4},
		{Workload: "select-only", Metric: "tps", Blocks: 24, PairSD: 0.021, BlockTime: 9.4},
	}
	return c
}

func empty() *verdict.Comparison {
	c := Report()
	c.Verdicts, c.Look, c.Repeats, c.Sentences = []record.Verdict{}, nil, 0, nil
	return c
}
