package report

import (
	"fmt"

	"plinth/internal/figure"
	"plinth/internal/inspect"
)

// watchedPage is what was seen of a target, as the page of a run that nobody drove.
func watchedPage(i inspect.Inspection, w *inspect.Watched, checklist figure.Checklist) *RunPage {
	p := &RunPage{
		Schema: RunPageSchema, Path: i.Target, Server: w.Environment.Server,
		Run: w.Run, env: w.Environment, points: w.Points, window: newWindow(w.Points),
	}
	p.rows = seriesOf(p.window, p.env.Volumes)
	p.fill()
	p.check(checklist)
	return p
}

// addWatched is what a target did, for people.
func addWatched(d *document, p *RunPage) {
	d.add(heading(fmt.Sprintf("Watched for %d s", len(p.window.seconds))), paragraph(p.watchedSentence()))
	p.addTimeline(d, 0)
	p.addOwners(d)
	p.addResources(d)
	p.addWaits(d)
	p.addFacts(d)
	p.addChecklist(d)
	p.addGaps(d)
	p.addCost(d)
}

// watchedSentence says how much a server did. Its commits are all there is: how
// long a transaction took only those know who waited for it.
func (p *RunPage) watchedSentence() string {
	values := p.window.columns["tps"]
	sum, n := 0.0, 0
	for _, v := range values {
		if known(v) {
			sum, n = sum+v, n+1
		}
	}
	if n == 0 {
		return "No load was made: this is what went on by itself."
	}
	text := fmt.Sprintf("The server committed %s transactions a second on average", Count(sum/float64(n))) + p.bounds() + "."
	if drop := p.drop(); drop != "" {
		text += " " + drop
	}
	return text + " No load was made: this is what went on by itself. How long transactions took is not known."
}
