package record

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record/files"
)

const fuzzDir = "runs/disk/tpcb-like/c10-j4/r01"

// FuzzDecode decodes run.json and record.json from memory; TestOpenRefuses covers damaged files.
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
		if files.Decode(data, SummarySchema, &summary) == nil && summary.Schema != SummarySchema {
			t.Errorf("a summary of schema %q was read", summary.Schema)
		}
		var run Run
		if files.Decode(data, RunSchema, &run) != nil || run.check(fuzzDir) != nil {
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

// FuzzParsePoints checks that parsed points can be drawn, and that the result does not depend on
// how the lines are split across reads.
func FuzzParsePoints(f *testing.F) {
	for _, seed := range []string{`{"second":1,"tps":900.5,"latency_ms":1.5,"failures":0}` + "\n" + `{}`, "null\n", `{"tps":1e300}`, "\n", `{"second":`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		points, err := parsePoints(data)
		if err != nil {
			return
		}
		for _, p := range points {
			if sum := (p.Second + p.TPS + p.LatencyMS) * 1e6; !(sum >= 0) || math.IsInf(sum, 0) || p.Failures < 0 {
				t.Errorf("point %+v", p)
			}
		}
		cut := bytes.IndexByte(data, '\n') + 1
		first, err1 := parsePoints(data[:cut])
		rest, err2 := parsePoints(data[cut:])
		if err1 != nil || err2 != nil || !slices.Equal(append(first, rest...), points) {
			t.Errorf("in two parts: %v, %v, %v, %v; want %v", first, err1, rest, err2, points)
		}
	})
}
