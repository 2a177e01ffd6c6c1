package advice

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plinth/internal/cost"
	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/experiment/encode"
	"plinth/internal/price"
	"plinth/internal/record"
)

// prices are round numbers: a month of 720 hours is 72 for m6i.large, 36 for t3.large.
const prices = `
schema: plinth/prices/v1
name: test
date: 2026-11-01
currency: USD
hours: 720
sources: {list: {title: test}}
regions:
  here:
    instances: {source: list, hour: {m6i.large: 0.1, t3.large: 0.05, i3en.xlarge: 0.5}}
    volumes:
      gp3: {source: list, gb: 0.08, iops: [{above: 3000, price: 0.005}], throughput: [{above: 125, price: 0.04}]}
      io2: {source: list, gb: 0.125, iops: [{above: 0, price: 0.065}]}
    databases:
      rds-postgresql: {title: RDS, source: list, hour: {db.t3.large: 0.2}}
`

// values are the TPS of the blocks, by environment and workload ("gp3 select-only"), or by environment alone.
type values map[string][]float64

// input returns what advice is given from: an experiment with the environments, and a record with the values.
// The p99 of a run is 1e10 ns divided by its TPS.
func input(t testing.TB, workloads, environments string, tps values) Input {
	t.Helper()
	blocks := 0
	for _, v := range tps {
		blocks = max(blocks, len(v))
	}
	engine := "postgres"
	if strings.HasPrefix(workloads, "set") {
		engine = "redis"
	}
	text := fmt.Sprintf("engine: "+engine+"\nname: test\nquestion: Which?\nworkloads: [%s]\nclients: 1\nrepeats: %d\nseed: 1\nenvironments:\n%s", workloads, blocks, environments)
	e, _, err := decode.Parse("test.yaml", []byte(text), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	rec := &record.Record{Path: "results/test", ExperimentYAML: encode.YAML(e), Environments: map[string]record.Environment{}}
	rec.Summary = record.Summary{State: record.Complete, Engine: e.Engine, Seed: 1, Baseline: e.Baseline, Fingerprint: record.Fingerprint(rec.ExperimentYAML)}
	number := 0
	for _, repeat := range e.Schedule() {
		for _, slot := range repeat {
			of, found := tps[slot.Environment+" "+slot.Cell.Workload]
			if !found {
				of = tps[slot.Environment]
			}
			number++
			run := record.Run{Status: record.Valid, Number: number, RunID: record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1}}
			v := of[slot.Repeat-1]
			run.Result = record.Result{TPS: v, Transactions: 1000, Duration: 60, Latency: record.Latency{Mean: 1e9 / v, P99: int64(1e10 / v), P999: int64(2e10 / v)}}
			run.Phases.Load = 70
			rec.Runs = append(rec.Runs, run)
		}
	}
	for _, env := range e.Environments {
		rec.Environments[env.Name] = record.Environment{Name: env.Name, Kind: "own"}
	}
	b, err := price.Parse("test.yaml", []byte(prices))
	if err != nil {
		t.Fatal(err)
	}
	return Input{Record: rec, Experiment: e, Books: cost.Books{Own: b}, Now: time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)}
}

// around returns eight values around one.
func around(value float64) []float64 {
	var all []float64
	for _, f := range []float64{0.99, 1.01, 0.995, 1.005, 1.002, 0.998, 1.003, 0.997} {
		all = append(all, value*f)
	}
	return all
}

var noisy = []float64{800, 1300, 900, 1200, 1100, 950, 1250, 850}

