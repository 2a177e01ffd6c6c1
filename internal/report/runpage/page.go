package runpage

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/figure"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// Schema is the schema of the JSON of one run.
const Schema = "plinth/run-page/v1"

// Page is one run with its telemetry.
type Page struct {
	Schema   string `json:"schema"`
	Record   string `json:"record"` // the name of its directory
	Path     string `json:"path"`   // "disk/tpcb-like/c10-j1/r03"
	Server   string `json:"server,omitempty"`
	Observed bool   `json:"observed"` // telemetry exists
	// Run is the run's run.json. Figures missing from an earlier plinth's record are computed
	// from its points.
	Run       record.Run    `json:"run"`
	Owners    []Owner       `json:"cpu_owners"`
	Waits     []Wait        `json:"waits"`
	Checklist *Checklist    `json:"checklist,omitempty"`
	Timeline  []TimelineRow `json:"timeline"`
	// Missing is the reason why the run has no points.
	Missing string `json:"points_missing,omitempty"`

	env    record.Environment
	off    bool // the experiment has telemetry: off
	words  experiment.Terms
	window window
	points record.Points
	rows   []series
	binds  prose.Document // what binds the run; empty on the page, which shows it in full
}

// TimelineRow is a column of the points in the seconds of the window, in the column's own unit;
// null is a gap.
type TimelineRow struct {
	Column string   `json:"column"`
	Unit   string   `json:"unit"`
	Values []number `json:"values"`
}

// newPage reads the points of a run and returns its page. It works without points, too: the
// page of a failed run is needed most.
func newPage(rec *record.Record, run *record.Run) *Page {
	p := &Page{
		Schema: Schema, Record: filepath.Base(rec.Path), Path: Path(run),
		Run: *run, env: rec.Environments[run.Environment], off: telemetryOff(rec, run.Environment),
		words: experiment.TermsOf(rec.Summary.Engine),
	}
	if p.env.Server != "" {
		version, _, _ := strings.Cut(p.env.Version, " ")
		p.Server = strings.TrimSpace(p.env.Server + " " + version)
	}
	points, err := rec.Points(run)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.Missing = "it has no data per second"
	case err != nil:
		p.Missing = err.Error()
	}
	p.points, p.window = points, newWindow(points)
	p.rows = seriesOf(p.window, p.env.Volumes, p.words)
	p.fill()
	return p
}

// telemetryOff reports whether the experiment has telemetry: off for an environment.
func telemetryOff(rec *record.Record, environment string) bool {
	e, err := rec.Experiment()
	if err != nil {
		return false // an old record is shown nevertheless
	}
	for _, env := range e.Environments {
		if env.Name == environment {
			return e.TelemetryOf(env) == "off"
		}
	}
	return false
}

// fill computes what follows from the points and the figures.
func (p *Page) fill() {
	p.Observed = p.Run.Telemetry != nil && p.window.observed()
	if p.Run.Figures == nil && len(p.window.seconds) > 0 {
		p.Run.Figures, p.Run.FigureGaps, p.Run.Resources = figure.Of(figure.Input{Run: &p.Run, Points: p.points, Environment: p.env})
	}
	p.Owners = owners(p.window)
	p.Waits = waits(p.Run.Figures)
	p.Timeline = []TimelineRow{{Column: "second", Unit: "s", Values: numbersOf(p.window.seconds)}}
	for _, s := range p.rows {
		p.Timeline = append(p.Timeline, TimelineRow{Column: s.column, Unit: s.unit, Values: numbersOf(s.values)})
	}
}

// figure returns a figure of the run, and whether it is known.
func (p *Page) figure(name string) (float64, bool) {
	f, found := p.Run.Figures[name]
	return f, found && phrase.Known(f)
}
