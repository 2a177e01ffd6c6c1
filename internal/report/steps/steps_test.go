package steps_test

import (
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/show"
	"plinth/internal/report/steps"
	"plinth/internal/report/summary"
	"plinth/internal/verdict"
)

// numbersOf returns the numbers of a record and its comparison.
func numbersOf(t *testing.T, rec *record.Record) (*show.Numbers, *verdict.Comparison) {
	t.Helper()
	numbers, err := show.Gather(rec, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	c, err := verdict.Of(rec, verdict.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return numbers, c
}

// TestStepTable compares the step table with golden files: in 80 columns, as at the end of a
// run, and for a pull request.
func TestStepTable(t *testing.T) {
	rec := reporttest.InSteps(t, 7)
	reporttest.Golden(t, filepath.Join("testdata", "steps.txt"), reporttest.Written(t, rec, "text", summary.Options{}))
	reporttest.Golden(t, filepath.Join("testdata", "steps-narrow.txt"), reporttest.Written(t, rec, "text", summary.Options{Width: 40}))
	text := reporttest.Written(t, rec, "text", summary.Options{Brief: true})
	for _, line := range strings.Split(text, "\n") {
		if len([]rune(line)) > 80 {
			t.Errorf("%d columns: %s", len([]rune(line)), line)
		}
	}
	numbers, c := numbersOf(t, rec)
	reporttest.Golden(t, filepath.Join("testdata", "steps.md"), steps.Of(numbers, rec, c).Document(numbers).Markdown())
}

// TestStepsAreDecided checks that declared comparisons have the verdict of the comparison,
// steps in between a separate one, and the rest none.
func TestStepsAreDecided(t *testing.T) {
	rec := reporttest.InSteps(t, 7)
	c, err := verdict.Of(rec, verdict.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var show summary.Summary
	if err := json.Unmarshal([]byte(reporttest.Written(t, rec, "json", summary.Options{})), &show); err != nil {
		t.Fatal(err)
	}
	if show.Steps == nil || len(show.Steps.Steps) != 4 || show.Ablation != nil {
		t.Fatalf("%+v", show.Steps)
	}
	for _, step := range show.Steps.Steps {
		for _, v := range step.AgainstBaseline {
			at := slices.IndexFunc(c.Verdicts, func(o record.Verdict) bool {
				return o.Workload == v.Workload && o.Other == v.Other && o.Metric == v.Metric && v.Clients == 0
			})
			switch {
			case v.Metric == "tps" && v.Workload != "" && (at < 0 || c.Verdicts[at].Outcome != v.Outcome || c.Verdicts[at].Low != v.Low):
				t.Errorf("%s: %+v, the comparison has another", step.Name, v)
			case (v.Metric != "tps" || v.Workload == "") && v.Outcome != "":
				t.Errorf("%s: nobody declared %+v", step.Name, v)
			}
		}
	}
	if s := show.Steps.Steps[2]; s.NotApplicable == "" || s.Name != "governor" || len(s.AgainstPrevious) > 0 {
		t.Errorf("what was not measured stands in its place: %+v", s)
	}
	server := show.Steps.Steps[3]
	if server.Previous != "kernel" {
		t.Errorf("the step before is %q", server.Previous)
	}
	for _, v := range server.AgainstPrevious {
		if v.Metric == "tps" && v.Workload == "tpcb-like" && (v.Outcome != record.Better || v.Baseline != "kernel" || v.Effect < 0.12 || v.Effect > 0.17) {
			t.Errorf("1.6 against 1.4: %+v", v)
		}
	}
}

// TestStepsWithEveryPair checks that with compare: all the verdicts against the step before are the
// declared ones, and that the text says so.
func TestStepsWithEveryPair(t *testing.T) {
	rec := reporttest.InSteps(t, 7, "compare: all")
	numbers, c := numbersOf(t, rec)
	table := steps.Of(numbers, rec, c)
	if table.Declared != 9 || table.Own != 0 || table.FewestOwn != table.Fewest || len(c.OtherPairs) == 0 {
		t.Fatalf("%d declared, %d others, %d and %d units, %+v", table.Declared, table.Own, table.Fewest, table.FewestOwn, c.OtherPairs)
	}
	for _, v := range c.OtherPairs {
		if v.Metric == table.Metric && !slices.ContainsFunc(table.Steps[3].AgainstPrevious, func(o record.Verdict) bool {
			return o.Workload == v.Workload && o.Outcome == v.Outcome && o.Level == v.Level && o.Baseline == "kernel"
		}) {
			t.Errorf("the table has another verdict than %+v", v)
		}
	}
	text := strings.Join(strings.Fields(reporttest.Written(t, rec, "text", summary.Options{})), " ")
	for _, want := range []string{"Against the step before", "every pair by TPS: 9 comparisons, declared before the first run, share the 5 % error rate"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	if strings.Contains(text, "undeclared") {
		t.Errorf("every pair is declared:\n%s", text)
	}
}

// TestCliff checks the depth, the number of runs, and the effect of each step.
func TestCliff(t *testing.T) {
	var show summary.Summary
	if err := json.Unmarshal([]byte(reporttest.Written(t, reporttest.InSteps(t, 7), "json", summary.Options{})), &show); err != nil {
		t.Fatal(err)
	}
	of := func(step int) steps.Cliff {
		cliffs := show.Steps.Steps[step].Cliffs
		return cliffs[slices.IndexFunc(cliffs, func(c steps.Cliff) bool { return c.Workload == "tpcb-like" })]
	}
	first, kernel, last := of(0), of(1), of(3)
	if first.Seen != 14 || first.Runs != 14 || first.Depth.Median < 0.5 || first.Depth.Median > 0.6 || first.Second.Min != 20 || first.Second.Max != 22 || first.Change != nil {
		t.Errorf("%+v", first)
	}
	if kernel.Change == nil || !kernel.Change.Difference || kernel.Change.Effect > -0.2 || kernel.Change.Effect < -0.3 || kernel.Change.Outcome != "" {
		t.Errorf("%+v", kernel.Change)
	}
	if last.Seen != 0 || last.Depth != nil || last.Change == nil || last.Change.Effect > -0.5 {
		t.Errorf("%+v", last)
	}
	calm := reporttest.InSteps(t, 2)
	for i := range calm.Runs {
		calm.Runs[i].Figures["tps-drop"] = 0
	}
	if text := reporttest.Written(t, calm, "text", summary.Options{}); strings.Count(text, "no cliff: in none of 12 runs did") != 3 {
		t.Errorf("nothing fell:\n%s", text)
	}
}

// TestFewBlocksHaveTheEffectAlone checks that the effect is shown with the number of blocks
// that a verdict needs.
func TestFewBlocksHaveTheEffectAlone(t *testing.T) {
	text := reporttest.Written(t, reporttest.InSteps(t, 1), "text", summary.Options{})
	for _, want := range []string{"effect only", "Range"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	for _, bad := range []string{"better", "worse"} {
		if _, table, _ := strings.Cut(text, "Against the step before"); strings.Contains(strings.Split(table, "The cliff")[0], " "+bad) {
			t.Errorf("a word of one repeat:\n%s", text)
		}
	}
}

// TestStepsBesideAComparison checks that compare shows the table if it compares all steps, and
// that its CSV includes the steps in between.
func TestStepsBesideAComparison(t *testing.T) {
	rec := reporttest.InSteps(t, 7)
	for _, c := range []struct {
		environments []string
		there        bool
	}{{nil, true}, {[]string{"default", "kernel"}, false}} {
		comparison, err := verdict.Of(rec, verdict.Options{Environments: c.environments})
		if err != nil {
			t.Fatal(err)
		}
		text := reporttest.Compared(t, comparison, "text", summary.Options{Records: []*record.Record{rec}})
		if strings.Contains(text, "Key change") != c.there {
			t.Errorf("of %v the table of steps is there: %v", c.environments, !c.there)
		}
		json := reporttest.Compared(t, comparison, "json", summary.Options{Records: []*record.Record{rec}})
		if strings.Contains(json, `"against_previous"`) != c.there || !strings.Contains(json, verdict.Schema) {
			t.Errorf("of %v JSON has it: %v", c.environments, !c.there)
		}
		rows, err := csv.NewReader(strings.NewReader(reporttest.Compared(t, comparison, "csv", summary.Options{Records: []*record.Record{rec}}))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		between := slices.ContainsFunc(rows, func(row []string) bool { return row[6] == "kernel" && row[7] == "server" && row[17] == "better" })
		if between != c.there {
			t.Errorf("of %v CSV has server against kernel: %v", c.environments, between)
		}
	}
}

// TestStepsOfAnotherKindOfRecord checks that a record without steps has no table, and that one
// with an edited experiment has only its means.
func TestStepsOfAnotherKindOfRecord(t *testing.T) {
	if text := reporttest.Written(t, reporttest.WellDecided(t), "text", summary.Options{}); strings.Contains(text, "Key change") {
		t.Error("it has no steps")
	}
	edited := reporttest.InSteps(t, 7)
	edited.ExperimentYAML = append(edited.ExperimentYAML, "\n# edited\n"...)
	text := reporttest.Written(t, edited, "text", summary.Options{})
	if !strings.Contains(text, "early flushing") || strings.Contains(text, "Against the step before") {
		t.Errorf("what can be compared of it:\n%s", text)
	}
}
