package running

import (
	"os"
	"path/filepath"
	"testing"

	"plinth/internal/experiment/decode"
	"plinth/internal/experiment/encode"
	"plinth/internal/stats"
	"plinth/internal/verdict"
)

// TestItselfOnTwoMachines checks that the second environment is on the other machine of an experiment.
func TestItselfOnTwoMachines(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "two.yaml")
	const text = "name: two\nworkloads: [select-only]\nenvironments:\n  a: {at: ssh://db1, storage: {data: /mnt/nvme}}\n  b: {at: ssh://db1, storage: {data: /mnt/x}}\n  c: {at: ssh://db2, storage: {data: /mnt/y}, settings: {work_mem: 1MB}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	e, _, err := load(selfPrefix+file, nil)
	if err != nil {
		t.Fatal(err)
	}
	again := e.Environments[1]
	if len(e.Environments) != 2 || again.Name != "a-again" || again.At.SSH != "ssh://db2" || again.Storage.Data.Directory != "/mnt/y" || again.Settings != nil {
		t.Errorf("%+v", e.Environments)
	}
	if want := "How much do identical environments differ between ssh://db1 and ssh://db2?"; e.Question != want {
		t.Errorf("it asks %q", e.Question)
	}
}

// TestItselfHasEnoughRepeats checks that an experiment compared with itself repeats often enough
// for a verdict on each workload, unless the user sets the number of repeats.
func TestItselfHasEnoughRepeats(t *testing.T) {
	file := filepath.Join(t.TempDir(), "two.yaml")
	const text = "name: two\nrepeats: 2\nworkloads: [select-only, tpcb-like, simple-update]\nenvironments: {one: {}, two: {}}\nbaseline: one\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		source string
		sets   []string
		want   int
	}{
		{file, nil, 7},
		{file, []string{"repeats=3"}, 3},
		{file, []string{"repeats=12"}, 12},
		{"quickstart", nil, 7},
	} {
		e, _, err := load(selfPrefix+tc.source, tc.sets)
		if err != nil {
			t.Fatal(err)
		}
		plan := verdict.PlanOf(e)
		last := plan.Looks[len(plan.Looks)-1]
		if least := stats.Fewest(last.Alpha, plan.Family); e.Repeats != tc.want || tc.sets == nil && last.Units < least {
			t.Errorf("%s %v: %d repeats, %d units of %d; want %d repeats", tc.source, tc.sets, e.Repeats, last.Units, least, tc.want)
		}
	}
}

// TestItselfOfAnAblation checks that the experiment that is recorded can be read again: two environments are neither
// steps nor an ablation.
func TestItselfOfAnAblation(t *testing.T) {
	file := filepath.Join(t.TempDir(), "parts.yaml")
	for _, text := range []string{
		"ablate: screen\nenvironments: {tuned: {tuning: [{name: mine, settings: [{knob: work_mem, value: 8MB, group: a}, {knob: commit_delay, value: 9, group: b}, {knob: bgwriter_delay, value: 10ms, group: c}]}]}}\n",
		"environments: {one: {}}\nsteps: [{name: two, settings: {work_mem: 8MB}}]\n",
	} {
		if err := os.WriteFile(file, []byte("workloads: [select-only]\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		e, _, err := load(selfPrefix+file, nil)
		if err != nil {
			t.Fatal(err)
		}
		if again, _, err := decode.Parse("experiment.yaml", encode.YAML(e), "", nil); err != nil || len(again.Environments) != 2 {
			t.Errorf("%s: %v", text, err)
		}
	}
}
