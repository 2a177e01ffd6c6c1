package runpage

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// Wait is the share of their time that active sessions spent in a wait event, or running
// ("CPU").
type Wait struct {
	Event string  `json:"event"` // "IO.WALSync": type and event of pg_stat_activity
	Share float64 `json:"share"`
}

// waits returns the wait events of a run, the largest share first.
func waits(figures map[string]float64) []Wait {
	all := []Wait{}
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		if event, isWait := strings.CutPrefix(name, "wait."); isWait && phrase.Known(figures[name]) {
			all = append(all, Wait{event, figures[name]})
		}
	}
	slices.SortStableFunc(all, func(a, b Wait) int { return cmp.Compare(b.Share, a.Share) })
	return all
}

func (p *Page) addWaits(d *prose.Document) {
	const most = 8
	if len(p.Waits) == 0 {
		return
	}
	t := prose.Table{Columns: []prose.Column{{Title: "What active sessions did"}, {Title: "Share", Right: true}}}
	for _, w := range p.Waits[:min(most, len(p.Waits))] {
		name := "waited: " + prose.Cut(w.Event, 50)
		if w.Event == "CPU" {
			name = "ran, or were queued for the CPU"
		}
		t.Rows = append(t.Rows, []string{name, phrase.Share(w.Share)})
	}
	d.Add(prose.Heading("Wait events"), prose.WordTable(t), prose.Paragraph(p.waitsNote(len(p.Waits)-most)))
}

func (p *Page) waitsNote(more int) string {
	var notes []string
	if n, found := p.figure("active-sessions"); found {
		notes = append(notes, fmt.Sprintf("Shares of the time of %s active sessions on average.", phrase.Fine(n)))
		if clients := p.Run.Clients; n < float64(clients) {
			notes = append(notes, fmt.Sprintf("The rest of the %s were between two statements or transactions: they waited for the load generator.", phrase.Plural(clients, "client")))
		}
	}
	if more > 0 {
		notes = append(notes, fmt.Sprintf("%s more: --format json has them all.", phrase.Plural(more, "event")))
	}
	return strings.Join(notes, " ")
}
