package environment

import (
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
)

// LeftOut lists the environments that were not measured, with the reason. It is empty if there are none, and
// for steps and parts of a tuning, whose tables have them in their places.
func LeftOut(rec *record.Record) prose.List {
	e, err := rec.Experiment()
	if err != nil || len(rec.Summary.LeftOut) == 0 || len(e.Steps) > 0 || e.Ablate != "" {
		return nil
	}
	var lines prose.List
	for _, l := range rec.Summary.LeftOut {
		lines = append(lines, prose.Clean(l.Environment+" was not measured: "+strings.TrimSpace(l.Reason)))
	}
	return lines
}