func advise(t testing.TB, in Input) *Advice {
	t.Helper()
	a, err := Of(in)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// only returns the only choice of a rule.
func only(t testing.TB, a *Advice, rule string) Choice {
	t.Helper()
	for _, answer := range a.Answers {
		if answer.Name == rule && len(answer.Choices) == 1 {
			return answer.Choices[0]
		}
	}
	t.Fatalf("%s has not one choice: %+v, unanswered %+v", rule, a.Answers, a.Unanswered)
	return Choice{}
}

func why(a *Advice, rule string) string {
	for _, u := range a.Unanswered {
		if u.Name == rule {
			return u.Why
		}
	}
	return ""
}

// A gigabyte of gp3 costs 0.08 a month: 40 for 500 GiB; 15 more for 3,000 more IOPS, 5 more for 125 more MiB/s.
const three = `
  slow: {storage: {data: {emulate: gp3}}}
  fast: {storage: {data: {emulate: gp3, iops: 6000, throughput: 250MiB/s}}}
  dear: {storage: {data: {emulate: io2, iops: 16000}}}
`

func TestBest(t *testing.T) {
	a := advise(t, input(t, "tpcb-like", three, values{"slow": around(1000), "fast": around(3000), "dear": around(9000)}))
	c := only(t, a, "writes")
	if c.Environment != "dear" || c.Sure != Decided || len(c.Rivals) != 2 || c.Rivals[0].Environment != "fast" || c.Rivals[0].Standing != Less || !strings.Contains(c.Rivals[0].Sentence, "67 % less TPS") {
		t.Errorf("%+v", c)
	}
	// 3,000 TPS for 60 cost 0.02 a TPS, 1,000 for 40 cost 0.04: the bill of slow would have to be 20.
	c = only(t, a, "cost")
	if c.Environment != "fast" || c.Sure != Decided || !slices.Contains(c.Change, "slow would cost as little per transaction at $20.00 a month instead of $40.00") {
		t.Errorf("%+v", c)
	}
	if why(a, "reads") != "needs a workload that is known only to read" || why(a, "mixed") == "" || why(a, "bursts") == "" || len(a.Next) != 0 {
		t.Errorf("%+v, %+v", a.Unanswered, a.Next)
	}
	if len(a.Options) != 2 || a.Options[0].To != "fast" || float64(a.Options[0].More) != 20 || a.Options[0].Verdict.Outcome != record.Better {
		t.Errorf("%+v", a.Options)
	}
}

// TestUtilisation: a transaction costs what its environment costs while it works, not the bill alone.
func TestUtilisation(t *testing.T) {
	in := input(t, "tpcb-like", "  slow: {storage: {data: {emulate: gp3}}, cost: {utilisation: 100%}}\n  fast: {storage: {data: {emulate: gp3}}, cost: {utilisation: 40%}}\n", values{"slow": around(1000), "fast": around(2000)})
	// 40 for 1,000 TPS all month, and 40 for 2,000 during 40 % of it: as much as 100 for 2,000.
	c := only(t, advise(t, in), "cost")
	if c.Environment != "slow" || c.Sure != Decided || !slices.Contains(c.Change, "fast would cost as little per transaction at $32.00 a month instead of $40.00") {
		t.Errorf("%+v", c)
	}
}

func TestLimits(t *testing.T) {
	in := input(t, "tpcb-like", three, values{"slow": around(1000), "fast": around(3000), "dear": around(9000)})
	in.Budget, in.P99 = 50, 5*time.Millisecond // p99: 10, 3.3 and 1.1 ms
	a := advise(t, in)
	if c := only(t, a, "budget"); c.Environment != "slow" || c.Sure != Alone || !slices.Contains(c.Change, "fast has 200 % more TPS on average, but costs $60.00 a month") {
		t.Errorf("%+v", c)
	}
	if c := only(t, a, "p99"); c.Environment != "fast" || c.Sure != Decided {
		t.Errorf("%+v", c)
	}
	if got, want := why(a, "budget-and-p99"), "no environment: slow: its p99 is longer; fast, dear: over the budget"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if why(a, "latency") != "" {
		t.Error("the shortest p99 is answered beside a limit")
	}
	in.Budget = 60
	if c := only(t, advise(t, in), "budget-and-p99"); c.Environment != "fast" {
		t.Errorf("%+v", c)
	}
}

// TestUndecidedLimit: an interval on both sides of the limit leaves the answer open, and an experiment decides it.
func TestUndecidedLimit(t *testing.T) {
	in := input(t, "tpcb-like", three, values{"slow": noisy, "fast": around(3000), "dear": around(9000)})
	in.P99 = 10 * time.Millisecond
	a := advise(t, in)
	c := only(t, a, "p99")
	if c.Environment != "fast" || c.Sure != Open || len(c.Out) != 1 || !c.Out[0].Maybe {
		t.Errorf("%+v", c)
	}
	if len(a.Next) != 1 || !slices.Equal(a.Next[0].Environments, []string{"fast", "slow"}) || a.Next[0].Repeats != 16 {
		t.Errorf("%+v", a.Next)
	}
	in.Budget, in.P99 = 50, 9*time.Millisecond
	if got := why(advise(t, in), "budget-and-p99"); !strings.HasPrefix(got, "no environment: slow: its p99 is longer on average, and its interval reaches") {
		t.Error(got)
	}
	in.P99 = 10 * time.Millisecond
	if c := only(t, advise(t, in), "budget-and-p99"); c.Environment != "slow" || c.Sure != Open || !strings.Contains(c.Change[0], "does not decide whether it is within 10ms") {
		t.Errorf("%+v", c)
	}
}

// TestCheapest: equal bills do not separate environments, and a bill that is not known does not, either.
func TestCheapest(t *testing.T) {
	const equal = "  a: {storage: {data: {emulate: gp3}}}\n  b: {storage: {data: {emulate: gp3}}}\n"
	in := input(t, "tpcb-like", equal, values{"a": around(1000), "b": around(2000)})
	in.P99 = 20 * time.Millisecond // 10 and 5 ms
	if c := only(t, advise(t, in), "p99"); c.Environment != "b" || c.Sure != Alike || c.Rivals[0].Standing != Same {
		t.Errorf("%+v", c)
	}
	in = input(t, "tpcb-like", "  a: {storage: {data: {emulate: gp3}}}\n  b: {storage: {data: /mnt}}\n", values{"a": around(1000), "b": around(2000)})
	in.P99 = 20 * time.Millisecond
	if c := only(t, advise(t, in), "p99"); c.Environment != "a" || c.Sure != Open || c.Rivals[0].Standing != Unknown {
		t.Errorf("%+v", c)
	}
	in = input(t, "tpcb-like", "  a: {}\n  b: {}\n", values{"a": around(1000), "b": around(2000)})
	in.P99 = 20 * time.Millisecond
	if c := only(t, advise(t, in), "p99"); c.Environment != "b" || !strings.HasPrefix(c.Notes[0], "no bill is known") {
		t.Errorf("%+v", c)
	}
}

// TestAlike: of environments that are equivalent, the cheaper one is chosen.
func TestAlike(t *testing.T) {
	a := advise(t, input(t, "tpcb-like", three, values{"slow": around(1000), "fast": around(3000), "dear": around(3010)}))
	if c := only(t, a, "writes"); c.Environment != "fast" || c.Sure != Decided || c.Rivals[0].Standing != Same || !strings.Contains(c.Notes[0], "as much as dear") {
		t.Errorf("%+v", c)
	}
}

func TestOpen(t *testing.T) {
	in := input(t, "tpcb-like", three, values{"slow": around(300), "fast": noisy, "dear": around(1100)})
	a := advise(t, in)
	c := only(t, a, "writes")
	if c.Environment != "dear" || c.Sure != Open || c.Rivals[0].Standing != Unknown || c.Rivals[1].Standing != Less || c.Change[0] != "no verdict separates it from fast" {
		t.Errorf("%+v", c)
	}
	at := slices.IndexFunc(a.Next, func(n Next) bool { return n.Name == "writes" })
	if at < 0 || !slices.Equal(a.Next[at].Environments, []string{"dear", "fast"}) || a.Next[at].Repeats <= 8 {
		t.Fatalf("%+v", a.Next)
	}
	n := a.Next[at] // runs of 70 s; 2 environments
	if want := time.Duration(n.Repeats*2*70) * time.Second; n.Why == "" && n.Time != want {
		t.Errorf("it takes %v, not %v", n.Time, want)
	}
	text, err := File(in, "writes")
	if err != nil {
		t.Fatal(err)
	}
	e, _, err := decode.Parse("next.yaml", text, "", nil)
	if err != nil || e.Name != "decide-writes" || len(e.Environments) != 2 || e.Baseline != "dear" || e.Repeats != n.Repeats || e.Question != "Is dear better than fast under tpcb-like?" {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := File(in, "reads"); err == nil {
		t.Error("an experiment for an answer that is not open")
	}
}

// TestImported: runs of which the order is not known decide nothing, and no experiment can be made of them.
func TestImported(t *testing.T) {
	in := input(t, "tpcb-like", three, values{"slow": around(1000), "fast": around(3000), "dear": around(9000)})
	in.Record.Import = &record.Import{Order: record.OrderUnknown}
	a := advise(t, in)
	if c := only(t, a, "writes"); c.Environment != "dear" || c.Sure != Open {
		t.Errorf("%+v", c)
	}
	if len(a.Next) == 0 || !strings.Contains(a.Next[0].Why, "others measured") {
		t.Errorf("%+v", a.Next)
	}
}

// TestUnknownCost: an environment without a price is never the cheapest, nor within a budget.
func TestUnknownCost(t *testing.T) {
	in := input(t, "tpcb-like", three+"  directory: {storage: {data: /mnt}}\n", values{"slow": around(1000), "fast": around(3000), "dear": around(9000), "directory": around(20000)})
	in.Budget = 1e6
	a := advise(t, in)
	if c := only(t, a, "cost"); c.Environment != "fast" || c.Out[0].Why != "its cost is not known" {
		t.Errorf("%+v", c)
	}
	if c := only(t, a, "budget"); c.Environment != "dear" {
		t.Errorf("%+v", c)
	}
	if c := only(t, a, "writes"); c.Environment != "directory" || c.Sure != Decided {
		t.Errorf("%+v", c)
	}
}

func TestWorkloads(t *testing.T) {
	a := advise(t, input(t, "tpcb-like, select-only", three, values{
		"slow": around(1000), "fast": around(3000), "dear": around(9000), "slow select-only": around(50000), "fast select-only": around(60000), "dear select-only": around(20000),
	}))
	if c := only(t, a, "writes"); c.Workload != "tpcb-like" || c.Environment != "dear" {
		t.Errorf("%+v", c)
	}
	if c := only(t, a, "reads"); c.Workload != "select-only" || c.Environment != "fast" {
		t.Errorf("%+v", c)
	}
	if got := why(a, "mixed"); got != "it depends: fast under select-only and dear under tpcb-like" {
		t.Error(got)
	}
	// dear: 29,000 instead of 51,000, although 9 times as much under writes.
	at := slices.IndexFunc(a.Mistakes, func(m Mistake) bool { return m.Name == "reads-hide-writes" })
	if at < 0 || !slices.Contains(a.Mistakes[at].Evidence, "dear against slow: -43 % on average over the workloads, and +800 % under tpcb-like") {
		t.Errorf("%+v", a.Mistakes)
	}
}

// TestSomeWorkloads: a limit that no environment meets under one workload is not hidden by the answer for another.
func TestSomeWorkloads(t *testing.T) {
	in := input(t, "tpcb-like, select-only", "  a: {}\n  b: {}\n", values{
		"a": around(100), "b": around(200), "a select-only": around(5000), "b select-only": around(9000),
	})
	in.P99 = 10 * time.Millisecond // 100 and 50 ms under writes, 2 and 1.1 ms under reads
	a := advise(t, in)
	if c := only(t, a, "p99"); c.Workload != "select-only" || c.Environment != "b" {
		t.Errorf("%+v", c)
	}
	if got, want := why(a, "p99"), "under tpcb-like, no environment: a, b: its p99 is longer"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

// TestMixed: an environment that is best under one workload and as good as the best under another is the one for
// both.
func TestMixed(t *testing.T) {
	a := advise(t, input(t, "tpcb-like, select-only", "  a: {}\n  b: {}\n", values{
		"a": around(1000), "b": around(3000), "a select-only": around(50000), "b select-only": around(49900),
	}))
	if c := only(t, a, "mixed"); c.Environment != "b" || c.Workload != "tpcb-like" || c.Sure != Decided {
		t.Errorf("%+v", c)
	}
	if c := only(t, a, "reads"); c.Environment != "a" || c.Sure != Alike {
		t.Errorf("%+v", c)
	}
}

// TestNothingBeatsADecision: a decided choice meets its condition, and the intervals of its rivals are below zero.
func TestNothingBeatsADecision(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tps := values{}
		for _, name := range []string{"slow", "fast", "dear"} {
			mean, spread := rapid.Float64Range(500, 1500).Draw(rt, name), rapid.Float64Range(0, 0.3).Draw(rt, "spread")
			for i := range 8 {
				tps[name] = append(tps[name], mean*(1+spread*rapid.Float64Range(-1, 1).Draw(rt, fmt.Sprint(i))))
			}
		}
		in := input(t, "tpcb-like", three, tps)
		in.Budget = rapid.Float64Range(1, 2000).Draw(rt, "budget")
		for _, answer := range advise(t, in).Answers {
			for _, c := range answer.Choices {
				if answer.has("budget") && float64(c.Month) > in.Budget {
					rt.Fatalf("%s costs %v, more than %v", c.Environment, c.Month, in.Budget)
				}
				for _, r := range c.Rivals {
					if c.Sure == Decided && c.Metric == "tps" && r.Standing == Less && answer.Rank == "metric" && r.Verdict.High >= 0 {
						rt.Fatalf("%s: decided for %s, although %s may do more: %+v", answer.Name, c.Environment, r.Environment, r.Verdict)
					}
				}
			}
		}
	})
}

func TestKinds(t *testing.T) {
	s := &study{Input: Input{Record: &record.Record{}, Experiment: &experiment.Experiment{Workloads: []experiment.Workload{
		{Name: "mine", Scripts: []experiment.Script{{SQL: "SELECT 1; UPDATE t SET a = 1"}}}, {Name: "look", Scripts: []experiment.Script{{SQL: "SELECT updated FROM t"}}},
		{Name: "both", Scripts: []experiment.Script{{Builtin: "select-only"}, {Builtin: "simple-update"}}},
	}}}}
	for workload, want := range map[string]string{
		"mine": writes, "look": reads, "both": writes, "tpcb-like": writes, "select-only": reads, "oltp_read_only": reads, "oltp_read_write": writes, "queue": "",
	} {
		if got := s.kindOf(workload); got != want {
			t.Errorf("%s is %q, not %q", workload, got, want)
		}
	}
	for share, want := range map[float64]string{1: reads, 0.9995: reads, 0.8: writes} {
		s.counted = []record.Run{{RunID: record.RunID{Cell: experiment.Cell{Workload: "queue"}}, Figures: map[string]float64{"rows-read-share": share}}}
		if got := s.kindOf("queue"); got != want {
			t.Errorf("%g of the rows are read: %q", share, got)
		}
	}
	s.Record.Summary.Engine = experiment.EngineRedis
	for workload, want := range map[string]string{"set": writes, "get": reads, "ping": ""} {
		if got := s.kindOf(workload); got != want {
			t.Errorf("%s is %q, not %q", workload, got, want)
		}
	}
}

// TestFileOfSeveral: one experiment decides all workloads for which an answer is open.
func TestFileOfSeveral(t *testing.T) {
	in := input(t, "tpcb-like, simple-update, select-only", three, values{"slow": around(300), "fast": noisy, "dear": around(1200)})
	text, err := File(in, "writes")
	if err != nil {
		t.Fatal(err)
	}
	e, _, err := decode.Parse("next.yaml", text, "", nil)
	if err != nil || len(e.Workloads) != 2 || len(e.Environments) != 2 || e.Stop != "end" {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestNothingMeasured: without runs, nothing is answered, and every rule says why.
func TestNothingMeasured(t *testing.T) {
	in := input(t, "tpcb-like", three, values{"slow": {1000}, "fast": {1000}, "dear": {1000}})
	in.Record.Runs, in.Record.Summary.State = nil, record.Interrupted
	a := advise(t, in)
	if len(a.Answers)+len(a.Mistakes)+len(a.Options)+len(a.Next) > 0 || !slices.Contains(a.Weakens, "the experiment has not run to its end") {
		t.Errorf("%+v", a)
	}
	for _, u := range a.Unanswered {
		if u.Why == "" {
			t.Errorf("%s: no reason", u.Name)
		}
	}
}
