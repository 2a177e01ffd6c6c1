// Package fidelity judges predictions: it predicts cells that were measured beside their reference, from the
// reference alone, and says how far off each prediction is.
package fidelity

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/prediction"
	"plinth/internal/prediction/demand"
	"plinth/internal/record"
)

// Judged is a prediction beside what was measured.
type Judged struct {
	Environment string
	experiment.Cell
	// Reference is the environment from which it was predicted, and From its number of clients.
	Reference  string
	From       int
	Prediction prediction.Prediction
	// Runs hold the measurement; TPS and P95 are means over them.
	Runs     []demand.Run
	TPS, P95 float64
	// Replicated is the error with which the odd blocks predict the even ones.
	Replicated float64
	// ByLatency, ByIOPS and ByInterpolation hold the throughput by rules of thumb.
	ByLatency, ByIOPS, ByInterpolation float64
	// Refused says why there is no prediction; "" if there is one.
	Refused string
}

// Error returns the relative error of the predicted throughput.
func (j Judged) Error() float64 { return j.Prediction.TPS.Value/j.TPS - 1 }

// ErrorP95 returns the relative error of the predicted 95th percentile of the latency.
func (j Judged) ErrorP95() float64 { return j.Prediction.P95.Value/j.P95 - 1 }

// Held reports whether the interval holds the measured throughput.
func (j Judged) Held() bool {
	return j.Prediction.TPS.Low <= j.TPS && j.TPS <= j.Prediction.TPS.High
}

// HeldP95 reports whether the interval of the 95th percentile of the latency holds the measurement.
func (j Judged) HeldP95() bool {
	return j.Prediction.P95.Low <= j.P95 && j.P95 <= j.Prediction.P95.High
}

// ReferenceName begins the names of the environments that predictions are made from.
const ReferenceName = "reference"

// Measured is a cell that was measured, and the environment from which it is predicted.
type Measured struct {
	demand.Cell
	Reference string `json:",omitempty"` // "": ReferenceName
}

// reference returns the name of the environment from which the cell is predicted.
func (m Measured) reference() string { return cmp.Or(m.Reference, ReferenceName) }

// Captured holds the cells and bursts of a record, for tests.
type Captured struct {
	Cells  []Measured `json:",omitempty"`
	Bursts []Burst    `json:",omitempty"`
}

// fewestRuns is the number of valid runs of a cell from which it is judged.
const fewestRuns = 3

// Cells reads the cells of a record, of the environments whose disks are known, and whose bursts do not end. The reference
// of an environment is the first one with the same settings whose name begins with from; if there is none, the baseline, if
// it has the same settings; otherwise the first one.
func Cells(rec *record.Record, from string) (all []Measured, err error) {
	names := slices.DeleteFunc(known(rec), func(name string) bool { return ends(rec, name) })
	valid := map[experiment.Cell]map[string]int{}
	for _, r := range rec.Runs {
		if r.Status != record.Valid {
			continue
		}
		if valid[r.Cell] == nil {
			valid[r.Cell] = map[string]int{}
		}
		valid[r.Cell][r.Environment]++
	}
	for _, cell := range slices.SortedFunc(maps.Keys(valid), record.CompareCells) {
		for _, env := range names {
			if valid[cell][env] < fewestRuns {
				continue
			}
			c, err := demand.Of(rec, env, cell)
			if err != nil {
				return nil, err
			}
			all = append(all, Measured{c, referenceOf(rec, names, env, from)})
		}
	}
	return all, nil
}

// known returns the environments whose disks are known.
func known(rec *record.Record) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(rec.Environments)), func(name string) bool { return !disksKnown(rec.Environments[name]) })
}

// disksKnown reports whether the disks of an environment have models: what passes requests through has none.
func disksKnown(e record.Environment) bool {
	return len(e.Volumes) > 0 && !slices.ContainsFunc(e.Volumes, func(v record.Volume) bool {
		model, known := v.Model()
		return !known || !model.Adds()
	})
}

// referenceOf returns the environment from which another one is predicted; "" if none has the same settings.
func referenceOf(rec *record.Record, names []string, environment, from string) string {
	own := rec.Environments[environment]
	alike := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		e := rec.Environments[name]
		return !maps.Equal(e.Declared, own.Declared) || !record.SameReplica(e.Replica, own.Replica)
	})
	for _, name := range alike {
		if strings.HasPrefix(name, from) {
			return name
		}
	}
	if slices.Contains(alike, rec.Summary.Baseline) {
		return rec.Summary.Baseline
	}
	if len(alike) == 0 {
		return ""
	}
	return alike[0]
}

