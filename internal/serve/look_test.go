package serve

import (
	"testing"

	"plinth/internal/experiment/decode"
	"plinth/internal/experiment/encode"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// TestLook: how the sequential test stands, in words.
func TestLook(t *testing.T) {
	plan := func(unit string, looks ...int) *record.Plan {
		p := &record.Plan{Unit: unit}
		for _, repeat := range looks {
			p.Looks = append(p.Looks, record.Look{Repeat: repeat, Units: repeat})
		}
		return p
	}
	running := func(finished int, p *record.Plan) progress {
		return progress{plan: p, state: record.Running, finished: finished, repeats: 20, workloads: 1}
	}
	with := func(p progress, change func(*progress)) progress {
		change(&p)
		return p
	}
	three := plan("block", 8, 12, 20)
	complete := func(p *progress) { p.state = record.Complete }
	stopped := func(p *progress) { p.state = record.Interrupted }
	for name, c := range map[string]struct {
		progress
		want string
	}{
		"nothing is compared":       {running(3, nil), ""},
		"no looks":                  {running(3, plan("block")), ""},
		"at the start":              {running(0, three), "8 more repeats until the next look, at 8 blocks"},
		"some repeats":              {running(6, three), "2 more repeats until the next look, at 8 blocks"},
		"one more":                  {running(7, three), "1 more repeat until the next look, at 8 blocks"},
		"just looked":               {running(8, three), "4 more repeats until the next look, at 12 blocks"},
		"before the last":           {running(12, three), "8 more repeats until the last look, at 20 blocks"},
		"at the end":                {running(20, three), "the last look was at 20 blocks"},
		"one look":                  {running(2, plan("block", 6)), "4 more repeats until the only look, at 6 blocks"},
		"repeats are flipped":       {running(2, plan("repeat", 6)), "4 more repeats until the only look, at 6 repeats"},
		"one block":                 {running(0, plan("block", 1)), "1 more repeat until the only look, at 1 block"},
		"workloads":                 {with(running(6, three), func(p *progress) { p.workloads = 2 }), "2 more repeats until the next look, at 8 blocks of each workload"},
		"decided early":             {with(running(12, three), complete), "decided at the look at 12 blocks, after 12 of 20 repeats"},
		"complete":                  {with(running(20, three), complete), "the last look was at 20 blocks"},
		"complete without a repeat": {with(running(0, three), complete), "ended before its first look, at 8 blocks"},
		"interrupted":               {with(running(6, three), stopped), "stopped 2 repeats before the next look, at 8 blocks"},
	} {
		if got := c.look(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestProgressOfARecord counts complete repeats only.
func TestProgressOfARecord(t *testing.T) {
	e, _, err := decode.Parse("experiment.yaml", []byte(twoDisks), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	rec := &record.Record{ExperimentYAML: encode.YAML(e), Summary: record.Summary{State: record.Running, Plan: verdict.PlanOf(e)}}
	for _, c := range []struct {
		runs int
		want string
	}{
		{0, "8 more repeats until the next look, at 8 blocks"},
		{1, "8 more repeats until the next look, at 8 blocks"},
		{2, "7 more repeats until the next look, at 8 blocks"},
		{16, "4 more repeats until the next look, at 12 blocks"},
	} {
		rec.Runs = nil
		for n := range c.runs {
			rec.Runs = append(rec.Runs, record.Run{
				RunID: runID([]string{"disk", "memory"}[n%2], 1+n/2), Number: n + 1, Position: 1 + n%2, Status: record.Valid,
			})
		}
		if got := progressOf(rec).look(); got != c.want {
			t.Errorf("%d runs: %q, want %q", c.runs, got, c.want)
		}
	}
	rec.ExperimentYAML = []byte("workloads: [")
	if got := progressOf(rec).look(); got != "" {
		t.Errorf("of an experiment that cannot be read: %q", got)
	}
}
