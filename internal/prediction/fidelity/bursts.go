package fidelity

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

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
	Ended         float64 // second of the measured window
	During, After float64 // transactions a second, before that second and after it
}

// Bursts reads the cells of a record in which bursts ended. Each is predicted from the same cell of the environment
// that Cells would take.
func Bursts(rec *record.Record, from string) (all []Burst, err error) {
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
				b = &Burst{Environment: name, Cell: run.Cell}
				if b.Reference, err = demand.Of(rec, referenceOf(rec, steady, name, from), run.Cell); err != nil {
					return nil, err
				}
				b.disks(rec.Environments[name])
				cells[run.Cell] = b
			}
			points, err := rec.Points(run)
			if err != nil {
				return nil, err
			}
			if one := burstRun(window.New(run, points)); one.During > 0 && one.After > 0 {
				b.Runs = append(b.Runs, one)
			}
		}
		for _, cell := range slices.SortedFunc(maps.Keys(cells), record.CompareCells) {
			all = append(all, *cells[cell])
		}
	}
	return all, nil
}

// ends reports whether a burst ended in a run of an environment.
func ends(rec *record.Record, environment string) bool {
	return slices.ContainsFunc(rec.Runs, func(r record.Run) bool {
		return r.Environment == environment && slices.ContainsFunc(r.Bursts, func(b record.Burst) bool { return b.Ended != nil })
	})
}

// disks finds the models of an environment's disks, which are known.
func (b *Burst) disks(e record.Environment) {
	for _, v := range e.Volumes {
		model, _ := v.Model()
		switch v.Role {
		case "data":
			b.Data = model
		case "wal":
			b.WAL = &model
		}
	}
}

// burstRun reads when the first burst of a run ended, and the throughput before and after. The seconds around the end
// are left out.
func burstRun(w *window.Window) BurstRun {
	b := BurstRun{Repeat: w.Run.Repeat, Ended: math.Inf(1)}
	for _, one := range w.Run.Bursts {
		if one.Ended != nil {
			b.Ended = min(b.Ended, *one.Ended)
		}
	}
	b.During = meanBetween(w, "tps", 0, b.Ended-1)
	b.After = meanBetween(w, "tps", b.Ended+2, math.Inf(1))
	return b
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

// After returns the predicted throughput after the burst; without one, that of the prediction.
func (j JudgedBurst) after() prediction.Estimate {
	if j.Prediction.Sustained != nil {
		return *j.Prediction.Sustained
	}
	return j.Prediction.TPS
}

// BurstTable returns the bursts as a table in Markdown. A measurement outside its interval is marked with *.
func BurstTable(all []JudgedBurst) string {
	var t strings.Builder
	t.WriteString("| environment | workload | clients | burst ends, s | predicted | TPS until then | predicted | TPS after | predicted |\n|---|---|---:|---:|---:|---:|---|---:|---|\n")
	estimate := func(e prediction.Estimate, measured float64) string {
		mark := ""
		if measured < e.Low || measured > e.High {
			mark = "*"
		}
		return fmt.Sprintf("~%.0f (%.0f to %.0f)%s", e.Value, e.Low, e.High, mark)
	}
	for _, j := range all {
		fmt.Fprintf(&t, "| %s | %s | %d | ", j.Environment, j.Workload, j.Clients)
		if j.Refused != "" {
			fmt.Fprintf(&t, "refused: %s | | | | | |\n", j.Refused)
			continue
		}
		fmt.Fprintf(&t, "%.1f | ~%.1f | %.0f | %s | %.0f | %s |\n", j.Ended, j.Prediction.Emptied, j.During, estimate(j.Prediction.TPS, j.During), j.After, estimate(j.after(), j.After))
	}
	return t.String()
}
