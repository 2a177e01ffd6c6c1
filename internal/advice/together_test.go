package advice

import (
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/experiment/decode"
	"plinth/internal/experiment/encode"
	"plinth/internal/hint"
	"plinth/internal/record"
)

// alike finds no difference between two environments.
func alike(_, _ record.Environment) []record.Note { return nil }

// named returns the input of a record of a name.
func named(t testing.TB, name, workloads, environments string, tps values) Input {
	t.Helper()
	in := input(t, workloads, environments, tps)
	in.Record.Path, in.Parity = "results/"+name, alike
	return in
}

func adviseAll(t testing.TB, ins ...Input) *All {
	t.Helper()
	all, err := OfAll(ins)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// shared returns the choices of a rule over several records.
func shared(t testing.TB, all *All, rule string) []SharedChoice {
	t.Helper()
	if len(all.Together) != 1 {
		t.Fatalf("%d guides", len(all.Together))
	}
	for _, a := range all.Together[0].Answers {
		if a.Name == rule {
			return a.Choices
		}
	}
	return nil
}

const (
	gp3 = "  gp3: {storage: {data: {emulate: gp3}}}\n"
	io2 = "  io2: {storage: {data: {emulate: io2, iops: 16000}}}\n"
)

// TestBetweenRecords: the best of two records is likely, not decided, and its rivals are those of its own record and
// those that may be the best of the other.
func TestBetweenRecords(t *testing.T) {
	one := named(t, "one", "tpcb-like", three, values{"slow": around(1000), "fast": around(3000), "dear": around(4000)})
	two := named(t, "two", "tpcb-like", three, values{"slow": around(1000), "fast": around(6000), "dear": noisy6000})
	all := adviseAll(t, one, two)
	if len(all.Records) != 2 || only(t, all.Records[0], "writes").Environment != "dear" {
		t.Fatalf("%+v", all.Records)
	}
	c := shared(t, all, "writes")
	if len(c) != 1 || c[0].Record != "two" || c[0].Environment != "fast" || c[0].Label != "fast of two" || c[0].Sure != Open {
		t.Fatalf("%+v", c)
	}
	two = named(t, "two", "tpcb-like", three, values{"slow": around(1000), "fast": around(6000), "dear": around(2000)})
	c = shared(t, adviseAll(t, one, two), "writes")
	if c[0].Environment != "fast" || c[0].Sure != Likely || len(c[0].Between) != 1 {
		t.Fatalf("%+v", c)
	}
	b := c[0].Between[0]
	if b.Label != "dear of one" || b.Standing != Less || b.Verdict.Outcome != record.Worse || !strings.HasPrefix(b.Sentence, "33") || !strings.Contains(b.Sentence, "8 repeats): worse") {
		t.Errorf("%+v", b)
	}
	// 60 for 6,000 TPS in two; 60 for 3,000 in one.
	c = shared(t, adviseAll(t, one, two), "cost")
	if c[0].Label != "fast of two" || c[0].Sure != Likely || c[0].Between[0].Label != "fast of one" || c[0].Between[0].Standing != Less {
		t.Errorf("%+v", c)
	}
	if w := adviseAll(t, one, two).Together[0].Weakens; len(w) != 1 || !strings.HasPrefix(w[0], "between records, the machine may have changed") {
		t.Errorf("%q", w)
	}
}

var noisy6000 = []float64{4800, 7600, 5400, 7000, 6600, 5000, 7400, 4900}

// TestOneEach: records of one environment answer together what they cannot answer alone.
func TestOneEach(t *testing.T) {
	one, two := named(t, "one", "tpcb-like", gp3, values{"gp3": around(1000)}), named(t, "two", "tpcb-like", io2, values{"io2": around(3000)})
	all := adviseAll(t, one, two)
	if why(all.Records[0], "latency") != "needs p99 latencies of two environments" {
		t.Errorf("%+v", all.Records[0].Unanswered)
	}
	for _, rule := range []string{"writes", "latency"} {
		if c := shared(t, all, rule); len(c) != 1 || c[0].Label != "io2" || c[0].Sure != Likely || c[0].Between[0].Label != "gp3" {
			t.Errorf("%s: %+v", rule, c)
		}
	}
	two = named(t, "two", "tpcb-like", io2, values{"io2": around(1001)})
	if c := shared(t, adviseAll(t, one, two), "writes"); c[0].Label != "gp3" || c[0].Between[0].Standing != Same || c[0].Sure != Likely {
		t.Errorf("as much, and cheaper: %+v", c)
	}
	one.P99 = 20 * time.Millisecond // 10 ms for $40, 3.3 ms for more
	two = named(t, "two", "tpcb-like", io2, values{"io2": around(3000)})
	two.P99 = one.P99
	if c := shared(t, adviseAll(t, one, two), "p99"); c[0].Label != "gp3" || c[0].Sure != Likely {
		t.Errorf("%+v", c)
	}
}

// TestApart: records whose cells or datasets differ have a choice each, with the reason, and an experiment with both.
func TestApart(t *testing.T) {
	one := named(t, "one", "tpcb-like", gp3, values{"gp3": around(1000)})
	for _, c := range []struct{ sets, why string }{
		{"clients=2", "their cells differ: tpcb-like/c2-j1 in two, tpcb-like/c1-j1 in one"},
		{"dataset.scale=20", "more than the storage differs: dataset.scale: 20 in two, 10 in one"},
	} {
		two := named(t, "two", "tpcb-like", "  gp3: {settings: {work_mem: 8MB}, storage: {data: {emulate: gp3, iops: 6000}}}\n", values{"gp3": around(3000)})
		reload(t, &two, c.sets)
		got := shared(t, adviseAll(t, one, two), "writes")
		if len(got) != 2 || got[0].Label != "gp3 of two" || got[0].Sure != Uncompared || got[1].Label != "gp3 of one" || len(got[0].Apart) != 1 || !strings.HasPrefix(got[0].Apart[0].Why, c.why) {
			t.Errorf("%s: %+v", c.sets, got)
			continue
		}
		text, err := FileOfAll([]Input{one, two}, "writes")
		if err != nil {
			t.Fatal(err)
		}
		e, _, err := decode.Parse("next.yaml", text, "", nil)
		if err != nil || len(e.Environments) != 2 || e.Environments[0].Settings["work_mem"] != "8MB" || e.Environments[1].Name != "gp3-2" || e.Environments[1].Settings["work_mem"] != "" || e.Repeats != 8 || e.Stop != "end" {
			t.Errorf("%v\n%s", err, text)
		}
	}
	// Different settings are refused, as by plinth compare.
	two := named(t, "two", "tpcb-like", "  gp3: {settings: {work_mem: 8MB}, storage: {data: {emulate: gp3}}}\n", values{"gp3": around(3000)})
	if got := shared(t, adviseAll(t, one, two), "writes"); got[0].Sure != Uncompared || got[0].Apart[0].Why != "more than the storage differs: settings.work_mem: 8MB in two, not in one" {
		t.Errorf("%+v", got)
	}
}

// reload changes the experiment of a record: its cells and dataset, and the cells of its runs.
func reload(t *testing.T, in *Input, set string) {
	t.Helper()
	e, _, err := decode.Parse("test.yaml", in.Record.ExperimentYAML, "", []string{set})
	if err != nil {
		t.Fatal(err)
	}
	again := *in.Record
	again.ExperimentYAML = encode.YAML(e)
	again.Summary.Fingerprint = record.Fingerprint(again.ExperimentYAML)
	again.Runs = slices.Clone(in.Record.Runs)
	for i := range again.Runs {
		again.Runs[i].Cell = e.Cells()[0]
	}
	in.Record, in.Experiment = &again, e
}

// TestGroups: records of two engines have a guide each, and a record is not compared with itself.
func TestGroups(t *testing.T) {
	postgres := named(t, "one", "tpcb-like", gp3, values{"gp3": around(1000)})
	redis := named(t, "two", "set", "  a: {}\n", values{"a": around(1000)})
	if all := adviseAll(t, postgres, redis); len(all.Records) != 2 || len(all.Together) != 0 {
		t.Errorf("%+v", all.Together)
	}
	more := named(t, "three", "set", "  b: {}\n", values{"b": around(2000)})
	all := adviseAll(t, postgres, redis, more)
	if c := shared(t, all, "writes"); len(all.Records) != 3 || c[0].Label != "b" || c[0].Sure != Likely || all.Together[0].Engine != "redis" || !slices.Equal(all.Together[0].Records, []string{"two", "three"}) {
		t.Errorf("%+v", c)
	}
	_, err := OfAll([]Input{postgres, postgres})
	if err == nil || err.Error() != "cannot compare record one with itself" || hint.Of(err) == "" {
		t.Error(err)
	}
	if _, err := FileOfAll([]Input{redis, more}, "writes"); err == nil || !strings.HasPrefix(err.Error(), "no experiment is needed for writes between") {
		t.Error(err)
	}
}

// TestSharedWorkloads: for reads and writes together, an environment must hold its own under each; a workload of one
// record alone is answered by that record.
func TestSharedWorkloads(t *testing.T) {
	one := named(t, "one", "tpcb-like, select-only", gp3, values{"gp3": around(1000), "gp3 select-only": around(50000)})
	two := named(t, "two", "tpcb-like, select-only", io2, values{"io2": around(3000), "io2 select-only": around(90000)})
	if c := shared(t, adviseAll(t, one, two), "mixed"); len(c) != 1 || c[0].Label != "io2" || c[0].Sure != Likely || !strings.Contains(c[0].Between[0].Sentence, "under select-only, ") {
		t.Errorf("%+v", c)
	}
	two = named(t, "two", "tpcb-like, select-only", io2, values{"io2": around(3000), "io2 select-only": around(20000)})
	if c := shared(t, adviseAll(t, one, two), "mixed"); len(c) != 1 || c[0].Sure != Open {
		t.Errorf("%+v", c)
	}
	two = named(t, "two", "tpcb-like", io2, values{"io2": around(3000)})
	if c := shared(t, adviseAll(t, one, two), "reads"); len(c) != 1 || c[0].Label != "gp3" || c[0].Sure != Alone {
		t.Errorf("%+v", c)
	}
}
