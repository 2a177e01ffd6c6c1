package environment

import (
	"fmt"
	"slices"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// Emulated reports the accuracy of emulated devices: the latency of single operations just
// before each run, and the lateness of the load's operations. It returns nil without emulated
// devices.
func Emulated(rec *record.Record, environments []string) prose.Document {
	t := prose.Table{Title: "", Keys: 2, Columns: []prose.Column{
		{Title: "Environment"}, {Title: "Volume"}, {Title: "Write, model", Right: true}, {Title: "measured", Right: true},
		{Title: "Read, model", Right: true}, {Title: "measured", Right: true}, {Title: "Late, mean", Right: true}, {Title: "p99", Right: true},
	}}
	for _, name := range environments {
		for _, role := range rolesCalibrated(rec.Runs, name) {
			t.Rows = append(t.Rows, append([]string{name, role}, calibrationCells(calibrationsOf(rec.Runs, name, role))...))
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	d := prose.Document{prose.Heading("Accuracy of the emulated devices"), t}
	d.Add(prose.Paragraph("Medians over runs: single operations of 8 KiB just before each run, and how much later the operations of the load ended than the model predicts. " +
		"A run is invalid if its device was off by more than 5 % and 30 µs (plus the sampling error of a median), or if its operations were late on average by more than 50 µs and 10 % of the model's median latency (of reads or of writes, whichever is shorter)."))
	if lines := pathLines(Of(rec, environments), rec.Summary.Awake); len(lines) > 0 {
		d.Add(lines)
	}
	return d
}

// pathLines reports the cost of the round trip to an emulated device, and whether CPUs were
// kept awake.
func pathLines(environments []record.Environment, awake bool) (lines prose.List) {
	if awake {
		lines = prose.List{"Idle CPUs were kept from halting, since a halted virtual CPU wakes up late; that time is reported as idle."}
	}
	for _, e := range environments {
		for _, v := range e.Volumes {
			if p := v.Emulation; p != nil {
				return append(lines, fmt.Sprintf("The path to an emulated device and back (%s) takes %s for a read and %s for a write of 8 KiB, and allows up to %s reads or %s writes a second; the model's time includes it.",
					p.Form, phrase.Milliseconds(float64(p.PathRead)), phrase.Milliseconds(float64(p.PathWrite)), phrase.Count(p.CeilingRead), phrase.Count(p.CeilingWrite)))
			}
		}
	}
	return lines
}

// rolesCalibrated returns the volumes of an environment that were verified.
func rolesCalibrated(runs []record.Run, environment string) []string {
	var roles []string
	for _, run := range runs {
		for _, p := range run.Calibrations {
			if run.Environment == environment && !slices.Contains(roles, p.Role) {
				roles = append(roles, p.Role)
			}
		}
	}
	return roles
}

func calibrationsOf(runs []record.Run, environment, role string) []record.Calibration {
	var proofs []record.Calibration
	for _, run := range runs {
		for _, p := range run.Calibrations {
			if run.Environment == environment && p.Role == role {
				proofs = append(proofs, p)
			}
		}
	}
	return proofs
}

func calibrationCells(proofs []record.Calibration) []string {
	var cells []string
	for i, of := range []func(record.Calibration) int64{
		func(p record.Calibration) int64 { return p.ExpectedWrite }, func(p record.Calibration) int64 { return p.MeasuredWrite },
		func(p record.Calibration) int64 { return p.ExpectedRead }, func(p record.Calibration) int64 { return p.MeasuredRead },
		func(p record.Calibration) int64 { return p.LateMean }, func(p record.Calibration) int64 { return p.LateP99 },
	} {
		var values []int64
		for _, p := range proofs {
			values = append(values, of(p))
		}
		slices.Sort(values)
		middle := show.Median(values)
		if (i == 0 || i == 2) && middle == 0 {
			cells = append(cells, phrase.None) // it adds no delay
			continue
		}
		cells = append(cells, phrase.Milliseconds(middle))
	}
	return cells
}

// Events reports the events of runs by environment; nil without any.
func Events(runs []record.Run, environments []string) prose.Document {
	t := prose.Table{Keys: 2, Columns: []prose.Column{
		{Title: "Environment"}, {Title: "Event"}, {Title: "Runs", Right: true}, {Title: "Took, median", Right: true}, {Title: "least", Right: true}, {Title: "most", Right: true},
	}}
	for _, name := range environments {
		for _, event := range eventsOf(runs, name) {
			took := tookBy(runs, name, event)
			if len(took) == 0 {
				continue
			}
			t.Rows = append(t.Rows, []string{name, event, fmt.Sprint(len(took)), phrase.Duration(show.Median(took)), phrase.Duration(took[0]), phrase.Duration(took[len(took)-1])})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return prose.Document{prose.Heading("Events"), t, prose.Paragraph("Time from the start to the end of each event: it holds its locks no longer than that.")}
}

func eventsOf(runs []record.Run, environment string) []string {
	var names []string
	for _, run := range runs {
		for _, e := range run.Events {
			if run.Environment == environment && !slices.Contains(names, e.Name) {
				names = append(names, e.Name)
			}
		}
	}
	return names
}

// tookBy returns the durations of an event, ascending, without failed ones.
func tookBy(runs []record.Run, environment, event string) []float64 {
	var took []float64
	for _, run := range runs {
		for _, e := range run.Events {
			if run.Environment == environment && e.Name == event && e.Error == "" {
				took = append(took, e.Took)
			}
		}
	}
	slices.Sort(took)
	return took
}
