package validity

import (
	"encoding/json"
	"reflect"
	"testing"

	"plinth/internal/record"
)

// FuzzJudge: a record may come from an untrusted source. Whatever its runs hold, judging
// them is deterministic, and every note has a rule and a text.
func FuzzJudge(f *testing.F) {
	whole, err := json.Marshal(sound().Run)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"clients": -1, "threads": 0, "rate": 1e308, "result": {"loop": "closed", "duration_s": 1e-300,
		"transactions": 9223372036854775807, "failures": 1, "skipped": -5, "latency": {"mean_ns": -1e300}}}`))
	f.Add([]byte(`{"evidence": {"covered_s": 1e-300, "load_s": -1, "machine": {"cpus": -3, "others_io_bytes": 9223372036854775807,
		"others_cpu_s": 1e308, "throttled_s": 1e308, "swapped_in_pages": 9223372036854775807}, "gaps": [{}], "neighbours": [{}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var run record.Run
		if json.Unmarshal(data, &run) != nil {
			return
		}
		c := sound()
		c.Run = &run
		reasons, warnings := Judge(c)
		again, warnedAgain := Judge(c)
		if !reflect.DeepEqual(reasons, again) || !reflect.DeepEqual(warnings, warnedAgain) {
			t.Errorf("judged differently the second time: %v %v, %v %v", reasons, warnings, again, warnedAgain)
		}
		b := Beside(c.Experiment, nil, []record.Run{*sound().Run, run})
		for _, notes := range [][]record.Note{reasons, warnings, b.Reasons, b.Warnings} {
			for _, note := range notes {
				if note.Rule == "" || note.Text == "" {
					t.Errorf("an empty note: %+v", note)
				}
			}
		}
	})
}