// Judge predicts cells from those of their references: from the one with the same number of clients if same,
// otherwise from the one in the middle.
func Judge(cells []Measured, same bool) (all []Judged) {
	type source struct {
		environment string
		experiment.Cell
	}
	references := map[source]*prediction.Reference{}
	refused := map[source]string{}
	measured := map[string][]experiment.Cell{}
	for _, c := range cells {
		if c.Environment != c.reference() {
			continue
		}
		measured[c.Environment] = append(measured[c.Environment], c.Cell.Cell)
		from := source{c.Environment, c.Cell.Cell}
		var err error
		if references[from], err = prediction.NewReference(c.Cell); err != nil {
			refused[from] = err.Error()
		}
	}
	for _, c := range cells {
		from := source{c.reference(), c.Cell.Cell}
		if !same {
			from.Cell = middle(measured[from.environment], c.Cell.Cell)
		}
		if c.Environment == c.reference() && from.Cell == c.Cell.Cell {
			continue
		}
		ref, found := references[from]
		if !found {
			continue // it has too few valid runs
		}
		j := Judged{Environment: c.Environment, Cell: c.Cell.Cell, Reference: from.environment, From: from.Clients, Refused: refused[from]}
		j.measured(c.Cell)
		if ref != nil {
			j.predict(ref, c.Cell)
			j.ByLatency, j.ByIOPS, j.ByInterpolation = byLatency(ref.Cell, c.Cell), byIOPS(ref.Cell, c.Cell), byInterpolation(cells, c)
		}
		all = append(all, j)
	}
	return all
}

// middle returns the cell of the same workload whose clients are in the middle.
func middle(cells []experiment.Cell, of experiment.Cell) experiment.Cell {
	alike := slices.DeleteFunc(slices.Clone(cells), func(c experiment.Cell) bool { return c.Workload != of.Workload })
	slices.SortFunc(alike, func(a, b experiment.Cell) int { return cmp.Compare(a.Clients, b.Clients) })
	if len(alike) == 0 {
		return of
	}
	return alike[len(alike)/2]
}

func (j *Judged) measured(m demand.Cell) {
	odd, even, nOdd, nEven := 0.0, 0.0, 0.0, 0.0
	j.Runs, j.TPS = m.Runs, m.Mean(tps)
	j.P95 = m.Mean(func(r demand.Run) float64 { return r.P95 })
	for _, r := range m.Runs {
		if r.Repeat%2 == 1 {
			odd, nOdd = odd+r.TPS, nOdd+1
		} else {
			even, nEven = even+r.TPS, nEven+1
		}
	}
	j.Replicated = math.Abs(odd/nOdd/(even/nEven) - 1)
}

func (j *Judged) predict(ref *prediction.Reference, m demand.Cell) {
	q := prediction.Question{Data: &m.System.Data, WAL: m.System.WAL, Clients: m.Clients}
	if m.System.CPUs != ref.System.CPUs {
		q.CPUs = m.System.CPUs
	}
	var err error
	if j.Prediction, err = ref.Predict(q); err != nil {
		j.Refused = err.Error()
	}
}

// Summary holds the figures by which a table of predictions is judged.
type Summary struct {
	Cells, Refused int
	Median, P95    float64 // absolute error of throughput
	MedianP95      float64 // absolute error of the 95th percentile of latency
	Held, HeldP95  float64 // shares of the intervals that hold the measurement
	Replicated     float64 // median replication error
	// ByLatency, ByIOPS and ByInterpolation are medians of the absolute error of rules of thumb.
	ByLatency, ByIOPS, ByInterpolation float64
}

// Summarize returns the figures.
func Summarize(all []Judged) (s Summary) {
	var errs, tails, replicated, latency, iops, interpolated []float64
	add := func(to *[]float64, ratio float64) {
		if !math.IsInf(ratio, 0) && !math.IsNaN(ratio) {
			*to = append(*to, math.Abs(ratio-1))
		}
	}
	for _, j := range all {
		if j.Refused != "" {
			s.Refused++
			continue
		}
		s.Cells++
		add(&errs, 1+j.Error())
		add(&tails, 1+j.ErrorP95())
		add(&replicated, 1+j.Replicated)
		add(&latency, j.ByLatency/j.TPS)
		add(&iops, j.ByIOPS/j.TPS)
		add(&interpolated, j.ByInterpolation/j.TPS)
		if j.Held() {
			s.Held++
		}
		if j.HeldP95() {
			s.HeldP95++
		}
	}
	s.Held /= float64(s.Cells)
	s.HeldP95 /= float64(s.Cells)
	s.Median, s.P95 = quantile(errs, 0.5), quantile(errs, 0.95)
	s.MedianP95, s.Replicated = quantile(tails, 0.5), quantile(replicated, 0.5)
	s.ByLatency, s.ByIOPS, s.ByInterpolation = quantile(latency, 0.5), quantile(iops, 0.5), quantile(interpolated, 0.5)
	return s
}

// quantile returns a quantile of values, or NaN if there are none. That of an even number of values is between two, as
// is usual for medians; gonum's stat.Quantile takes the lower one.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	at := q * float64(len(values)-1)
	i := int(at)
	if i+1 == len(values) {
		return values[i]
	}
	return values[i] + (at-float64(i))*(values[i+1]-values[i])
}

// String returns the figures in a line.
func (s Summary) String() string {
	return fmt.Sprintf("%d cells, %d refused: median error %.1f %%, 95th percentile %.1f %%; p95 latency %.1f %%; held %.0f %% and %.0f %%; replication %.1f %%; by latency %s, by IOPS %s, by interpolation %s",
		s.Cells, s.Refused, 100*s.Median, 100*s.P95, 100*s.MedianP95, 100*s.Held, 100*s.HeldP95, 100*s.Replicated, percent(s.ByLatency), percent(s.ByIOPS), percent(s.ByInterpolation))
}
