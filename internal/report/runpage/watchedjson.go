package runpage

import (
	"time"

	"plinth/internal/inspect"
	"plinth/internal/record"
)

// WatchPageSchema is the schema of the JSON of a watch.
const WatchPageSchema = "plinth/watch/v1"

// WatchPage is what a target did while it was watched. It has the parts of a
// RunPage that do not come from a load generator, by the same names.
type WatchPage struct {
	Schema    string        `json:"schema"`
	Server    string        `json:"server,omitempty"` // "PostgreSQL 15.18"
	Asked     int           `json:"asked_s"`          // how long it was to be watched
	Seen      int           `json:"seen_s"`           // how long it was: less where that was interrupted
	Observed  bool          `json:"observed"`         // there is telemetry
	Run       WatchedRun    `json:"run"`
	Owners    []Owner       `json:"cpu_owners"`
	Waits     []Wait        `json:"waits"`
	Checklist *Checklist    `json:"checklist,omitempty"`
	Timeline  []TimelineRow `json:"timeline"`
}

// WatchedRun is what the run.json of a run that no load generator drove would hold.
type WatchedRun struct {
	Started    time.Time          `json:"started"` // the first second that was seen
	Telemetry  *record.Telemetry  `json:"telemetry,omitempty"`
	Figures    map[string]float64 `json:"figures"`
	FigureGaps []record.Gap       `json:"figure_gaps"`
	Resources  []record.Resource  `json:"resources"`
}

// NewWatchPage is nil where nothing was watched.
func NewWatchPage(p *Page, w *inspect.Watched) *WatchPage {
	if p == nil {
		return nil
	}
	return &WatchPage{
		Schema: WatchPageSchema, Server: p.Server, Asked: w.Asked, Seen: len(p.window.seconds), Observed: p.Observed,
		Run: WatchedRun{
			Started: p.Run.Started, Telemetry: p.Run.Telemetry, Figures: p.Run.Figures,
			FigureGaps: append([]record.Gap{}, p.Run.FigureGaps...), Resources: append([]record.Resource{}, p.Run.Resources...),
		},
		Owners: p.Owners, Waits: p.Waits, Checklist: p.Checklist, Timeline: p.Timeline,
	}
}
