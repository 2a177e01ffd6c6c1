// Package figure computes the figures of a run from its points: each figure is one number for
// the whole measured window. It also computes how much of the machine's resources the run used,
// and grades the run against a checklist. metric.Figures is the catalog of figures.
package figure

import (
	"math"

	"plinth/internal/figure/window"
	"plinth/internal/host"
	"plinth/internal/metric"
	"plinth/internal/record"
)

// Input holds what the figures of a run are made from.
type Input struct {
	Run         *record.Run
	Points      record.Points
	Environment record.Environment
	Inventory   *host.Inventory // of the machine; nil where it is not known
}

// Of makes the figures of a run, in the units of the catalog, and says how much it
// used of what there is. Only the seconds of the window count. A figure that cannot
// be made is a gap with its reason, never zero: each of the catalog is one or the
// other, but for figures of other servers than the run's.
func Of(in Input) (figures map[string]float64, gaps []record.Gap, resources []record.Resource) {
	m := &maker{Window: window.New(in.Run, in.Points), in: in, figures: map[string]float64{}}
	m.throughput()
	m.wal()
	m.rows()
	m.caches()
	m.buffers()
	m.memory()
	m.cpu()
	m.processor()
	m.disks("data")
	m.disks("wal")
	m.pressure()
	m.waits()
	m.redis()
	m.replicas()
	return m.figures, m.gaps, m.resources()
}

// maker makes figures one after the other.
type maker struct {
	*window.Window
	in      Input
	figures map[string]float64
	gaps    []record.Gap
}

// put takes a figure down, or why there is none. What JSON cannot hold is none.
func (m *maker) put(name string, n window.Number) {
	if !Fits(name, m.in.Environment.Server) {
		return
	}
	if m.elsewhere(name) {
		n = window.Number{Why: whyElsewhere}
	}
	if n.Why == "" && (math.IsNaN(n.Value) || math.IsInf(n.Value, 0)) {
		n.Why = "its value is not a finite number"
	}
	if n.Why != "" {
		m.gaps = append(m.gaps, record.Gap{What: name, Why: n.Why})
		return
	}
	m.figures[name] = n.Value
}

// Fits says whether a figure may be one of runs of a server, by its name in records; ""
// is one that is not known.
func Fits(figure, server string) bool {
	f, known := catalog[figure]
	if !known { // a wait event
		f = catalog[metric.Wait]
	}
	return f.Of(server)
}

var catalog = func() map[string]metric.Figure {
	all := map[string]metric.Figure{}
	for _, f := range metric.Figures() {
		all[f.Name] = f
	}
	return all
}()
