package fidelity

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/figure/window"
	"plinth/internal/prediction"
	"plinth/internal/prediction/demand"
	"plinth/internal/record"
)

// Burst is a cell on disks whose bursts end within its runs: the reference from which it is predicted, and what was
// measured.
type Burst struct {
	Environment string
	experiment.Cell
	Data      device.Device
	WAL       *device.Device `json:",omitempty"`
	Reference demand.Cell
	Runs      []BurstRun
}

// BurstRun is a run in which a burst ended.
type BurstRun struct {
	Repeat        int
	Ended         float64 // seconds from the beginning of the load; known to the second
	During, After float64 // transactions a second, before and after
}

// Bursts reads the cells of a record in which bursts ended. Each is predicted from the same cell of the environment
// that Cells would take.
func Bursts(rec *record.Record, from string) (all []Burst, err error) {
	exp, err := rec.Experiment()
	if err != nil {
		return nil, err
	}
	known := known(rec)
	steady := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return ends(rec, name) })
	if len(steady) == 0 {
		return nil, nil
	}
	for _, name := range known {
		if slices.Contains(steady, name) {
			continue
		}
		cells := map[experiment.Cell]*Burst{}
		for i := range rec.Runs {
			run := &rec.Runs[i]
			if run.Environment != name || run.Status != record.Valid {
				continue
			}
			b := cells[run.Cell]
			if b == nil {
				if b, err = newBurst(rec, name, referenceOf(rec, steady, name, from), run.Cell); err != nil {
					return nil, err
				}
				cells[run.Cell] = b
			}
			points, err := rec.Points(run)
			if err != nil {
				return nil, err
			}
			if one := burstRun(window.New(run, points), time.Duration(exp.Warmup)); one.During > 0 && one.After > 0 {
				b.Runs = append(b.Runs, one)
			}
		}
		for _, cell := range slices.SortedFunc(maps.Keys(cells), record.CompareCells) {
			all = append(all, *cells[cell])
		}
	}
	return all, nil
}

// ends reports whether a burst ended in a run of an environment, or should have.
func ends(rec *record.Record, environment string) bool {
	return slices.ContainsFunc(rec.Runs, func(r record.Run) bool {
		return r.Environment == environment && slices.ContainsFunc(r.Bursts, func(b record.Burst) bool { return b.Ended != nil || b.Expected != nil })
	})
}

// newBurst returns a cell without runs, and the reference from which it is predicted.
func newBurst(rec *record.Record, environment, reference string, cell experiment.Cell) (*Burst, error) {
	e := rec.Environments[environment]
	if reference == "" || !record.SameLimits(rec.Environments[reference].Limits, e.Limits) {
		return nil, fmt.Errorf("no environment with a disk without bursts has the settings and limits of %s", environment)
	}
	ref, err := demand.Of(rec, reference, cell)
	if err != nil {
		return nil, err
	}
	b := &Burst{Environment: environment, Cell: cell, Reference: ref}
	for _, v := range e.Volumes {
		model, _ := v.Model() // which is known
		switch v.Role {
		case "data":
			b.Data = model
		case "wal":
			b.WAL = &model
		}
	}
	return b, nil
}

// burstRun reads when the first burst of a run ended, and the throughput before and after. The seconds around the end
// are left out. Buckets are full at the beginning of the warm-up.
func burstRun(w *window.Window, warmup time.Duration) BurstRun {
	ended := math.Inf(1)
	for _, one := range w.Run.Bursts {
		if one.Ended != nil {
			ended = min(ended, *one.Ended)
		}
	}
	return BurstRun{Repeat: w.Run.Repeat, Ended: ended + warmup.Seconds(),
		During: meanBetween(w, "tps", 0, ended-1), After: meanBetween(w, "tps", ended+2, math.Inf(1))}
}

// meanBetween returns the mean of a column from one second to before another; 0 if there is no value.
func meanBetween(w *window.Window, column string, from, to float64) float64 {
	sum, n := 0.0, 0.0
	for i, s := range w.Seconds {
		if v := w.At(column, i); s >= from && s < to && !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	return sum / max(1, n)
}

// JudgedBurst is a prediction beside what was measured.
type JudgedBurst struct {
	Burst
	Prediction prediction.Prediction
	// Ended is the mean second at which the burst ended; During and After are mean throughputs.
	Ended, During, After float64
	Refused              string
}

// JudgeBursts predicts the bursts.
func JudgeBursts(all []Burst) (judged []JudgedBurst) {
	for _, b := range all {
		j := JudgedBurst{Burst: b}
		for _, r := range b.Runs {
			n := float64(len(b.Runs))
			j.Ended, j.During, j.After = j.Ended+r.Ended/n, j.During+r.During/n, j.After+r.After/n
		}
		ref, err := prediction.NewReference(b.Reference)
		if err == nil {
			j.Prediction, err = ref.Predict(prediction.Question{Data: &b.Data, WAL: b.WAL})
		}
		switch {
		case err != nil:
			j.Refused = err.Error()
		case len(b.Runs) == 0:
			j.Refused = "no burst ended"
		}
		judged = append(judged, j)
	}
	return judged
}

// sustained returns the predicted throughput after the burst; that of the prediction if it does not end.
func (j JudgedBurst) sustained() prediction.Estimate {
	if j.Prediction.Sustained != nil {
		return *j.Prediction.Sustained
	}
	return j.Prediction.TPS
}

// BurstTable returns the bursts as a table in Markdown. A measurement outside its interval is marked with *.
func BurstTable(all []JudgedBurst) string {
	var t strings.Builder
	t.WriteString("| environment | workload | clients | burst ends, s | predicted | TPS until then | predicted | TPS after | predicted |\n|---|---|---:|---:|---:|---:|---|---:|---|\n")
	for _, j := range all {
		fmt.Fprintf(&t, "| %s | %s | %d | ", j.Environment, j.Workload, j.Clients)
		if j.Refused != "" {
			fmt.Fprintf(&t, "refused: %s | | | | | |\n", j.Refused)
			continue
		}
		fmt.Fprintf(&t, "%.1f | ~%.1f | %.0f | %s | %.0f | %s |\n", j.Ended, j.Prediction.Emptied, j.During, beside(j.Prediction.TPS, j.During), j.After, beside(j.sustained(), j.After))
	}
	return t.String()
}
