package inspection

import (
	"fmt"
	"io"
	"strings"

	"plinth/internal/figure"
	"plinth/internal/inspect"
	"plinth/internal/prose"
	"plinth/internal/report/output"
	"plinth/internal/report/phrase"
	"plinth/internal/report/runpage"
)

// Formats holds the formats of Write.
var Formats = []string{"text", "markdown", "json"}

// Options controls how an inspection is written.
type Options struct {
	Width  int  // of text, in characters; 80 if 0
	Colour bool // severities in colour, in addition to their words

	// Watched is the activity of the target while it was watched, which is checked against
	// Checklist; nil if it was not.
	Watched   *inspect.Watched
	Checklist figure.Checklist
}

// Write writes the facts of a machine and a database, and the findings.
func Write(w io.Writer, i inspect.Inspection, format string, opts Options) error {
	var page *runpage.Page
	if opts.Watched != nil {
		page = runpage.WatchedPage(i, opts.Watched, opts.Checklist)
	}
	return output.Write(w, format, opts.Width, output.Forms{
		Document: func() (prose.Document, error) { return document(i, page, opts), nil },
		Value: func() (any, error) {
			return struct {
				inspect.Inspection
				Watched *runpage.WatchPage `json:"watched,omitempty"`
			}{i, runpage.NewWatchPage(page, opts.Watched)}, nil
		},
	})
}

// document returns an inspection as a document: facts, findings, and what could not be read.
func document(i inspect.Inspection, watched *runpage.Page, opts Options) prose.Document {
	var d prose.Document
	d.Add(prose.Heading("This machine"), prose.FactSheet(MachineFacts(i)))
	switch {
	case i.Server != nil:
		d.Add(prose.Heading("The server"), prose.FactSheet(serverFacts(i)))
		addChangedSettings(&d, i)
	case i.Redis != nil:
		d.Add(prose.Heading("The server"), prose.FactSheet(redisFacts(i)))
	}
	d.Add(prose.Heading(findingsTitle(i.Findings)), findingList{i.Findings, opts.Colour})
	if i.OfServer() && !i.Here {
		d.Add(prose.Paragraph("The host of the server is not described: the server runs on another machine, or plinth could not verify that it runs on this one. Run plinth inspect there."))
	}
	var unknown, help []string
	for _, g := range i.Unknown() { // mostly because this machine does not have it
		unknown = append(unknown, g.What+" ("+g.Why+")")
	}
	for _, h := range i.Help() {
		help = append(help, strings.ToUpper(h.Who[:1])+h.Who[1:]+" would add: "+strings.Join(h.Adds, "; ")+".")
	}
	if unknown != nil {
		d.Add(prose.Paragraph("Not visible: " + strings.Join(unknown, "; ") + "."))
	}
	d.Add(prose.Paragraph(strings.Join(help, " ")))
	if watched != nil {
		runpage.AddWatched(&d, watched, i, opts.Watched)
	}
	return d
}

func findingsTitle(all []inspect.Finding) string {
	counts := map[inspect.Severity]int{}
	for _, f := range all {
		counts[f.Severity]++
	}
	var parts []string
	for _, severity := range []inspect.Severity{inspect.Critical, inspect.Warning, inspect.Note} {
		if n := counts[severity]; n > 0 && severity == inspect.Critical {
			parts = append(parts, fmt.Sprintf("%d critical", n))
		} else if n > 0 {
			parts = append(parts, phrase.Plural(n, string(severity)))
		}
	}
	if parts == nil {
		return "Nothing found"
	}
	return "Found: " + strings.Join(parts, ", ")
}
