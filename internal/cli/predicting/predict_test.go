package predicting

import (
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/instance"
	"plinth/internal/prediction"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// TestNoCell: if there is no run to predict from, the message says which runs there are.
func TestNoCell(t *testing.T) {
	plain, fixed := experiment.Cell{Workload: "w", Clients: 1}, experiment.Cell{Workload: "w", Clients: 1, Rate: 100}
	of := func(c experiment.Cell, status record.Status) record.Run {
		return record.Run{RunID: record.RunID{Environment: "here", Cell: c, Repeat: 1}, Status: status}
	}
	for name, tc := range map[string]struct {
		runs       []record.Run
		want, hint string
	}{
		"none":       {nil, "here has no runs", "plinth show"},
		"invalid":    {[]record.Run{of(plain, record.Invalid)}, "here has no valid run", "plinth run --resume repeats them"},
		"fixed rate": {[]record.Run{of(fixed, record.Valid)}, "had a fixed rate", "predict from a run without rate"},
		"another":    {[]record.Run{of(plain, record.Valid)}, "here has no valid run of x", "measured workloads: w"},
	} {
		_, err := predictFlags{workload: "x"}.cells(&record.Record{Runs: tc.runs}, "here")
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(hint.Of(err), tc.hint) {
			t.Errorf("%s: %v, hint: %s", name, err, hint.Of(err))
		}
	}
}

// TestInMemory: an instance that has not enough memory for a dataset that was in memory is refused.
func TestInMemory(t *testing.T) {
	flags := predictFlags{fromType: "large", instance: "small"}
	large, small := instance.Instance{Memory: 64 * unit.GiB}, instance.Instance{Memory: 4 * unit.GiB}
	for name, tc := range map[string]struct {
		dataset, limit unit.Size
		from, to       instance.Instance
		granted        int
		refused        bool
	}{
		"does not fit":         {30 * unit.GiB, 0, large, small, 0, true},
		"never fitted":         {90 * unit.GiB, 0, large, small, 1, false},
		"fits":                 {2 * unit.GiB, 0, large, small, 1, false},
		"as limited":           {30 * unit.GiB, 2 * unit.GiB, large, small, 0, false},
		"limited to more":      {30 * unit.GiB, 40 * unit.GiB, large, small, 0, true},
		"the same memory":      {30 * unit.GiB, 0, large, large, 0, false},
		"more than was needed": {2 * unit.GiB, 0, small, large, 1, false},
	} {
		e := record.Environment{Dataset: record.Dataset{Bytes: int64(tc.dataset)}}
		if tc.limit > 0 {
			e.Limits = &record.Limits{Memory: int64(tc.limit)}
		}
		var q prediction.Question
		err := flags.inMemory(&q, e, tc.from, tc.to)
		if (err != nil) != tc.refused || len(q.Granted) != tc.granted {
			t.Errorf("%s: %v, %q", name, err, q.Granted)
		}
	}
}
