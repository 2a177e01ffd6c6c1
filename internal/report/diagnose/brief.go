package diagnose

import (
	"fmt"

	"plinth/internal/diagnosis"
	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/report/finding"
)

// most is how many causes a brief has.
const most = 3

// Brief adds what binds to a document about a run, or about a server that was watched: the first causes, each in
// a line, and the command that says more; "" for none.
func Brief(doc *prose.Document, d diagnosis.Diagnosis, words experiment.Terms, command string) {
	if d.Division == nil {
		return
	}
	doc.Add(prose.Heading("Bottleneck"), prose.Paragraph(finding.Fall(d, words)))
	lines := prose.List{}
	for i, f := range d.Findings[:min(most, len(d.Findings))] {
		lines = append(lines, fmt.Sprintf("%s: %s; %s of each %s, %s of %s (%s)", finding.Rank(i), f.Text, diagnosis.Duration(f.Time), words.Unit, finding.Percent(f.Share), finding.Whole(d), f.Basis))
	}
	if len(lines) == 0 {
		lines = append(lines, "nothing that was read explains where the time goes")
	}
	doc.Add(lines)
	if command != "" {
		doc.Add(prose.Paragraph(command + " says more."))
	}
}
