package validity

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// sound returns a valid run of a minute on 4 CPUs without warnings. Each trial changes one
// thing.
func sound() Case {
	e := &experiment.Experiment{
		Engine:  "postgres",
		Connect: "once",
		Workloads: []experiment.Workload{
			{Name: "tpcb-like", Scripts: []experiment.Script{{Builtin: "tpcb-like"}}},
			{Name: "select-only", Scripts: []experiment.Script{{Builtin: "select-only"}}},
		},
	}
	run := &record.Run{
		RunID: record.RunID{Environment: "disk", Cell: experiment.Cell{Workload: "tpcb-like", Clients: 8, Threads: 2}},
		Result: record.Result{Loop: "closed", Duration: 60, Transactions: 60_000, TPS: 1000,
			Latency: record.Latency{Mean: 7.9e6, Max: 60_000_000}},
		Evidence: &record.Evidence{
			Covered:   60,
			Load:      70,
			Machine:   record.MachineEvidence{CPUs: 4, User: 60, System: 40, Idle: 120, IOWait: 20},
			Generator: record.GeneratorEvidence{Covered: 60, Threads: 2, CPU: 60, Waiting: 10},
			Server:    record.ServerEvidence{Counts: postgresCounts(0, 1, 0)},
			Neighbours: []record.NeighbourEvidence{
				{Environment: "memory", Counts: postgresCounts(0, 1, 0)}, {Environment: "nfs", Counts: postgresCounts(0, 1, 0)},
			},
		},
	}
	return Case{Experiment: e, Run: run, Points: steadyPoints(60)}
}

func postgresCounts(timed, requested, autovacuums int64) map[string]int64 {
	return map[string]int64{
		record.CheckpointsTimed: timed, record.CheckpointsRequested: requested, record.Autovacuums: autovacuums,
	}
}

// steadyPoints returns a warm-up of ten seconds with rising TPS, then n steady seconds.
func steadyPoints(n int) record.Points {
	return points(n, func(second int) float64 { return 1000 + float64(second%2) })
}

func points(n int, tps func(second int) float64) record.Points {
	second, column := record.Column{Name: "second"}, record.Column{Name: "tps"}
	for s := -10; s < n; s++ {
		second.Values = append(second.Values, float64(s))
		if s < 0 {
			column.Values = append(column.Values, float64(100*(10+s)))
		} else {
			column.Values = append(column.Values, tps(s))
		}
	}
	return record.Points{Columns: []record.Column{second, column}}
}

// trial changes a sound case. Want lists the names of the rules that it then breaks; those
// that make it invalid end with "!". Text is part of the first note's text.
type trial struct {
	name   string
	change func(*Case)
	want   string
	text   string
}

// trials returns the trials of all groups of rules.
func trials() []trial {
	return slices.Concat(loadTrials, generatorTrials, apartTrials, serverTrials, redisTrials, machineTrials, windowTrials, missingTrials, emulationTrials, eventTrials, storageTrials, saidTrials)
}

func TestJudge(t *testing.T) {
	for _, try := range trials() {
		t.Run(try.name, func(t *testing.T) {
			c := sound()
			try.change(&c)
			reasons, warnings := Judge(c)
			if got := rulesOf(reasons, warnings); got != try.want {
				t.Fatalf("got %q, want %q: %+v", got, try.want, slices.Concat(reasons, warnings))
			}
			if all := slices.Concat(reasons, warnings); len(all) > 0 && !strings.Contains(all[0].Text, try.text) {
				t.Errorf("text %q lacks %q", all[0].Text, try.text)
			}
		})
	}
}

func rulesOf(reasons, warnings []record.Note) string {
	var names []string
	for _, note := range reasons {
		names = append(names, note.Rule+"!")
	}
	for _, note := range warnings {
		names = append(names, note.Rule)
	}
	return strings.Join(names, " ")
}

// TestEachRuleHasATrial checks that some trial breaks each rule alone.
func TestEachRuleHasATrial(t *testing.T) {
	broken := map[string]bool{}
	for _, try := range trials() {
		broken[try.want] = true
	}
	for _, r := range reasonRules {
		if !broken[r.name+"!"] {
			t.Errorf("nothing breaks %s, which makes a run invalid", r.name)
		}
	}
	for _, r := range warningRules {
		if !broken[r.name] {
			t.Errorf("nothing breaks %s", r.name)
		}
	}
}

// TestNeedsAreFigures checks that each need is a JSON name of Evidence. Any other would never
// be found in its gaps.
func TestNeedsAreFigures(t *testing.T) {
	names := jsonNames("", reflect.TypeFor[record.Evidence]())
	for _, r := range slices.Concat(reasonRules, warningRules) {
		for _, need := range r.needs {
			if !slices.Contains(names, need) {
				t.Errorf("%s needs %s; the figures are %v", r.name, need, names)
			}
		}
	}
}

// counts lists the counts that servers may report.
var counts = []string{
	record.CheckpointsTimed, record.CheckpointsRequested, record.Autovacuums,
	record.RDBSaves, record.AOFRewrites, record.EvictedKeys,
}

func jsonNames(prefix string, typ reflect.Type) []string {
	var names []string
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, prefix+name)
		inside := f.Type
		if inside.Kind() == reflect.Slice {
			inside = inside.Elem()
		}
		switch inside.Kind() {
		case reflect.Struct:
			names = append(names, jsonNames(prefix+name+".", inside)...)
		case reflect.Map:
			for _, count := range counts {
				names = append(names, prefix+name+"."+count)
			}
		}
	}
	return names
}

// TestWithoutEvidence: an old record is judged by the data that it has, and gets no warning
// about evidence that did not exist at its time.
func TestWithoutEvidence(t *testing.T) {
	c := sound()
	c.Run.Evidence = nil
	c.Run.Result.Failures = 1
	reasons, warnings := Judge(c)
	if got := rulesOf(reasons, warnings); got != "failures!" {
		t.Errorf("got %q", got)
	}
}

// TestEmptyCase: a record may hold anything; an empty one breaks no rule.
func TestEmptyCase(t *testing.T) {
	c := Case{Experiment: &experiment.Experiment{}, Run: &record.Run{Evidence: &record.Evidence{}}}
	reasons, warnings := Judge(c)
	if got := rulesOf(reasons, warnings); got != "" {
		t.Errorf("got %q", got)
	}
}
