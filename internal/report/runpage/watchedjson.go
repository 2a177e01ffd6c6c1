package runpage

import (
	"time"

	"plinth/internal/inspect"
	"plinth/internal/record"
)

// WatchPageSchema is the schema of the JSON of a watch.
const WatchPageSchema = "plinth/watch/v1"

// WatchPage is the activity of a target while it was watched. It has those parts of a Page that
// need no load generator, under the same names.
type WatchPage struct {
	Schema    string        `json:"schema"`
	Server    string        `json:"server,omitempty"` // "PostgreSQL 15.18"
	Asked     int           `json:"asked_s"`          // requested duration
	Seen      int           `json:"seen_s"`           // actual duration: shorter if interrupted
	Observed  bool          `json:"observed"`         // telemetry exists
	Run       WatchedRun    `json:"run"`
	Owners    []Owner       `json:"cpu_owners"`
	Waits     []Wait        `json:"waits"`
	Checklist *Checklist    `json:"checklist,omitempty"`
	Timeline  []TimelineRow `json:"timeline"`
}

// WatchedRun holds those parts of run.json that need no load generator.
type WatchedRun struct {
	Started    time.Time          `json:"started"` // the first second observed
	Telemetry  *record.Telemetry  `json:"telemetry,omitempty"`
	Figures    map[string]float64 `json:"figures"`
	FigureGaps []record.Gap       `json:"figure_gaps"`
	Resources  []record.Resource  `json:"resources"`
}

// NewWatchPage returns nil if nothing was watched.
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
