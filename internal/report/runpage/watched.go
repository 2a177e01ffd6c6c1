package runpage

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/diagnosis"
	"plinth/internal/experiment"
	"plinth/internal/figure"
	"plinth/internal/inspect"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/diagnose"
	"plinth/internal/report/phrase"
)

// WatchedPage returns the page of a target that was only observed, without a load by plinth.
func WatchedPage(i inspect.Inspection, w *inspect.Watched, checklist figure.Checklist) *Page {
	version, _, _ := strings.Cut(w.Environment.Version, " ")
	p := &Page{
		Path: i.Target, Server: phrase.Join(" ", w.Environment.Server, version),
		Run: w.Run, env: w.Environment, points: w.Points, window: newWindow(w.Points),
		words: experiment.TermsOf(experiment.EnginePostgres),
	}
	if i.Redis != nil {
		p.words = experiment.TermsOf(experiment.EngineRedis)
	}
	p.rows = seriesOf(p.window, p.env.Volumes, p.words)
	p.fill()
	p.check(checklist)
	p.withoutLoad()
	return p
}

// withoutLoad explains the checklist's unknown items: latencies need a load generator, the rest
// needs a server.
func (p *Page) withoutLoad() {
	if p.Checklist == nil {
		return
	}
	for n := range p.Checklist.Items {
		item := &p.Checklist.Items[n]
		explained := slices.ContainsFunc(p.Run.FigureGaps, func(g record.Gap) bool { return g.What == item.Figure })
		if item.Grade != figure.Unknown || phrase.Known(float64(item.Value)) || explained {
			continue
		}
		metric, err := experiment.ParseMetric(item.Figure)
		switch {
		case err == nil && !metric.Figure:
			item.Why = "plinth ran no load: only a load generator reports it"
		case p.Server == "":
			item.Why = "no server was inspected"
		default:
			item.Why = "it was not read"
		}
	}
}

// AddWatched adds the activity of an observed target.
func AddWatched(d *prose.Document, p *Page, i inspect.Inspection, w *inspect.Watched) {
	d.Add(prose.Heading(fmt.Sprintf("Watched for %d s", len(p.window.seconds))))
	if seen := len(p.window.seconds); seen < w.Asked {
		d.Add(prose.Paragraph(fmt.Sprintf("Interrupted: %d of %d seconds were seen.", seen, w.Asked)))
	}
	d.Add(prose.Paragraph(p.watchedSentence(i)))
	diagnose.Brief(d, diagnosis.Of(diagnosis.Input{Run: &w.Run, Points: w.Points, Environment: w.Environment, Inventory: &i.Machine}), p.words, "")
	p.addTimeline(d, 0)
	p.addWatchedOwners(d, i)
	p.addResources(d)
	p.addWaits(d)
	p.addWatchedFacts(d)
	p.addChecklist(d)
	p.addGaps(d)
	p.addCost(d)
}

// addWatchedOwners removes owners that cannot exist from the note: the load generator, and the
// server if none was inspected.
func (p *Page) addWatchedOwners(d *prose.Document, i inspect.Inspection) {
	var owners prose.Document
	p.addOwners(&owners)
	for _, b := range owners {
		if note, ok := b.(prose.Paragraph); ok {
			text := strings.Replace(string(note), " Not known: load generator.", "", 1)
			if !i.OfServer() {
				text = strings.Replace(text, " Not known: server.", "", 1)
			}
			b = prose.Paragraph(text)
		}
		d.Add(b)
	}
}

// addWatchedFacts renames the column of figure names, since compare needs a record.
func (p *Page) addWatchedFacts(d *prose.Document) {
	var facts prose.Document
	p.addFacts(&facts)
	for _, b := range facts {
		if t, ok := b.(prose.FactTable); ok {
			t.Columns[len(t.Columns)-1].Title = "in --json"
		}
		d.Add(b)
	}
}

// did holds the words for a server's activity without a load by plinth.
type did struct{ verb, nothing, something, latencies string }

func didOf(i inspect.Inspection) did {
	if i.Redis != nil {
		return did{"did", "The server processed almost no commands.",
			"The server processed %s commands a second on average, including plinth's own queries (about 20 a second)",
			"The latency that clients saw is not known; INFO's latencies are the server's part of it."}
	}
	return did{"committed", "The server committed almost no transactions in any of its databases.",
		"The server committed %s transactions a second on average in all its databases", "How long transactions took is not known."}
}

// watchedSentence describes a server's activity, beginning with the seconds in which it is
// unknown. Commits are the only measure: how long transactions took is known only to their
// clients.
func (p *Page) watchedSentence(i inspect.Inspection) string {
	const unloaded = "plinth ran no load: this is existing activity."
	if !i.OfServer() {
		return unloaded
	}
	did := didOf(i)
	sum, known := p.window.sum("tps")
	unseen := p.unseen(len(p.window.seconds)-known, did.verb)
	switch {
	case known == 0:
		return phrase.Join(" ", unseen, unloaded)
	case sum/float64(known) < 0.05: // readings are not taken exactly at the seconds' bounds
		return phrase.Join(" ", unseen, did.nothing, unloaded)
	}
	something := fmt.Sprintf(did.something, phrase.Count(sum/float64(known))) + p.bounds() + "."
	return phrase.Join(" ", unseen, something, p.drop(), p.ofDatabase(i), unloaded, did.latencies)
}

// unseen returns the number of seconds in which the server's activity is unknown, and the
// reason.
func (p *Page) unseen(seconds int, verb string) string {
	if seconds == 0 {
		return ""
	}
	why := "the server did not report it"
	for _, g := range p.Run.Telemetry.Gaps {
		if slices.Contains(g.Columns, "tps") {
			why = prose.Cut(g.Why, 300)
		}
	}
	return fmt.Sprintf("In %d of %s it is not known what the server %s: %s.", seconds, phrase.Plural(len(p.window.seconds), "second"), verb, why)
}

// ofDatabase returns how many commits were in the inspected database: some figures cover only
// that one.
func (p *Page) ofDatabase(i inspect.Inspection) string {
	if i.Server == nil {
		return ""
	}
	sum, known := p.window.sum("pg_stat_database.xact_commit")
	own, _ := p.window.sum("plinth.transactions")
	if known == 0 {
		return ""
	}
	part := "none of them"
	if mean := max(0, sum-own) / float64(known); mean >= 0.05 {
		part = phrase.Count(mean) + " of them a second"
	}
	return fmt.Sprintf("Database %s committed %s; cache hits, rows and the size of the dataset cover only that database.", i.Server.Database, part)
}
