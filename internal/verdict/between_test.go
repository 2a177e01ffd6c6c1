package verdict_test

import (
	"fmt"
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

const alone = "environments: {disk: {}}"

// parity stands in for the engine's check of two environments; it compares the version
// only.
func parity(a, b record.Environment) []record.Note {
	if a.Version == b.Version {
		return []record.Note{{Rule: "parity-round-trip", Text: "one is farther away"}}
	}
	text := fmt.Sprintf("%s and %s differ in version: %s / %s", a.Name, b.Name, a.Version, b.Version)
	return []record.Note{{Rule: "parity-version", Text: text}}
}

// before and after build two records; the TPS of the second are scaled by a factor.
func before(t *testing.T, text string) *record.Record {
	rec := made(t, text, func(run *record.Run) { run.Result.TPS *= noise(run, 0.01) })
	rec.Path = "results/before"
	return rec
}

func after(t *testing.T, text string, factor float64) *record.Record {
	rec := made(t, text, func(run *record.Run) {
		run.Repeat += 100 // draws other noise
		run.Result.TPS *= factor * noise(run, 0.01)
		run.Repeat -= 100
	})
	rec.Path = "results/after"
	return rec
}

func between(t *testing.T, a, b *record.Record, options verdict.Options) *verdict.Comparison {
	t.Helper()
	c, err := verdict.Between(a, b, options, parity)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestBetween compares one environment of each record, on another disk.
func TestBetween(t *testing.T) {
	moved := strings.Replace(file(alone, "name: other"), "{disk: {}}", "{nvme: {storage: {data: /mnt/nvme}}}", 1)
	for _, c := range []struct {
		factor float64
		want   string
	}{
		{1.2, "after: tpcb-like 19.6 % more TPS (18.1 to 21.2 %, 6 repeats): better"},
		{0.8, "after: tpcb-like 20.3 % less TPS (19.2 to 21.3 %, 6 repeats): worse"},
		{1, "after: tpcb-like TPS within 3 % (-1.6 to +1.0 %, 6 repeats): equivalent"},
	} {
		got := between(t, before(t, file(alone)), after(t, moved, c.factor), verdict.Options{})
		v := got.Verdicts[0]
		if got.Sentences[0] != c.want || len(got.Sentences) != 1 {
			t.Errorf("got %q\nwant %s", got.Sentences, c.want)
		}
		if !got.Unpaired || v.Baseline != "before" || v.Other != "after" || v.Level != 0.95 || got.Look.Alpha != 0.05 || !hasNote(got.Warnings, "unpaired", "were not interleaved") {
			t.Errorf("%+v", got)
		}
	}
}

// TestBetweenSeveralEnvironments checks that environments of the same name are compared,
// and share the error.
func TestBetweenSeveralEnvironments(t *testing.T) {
	a, b := before(t, file("environments: {disk: {}, memory: {}}")), after(t, file("environments: {tape: {}, memory: {}, disk: {}}", "repeats: 7"), 1.2)
	got := between(t, a, b, verdict.Options{})
	labels := ""
	for _, v := range got.Verdicts {
		labels += fmt.Sprintf("%s %s %s %d %.4f %s\n", v.Baseline, v.Other, v.Metric, v.N, v.Level, v.Outcome)
	}
	want := "before/disk after/disk tps 6 0.9750 better\nbefore/memory after/memory tps 6 0.9500 better\n" +
		"before/disk after/disk p99 6 0.9500 \nbefore/memory after/memory p99 6 0.9500 \n"
	if labels != want || got.Repeats != 6 || got.Plan.Family != 2 || got.Families.Workload != 2 || got.Fewest.Workload != 6 {
		t.Errorf("got\n%swant\n%s%+v", labels, want, got.Fewest)
	}
}

// TestBetweenRepeats checks that a repeat that lacks a cell is left out, that fewer than six
// give a range only, and that there is no outcome before both records are complete.
func TestBetweenRepeats(t *testing.T) {
	text := file(alone, fourCells, "repeats: 7")
	spoil := func(rec *record.Record, repeats int) *record.Record {
		for i := range rec.Runs {
			if run := &rec.Runs[i]; run.Repeat <= repeats && run.Clients == 4 {
				run.Status, run.Result.TPS = record.Invalid, 1e9
			}
		}
		return rec
	}
	for _, c := range []struct {
		spoilt, n int
		want      string
	}{
		{0, 7, "7 repeats): better"}, {1, 6, "6 repeats): better"}, {2, 5, "5 repeats): inconclusive, too few for a verdict"},
		{6, 1, "1 repeat): inconclusive, too few for a verdict"},
		{7, 0, "after: tpcb-like TPS: invalid, no repeat in which all cells have a valid run in both"},
	} {
		got := between(t, spoil(before(t, text), c.spoilt), after(t, text, 1.2), verdict.Options{})
		v := got.Verdicts[0]
		if v.N != c.n || v.Cells != 4 || !strings.HasSuffix(got.Sentences[0], c.want) || (v.Level > 0) != (c.n >= 6) || v.A > 1100 {
			t.Errorf("%d spoilt: %q, %+v", c.spoilt, got.Sentences, v)
		}
	}
	b := until(after(t, text, 1.2), 6)
	if got := between(t, before(t, text), b, verdict.Options{}); got.Verdicts[0].Outcome != "" || got.Verdicts[0].Level != 0 || got.Look != nil ||
		!hasNote(got.Warnings, "unfinished", "") || !strings.HasSuffix(got.Sentences[0], "6 repeats): no verdict yet") {
		t.Errorf("not complete: %q, %+v", got.Sentences, got.Verdicts[0])
	}
}

// TestBetweenRecordsThatEndedEarly checks that there is neither outcome nor interval if a
// record ended at the look that decided it; a record that could have stopped early but ran to
// its end is treated like any other.
func TestBetweenRecordsThatEndedEarly(t *testing.T) {
	text := file("repeats: 20", "stop: decided", "environments: {disk: {}, memory: {}}")
	for _, which := range []int{0, 1, 2} {
		a, b := before(t, text), after(t, text, 1.2)
		for i, rec := range []*record.Record{a, b} {
			if which == i {
				until(rec, 8)
				rec.Summary.State, rec.Summary.Reason = record.Complete, "decided at the look after repeat 8"
			}
		}
		got := between(t, a, b, verdict.Options{})
		early := which < 2
		for _, v := range got.Verdicts {
			if v.Asked && (v.Outcome == record.Inconclusive) != early || (v.Level == 0) != early {
				t.Errorf("%d: %+v", which, v)
			}
		}
		if hasNote(got.Warnings, "stopped-early", "stopped at the look that decided it") != early || !hasNote(got.Warnings, "not-declared", "these two records") {
			t.Errorf("%d: %+v", which, got.Warnings)
		}
	}
}

// TestBetweenWhatIsMissing checks that a run without a number prevents a verdict, and
// that losing more than a third of the repeats makes it invalid.
func TestBetweenWhatIsMissing(t *testing.T) {
	for _, c := range []struct {
		lost, unusable int
		word           record.Outcome
		rule, note     string
	}{
		{0, 0, record.Better, "unpaired", ""},
		{0, 1, record.Inconclusive, "no-number", "1 repeat is left out: a run there has no comparable value for TPS"},
		{4, 0, record.Better, "blocks-lost", "4 of 12 repeats of before are left out: a cell has no valid run in them"},
		{5, 0, record.Unfit, "blocks-lost", "5 of 12 repeats of before are left out"},
	} {
		a := before(t, file(alone, "repeats: 12"))
		for i := range a.Runs {
			switch run := &a.Runs[i]; {
			case run.Repeat <= c.lost:
				run.Status = record.Invalid
			case run.Repeat <= c.lost+c.unusable:
				run.Result.TPS = 0
			}
		}
		a.Runs = append(a.Runs, again(a.Runs, func(run record.Run) bool { return run.Status != record.Valid })...)
		got := between(t, a, after(t, file(alone, "repeats: 12"), 1.2), verdict.Options{})
		v := got.Verdicts[0]
		if v.Outcome != c.word || v.N != 12-c.lost-c.unusable || !hasNote(append(got.Warnings, v.Warnings...), c.rule, c.note) || (v.Level > 0) != (c.word == record.Better) {
			t.Errorf("%+v: %+v", c, v)
		}
	}
}

// TestBetweenBlocks checks that a block that is invalid in one environment of a record is
// left out in its others, too.
func TestBetweenBlocks(t *testing.T) {
	a := before(t, file("repeats: 7"))
	for i := range a.Runs {
		if run := &a.Runs[i]; run.Repeat == 2 && run.Environment == "memory" {
			run.Status = record.Invalid
		}
	}
	if v := between(t, a, after(t, file(alone, "repeats: 7"), 1), verdict.Options{}).Verdicts[0]; v.N != 6 || v.Other != "after" {
		t.Errorf("%+v", v)
	}
}

// TestBetweenFewest checks that six repeats are too few for many comparisons.
func TestBetweenFewest(t *testing.T) {
	var environments []string
	for i := range 40 {
		environments = append(environments, fmt.Sprintf("e%d: {}", i))
	}
	text := file("environments: {" + strings.Join(environments, ", ") + "}")
	got := between(t, before(t, text), after(t, text, 1.2), verdict.Options{})
	if got.Fewest.Workload != 7 || got.Verdicts[0].Outcome != record.Inconclusive || !strings.HasSuffix(got.Sentences[0], "too few for a verdict") {
		t.Errorf("%+v, %s", got.Fewest, got.Sentences[0])
	}
}

// TestBetweenRepeatsOfSeveralWorkloads checks that Repeats counts those of the workload
// with the most.
func TestBetweenRepeatsOfSeveralWorkloads(t *testing.T) {
	a, b := before(t, file(alone, twoByTwo)), after(t, file(alone, twoByTwo), 1)
	for i := range a.Runs {
		if a.Runs[i].Workload == "select-only" {
			a.Runs[i].Status = record.Failed
		}
	}
	got := between(t, a, b, verdict.Options{})
	if got.Repeats != 6 || got.Look.Repeat != 6 || got.Decided() {
		t.Errorf("%+v", got)
	}
}

func TestBetweenMetricsAndMargin(t *testing.T) {
	margin := 0.3
	got := between(t, before(t, file(alone)), after(t, file(alone), 1.2), verdict.Options{Metrics: []string{"p99", "tps"}, Margin: &margin})
	if len(got.Verdicts) != 2 || got.Verdicts[0].Outcome != record.Equivalent || got.Verdicts[1].Outcome != record.Equivalent || got.Plan.Margin != 0.3 {
		t.Errorf("%+v", got.Verdicts)
	}
}

// TestBetweenStores checks that records of the same name are shown by their paths.
func TestBetweenStores(t *testing.T) {
	a, b := before(t, file(alone)), after(t, file(alone), 1.2)
	b.Path = "elsewhere/before"
	got := between(t, a, b, verdict.Options{})
	if v := got.Verdicts[0]; v.Baseline != "results/before" || v.Other != "elsewhere/before" {
		t.Errorf("%+v", v)
	}
	b.Path = "results/../results/before"
	_, err := verdict.Between(a, b, verdict.Options{}, parity)
	wantError(t, "itself", err, "cannot compare record before with itself", "give two different records")
}

// TestRecordsThatDiffer checks that every difference beyond storage is named.
func TestRecordsThatDiffer(t *testing.T) {
	const turns = "put both into one experiment, whose runs are interleaved"
	const differs = "cannot compare before with after: more than the storage differs:\n  "
	for _, c := range []struct {
		name   string
		text   string
		change func(*record.Record)
		want   string
		hint   string
	}{
		{"engine", "", func(r *record.Record) { r.Summary.Engine = "redis" },
			"cannot compare: before is of postgres, after of redis", "compare records of the same engine"},
		{"environments", file("environments: {a: {}, b: {}}"), nil,
			"cannot compare: before has disk, after has a, b", "the records must have an environment of the same name, or only one environment each"},
		{"cells", file(alone, "clients: 2"), nil,
			"cannot compare before with after: they have no cell in common", "both records need a workload with the same clients, threads and rate"},
		{"machine", "", func(r *record.Record) { r.Summary.Machine.MachineID, r.Summary.Machine.Kernel = "b", "6.2" },
			differs + "it is another machine (or its machine id was changed)\n  kernel: 6.1 then, 6.2 now", turns},
		{"server", "", func(r *record.Record) { r.Environments["disk"] = record.Environment{Schema: "x", Version: "16.4"} },
			differs + "before and after differ in version: 15.18 / 16.4", turns},
		{"scale and length of runs", file(alone, "dataset: {scale: 20}", "duration: 5s"), nil,
			differs + "dataset.scale: 10 in before, 20 in after\n  duration: 60s in before, 5s in after", turns},
		{"scale, once for all", file("environments: {disk: {}, memory: {}}", "dataset: {scale: 20}"), nil, differs + "dataset.scale: 10 in before, 20 in after", turns},
		{"settings", file(alone, "settings: {work_mem: 8MB}"), nil, differs + "settings.work_mem: not in before, 8MB in after", turns},
		{"settings of the environment", file("environments: {disk: {settings: {fsync: off}}}"), nil,
			differs + "settings.fsync: not in before, off in after", turns},
		{"load generator", "", func(r *record.Record) { r.Runs[0].Driver.Version = "16.4" },
			differs + "load generator: pgbench 15.18 in before, pgbench 15.18, pgbench 16.4 in after", turns},
		{"no description", "", func(r *record.Record) { r.Environments = nil },
			differs + "after has no description of the server of disk", turns},
		{"edited", "", func(r *record.Record) { r.ExperimentYAML = []byte("name: x") },
			"cannot compare: experiment.yaml of after was edited after the experiment began", "restore the record from a copy"},
	} {
		if c.text == "" {
			c.text = file(alone)
		}
		a, b := before(t, file(alone)), after(t, c.text, 1)
		if strings.Contains(c.text, "memory") {
			a = before(t, file("environments: {disk: {}, memory: {}}"))
		}
		for _, rec := range []*record.Record{a, b} {
			rec.Summary.Machine.MachineID, rec.Summary.Machine.Kernel = "a", "6.1"
		}
		if c.change != nil {
			c.change(b)
		}
		_, err := verdict.Between(a, b, verdict.Options{}, parity)
		wantError(t, c.name, err, c.want, c.hint)
	}
}

// TestBetweenNamed compares the named environment of each record, whatever else they have.
func TestBetweenNamed(t *testing.T) {
	a := before(t, file("environments: {disk: {}, memory: {}}"))
	b := after(t, file("environments: {memory: {}, nvme: {storage: {data: /mnt/nvme}}}", "cost: {region: us-west-2}"), 1.2)
	c := between(t, a, b, verdict.Options{Environments: []string{"disk", "nvme"}})
	if len(c.Verdicts) != 2 || c.Verdicts[0].Outcome != record.Better || c.Verdicts[0].Baseline != "before" || c.Verdicts[0].Other != "after" || c.Families.Workload != 1 {
		t.Errorf("%+v", c)
	}
	_, err := verdict.Between(a, b, verdict.Options{Environments: []string{"disk", "nvmee"}}, parity)
	wantError(t, "no such environment", err, `cannot compare: after has no environment "nvmee"`, "did you mean nvme?")
	_, err = verdict.Between(a, b, verdict.Options{Environments: []string{"disk"}}, parity)
	wantError(t, "one environment", err, "cannot compare 1 environments of two records", "give one environment of each record")
}

// TestWorkloadsOfTheSameNameMustBeTheSame checks that one record may have more workloads
// or cells than the other.
func TestWorkloadsOfTheSameNameMustBeTheSame(t *testing.T) {
	script := func(sql, more string) string {
		return file(alone, "workloads: [{name: mine, scripts: [{name: s, sql: "+sql+"}]}"+more+"]")
	}
	a := before(t, script("select 1", ""))
	_, err := verdict.Between(a, after(t, script("select 2", ""), 1), verdict.Options{}, parity)
	wantError(t, "script", err, "cannot compare before with after: more than the storage differs:\n"+
		"  workloads.mine.scripts.s.sql: select 1 in before, select 2 in after", "put both into one experiment, whose runs are interleaved")
	if got := between(t, a, after(t, script("select 1", ", tpcb-like"), 1), verdict.Options{}); len(got.Verdicts) != 2 || got.Verdicts[0].Outcome != record.Equivalent {
		t.Errorf("%+v", got.Verdicts)
	}
}
