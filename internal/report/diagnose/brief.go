package diagnose

import (
	"fmt"

	"plinth/internal/diagnosis"
	"plinth/internal/prose"
)

// Brief adds what binds to a document about a run, or about a server that was watched: the first causes, each in
// a line, and the command that says more; "" for none.
func Brief(doc *prose.Document, d diagnosis.Diagnosis, command string) {
	if d.Division == nil {
		return
	}
	doc.Add(prose.Heading("What binds"), prose.Paragraph(cliff(d)))
	lines := prose.List{}
	for i, f := range d.Findings[:min(len(ranks), len(d.Findings))] {
		lines = append(lines, fmt.Sprintf("%s: %s; %s of each transaction, %s of %s (%s)", ranks[i], f.Text, diagnosis.Duration(f.Time), percent(f.Share), wholeName(d), f.Basis))
	}
	if len(lines) == 0 {
		lines = append(lines, "nothing that was read explains where the time goes")
	}
	doc.Add(lines)
	if command != "" {
		doc.Add(prose.Paragraph(command + " says more."))
	}
}

// wholeName names the whole of which the shares are.
func wholeName(d diagnosis.Diagnosis) string {
	if d.Division != nil && d.Division.InServer {
		return "the time in the server"
	}
	return "the response time"
}
