package running

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"plinth/internal/cli/base"
	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/record/recordtest"
	"plinth/internal/runner/preview"
	"plinth/internal/runner/tuning"
	"plinth/internal/verdict"
)

// TestPreviewDocument checks docs/record.md against the JSON of a dry run.
func TestPreviewDocument(t *testing.T) {
	recordtest.CheckDocument(t, "../../../docs/record.md", map[string]reflect.Type{
		"Preview":            reflect.TypeFor[previewDocument](),
		"PreviewRun":         reflect.TypeFor[previewRun](),
		"PreviewEnvironment": reflect.TypeFor[previewEnvironment](),
		"PreviewDisk":        reflect.TypeFor[previewDisk](),
		"Power":              reflect.TypeFor[verdict.Power](),
		"Need":               reflect.TypeFor[verdict.Need](),
		"Plan":               reflect.TypeFor[record.Plan](),
		"Look":               reflect.TypeFor[record.Look](),
		"Fewest":             reflect.TypeFor[verdict.Fewest](),
		"Note":               reflect.TypeFor[record.Note](),
		"TunedEnvironment":   reflect.TypeFor[tuning.Environment](),
		"Knob":               reflect.TypeFor[record.Knob](),
		"LeftOut":            reflect.TypeFor[record.LeftOut](),
		"FormTime":           reflect.TypeFor[formTime](),
	})
}

func TestNewPreview(t *testing.T) {
	e := experimentOf(t, "environments: {disk: {}, memory: {}}\nworkloads: [tpcb-like]\nclients: [1, 8]\nthreads: [1]\nrepeats: 8\n")
	p := preview.Preview{Schedule: e.Schedule(), LoadTime: 610 * time.Millisecond, RunTime: 2 * time.Second}
	noise := []record.Noise{{Workload: "tpcb-like", Metric: "tps", PairSD: 0.05, BlockTime: 9}}
	got := newPreview(e, p, []string{"aa"}, noise, []experiment.Warning{{Rule: "short", Text: "runs are short"}})
	if got.LoadTime != 0.61 || got.RunTime != 2 {
		t.Errorf("load %v, run %v: they are seconds", got.LoadTime, got.RunTime)
	}
	if len(got.Order) != 32 || got.Order[31].Number != 32 || got.Order[31].Repeat != 8 || got.Order[0].Workload != "tpcb-like" {
		t.Errorf("order: %+v", got.Order)
	}
	if got.Plan == nil || got.Plan.Looks[len(got.Plan.Looks)-1].Units != 16 || *got.Fewest != (verdict.Fewest{Workload: 6, Cell: 7}) {
		t.Errorf("plan %+v, fewest %+v", got.Plan, got.Fewest)
	}
	if len(got.Power) != 1 || !got.Power[0].Possible || got.Power[0].Units != 16 {
		t.Errorf("power: %+v", got.Power)
	}
	if len(got.Warnings) != 1 || got.Warnings[0].Rule != "short" {
		t.Errorf("warnings: %+v", got.Warnings)
	}
}

func TestPreviewOfOneEnvironment(t *testing.T) {
	e := experimentOf(t, "environments: {disk: {}}\nworkloads: [tpcb-like]\n")
	got := newPreview(e, preview.Preview{Schedule: e.Schedule()}, nil, nil, nil)
	if got.Plan != nil || got.Fewest != nil || got.Power != nil {
		t.Errorf("one environment has a plan: %+v", got)
	}
}

// TestOrderFits checks that long names of cells and environments do not exceed the terminal's
// width.
func TestOrderFits(t *testing.T) {
	const long = "replicated-block-storage-in-three-zones-with-ext4-or-xfs"
	cell := experiment.Cell{Workload: "a-mix-of-nine-reads-and-one-write-by-hand", Clients: 100, Threads: 8}
	var out bytes.Buffer
	a := &app{&base.App{Stdout: &out}}
	a.printOrder(experiment.Schedule{{{Repeat: 1, Cell: cell, Environment: long}, {Repeat: 1, Cell: cell, Environment: "disk"}}})
	for line := range strings.Lines(out.String()) {
		if utf8.RuneCountInString(line) > 81 {
			t.Errorf("too wide: %s", line)
		}
	}
	if flat := strings.Join(strings.Fields(out.String()), " "); flat != "repeat 1 1 "+cell.Path()+": "+long+", disk" {
		t.Errorf("%s", &out)
	}
}
