package figure

import (
	"errors"
	"testing"

	"plinth/internal/record"
	"plinth/internal/strictyaml"
)

// FuzzChecklist: whatever a file holds, there is a checklist with bounds for each of its
// items, or mistakes.
func FuzzChecklist(f *testing.F) {
	f.Add(string(published))
	f.Add("source: &a x\nitems: [*a, {title: *a}]")
	f.Add("source: x\nitems: [{title: y, figure: p99, unit: ms, good: below 1 (x), warning: 1 to 2, critical: no cache-hit (y)}]")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseChecklist("list.yaml", []byte(text))
		if err != nil {
			var wrong *strictyaml.Error
			if !errors.As(err, &wrong) || len(wrong.Mistakes) == 0 {
				t.Errorf("%v", err)
			}
			return
		}
		for _, item := range list.Check(&record.Run{}, "PostgreSQL") {
			if item.Title == "" || item.Bounds == "" || item.Grade != Unknown || item.Why == "" {
				t.Errorf("%+v", item)
			}
		}
	})
}
