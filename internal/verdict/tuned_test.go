package verdict_test

import (
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

// TestRecordsTunedApart checks that two records of which one was tuned below the server
// differ in more than storage. A knob that does not apply was not tuned.
func TestRecordsTunedApart(t *testing.T) {
	tuned := func(path string, knobs ...record.Knob) *record.Record {
		rec := made(t, file("environments: {disk: {}}"), nil)
		rec.Path = path
		e := rec.Environments["disk"]
		e.Tuning = &record.Tuning{Knobs: knobs}
		rec.Environments["disk"] = e
		return rec
	}
	same := func(record.Environment, record.Environment) []record.Note { return nil }
	swappiness := record.Knob{Layer: "kernel", Key: "vm.swappiness", Value: "1"}
	for name, c := range map[string]struct {
		a, b *record.Record
		want string
	}{
		"alike":          {tuned("a", swappiness), tuned("b", swappiness), ""},
		"one of them":    {tuned("a", swappiness), tuned("b"), "vm.swappiness: 1 in a, not tuned in b"},
		"not applicable": {tuned("a", record.Knob{Layer: "cpu", Key: "scaling_governor", NotApplicable: "no such thing"}), tuned("b"), ""},
		"a setting":      {tuned("a", record.Knob{Layer: "server", Key: "work_mem", Value: "32MB"}), tuned("b"), ""}, // left to parity
	} {
		_, err := verdict.Between(c.a, c.b, verdict.Options{}, same)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
