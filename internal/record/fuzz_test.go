package record

import (
	"encoding/json"
	"math"
	"path/filepath"
	"testing"

	"plinth/internal/experiment"
)

const fuzzDir = "runs/disk/tpcb-like/c10-j4/r01"

// FuzzDecode reads run.json and record.json from memory; the table of damaged
// records goes through files.
func FuzzDecode(f *testing.F) {
	run := Run{Schema: RunSchema, Number: 1, Position: 1, Status: Valid}
	run.RunID = RunID{"disk", experiment.Cell{Workload: "tpcb-like", Clients: 10, Threads: 4}, 1, 1}
	for _, seed := range []any{run, Summary{Schema: SummarySchema, State: Running}} {
		data, err := json.Marshal(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var summary Summary
		if decode(data, SummarySchema, &summary) == nil && summary.Schema != SummarySchema {
			t.Errorf("a summary of schema %q was read", summary.Schema)
		}
		var run Run
		if decode(data, RunSchema, &run) != nil || run.check(fuzzDir) != nil {
			return
		}
		if !filepath.IsLocal(run.Path()) || run.Path() != fuzzDir {
			t.Errorf("the run leads to %s", run.Path())
		}
		if sum := run.Result.TPS * 1e6; math.IsInf(sum, 0) || math.IsNaN(sum) {
			t.Errorf("TPS is %g", run.Result.TPS)
		}
	})
}
