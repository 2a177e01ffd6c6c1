package inspection

import (
	"fmt"
	"strings"

	"plinth/internal/inspect"
	"plinth/internal/prose"
)

// findingList shows findings as advice: the severity in the first column; fact, reason and
// remedy beside it.
type findingList struct {
	findings []inspect.Finding
	colour   bool
}

const severityColumn = 10

// colours holds the colours of severities: bold red and yellow; others have none.
var colours = map[inspect.Severity]string{inspect.Critical: "\x1b[1;31m", inspect.Warning: "\x1b[33m"}

const plainAgain = "\x1b[0m"

func (l findingList) Text(width int) string {
	parts := make([]string, len(l.findings))
	for i, f := range l.findings {
		word := string(f.Severity)
		column := word + strings.Repeat(" ", severityColumn-prose.Length(word))
		text := prose.Hanging(column, f.Text, width)
		if code, known := colours[f.Severity]; known && l.colour {
			text = code + word + plainAgain + strings.TrimPrefix(text, word)
		}
		for _, line := range findingLines(f) {
			text += prose.Hanging(fmt.Sprintf("%*s%-12s", severityColumn, "", line.Name+":"), line.Text, width)
		}
		parts[i] = text
	}
	return strings.Join(parts, "\n")
}

func (l findingList) Markdown() string {
	var b strings.Builder
	for _, f := range l.findings {
		fmt.Fprintf(&b, "- **%s**: %s\n", f.Severity, prose.EscapeMarkdown(f.Text))
		for _, line := range findingLines(f) {
			text := prose.EscapeMarkdown(line.Text)
			if line.Name == doName {
				text = withCommands(line.Text)
			}
			fmt.Fprintf(&b, "  - %s: %s\n", line.Name, text)
		}
	}
	return b.String()
}

func (l findingList) HTML() string {
	var d prose.Document
	for _, f := range l.findings {
		lines := prose.List{string(f.Severity) + ": " + f.Text}
		for _, line := range findingLines(f) {
			lines = append(lines, line.Name+": "+line.Text)
		}
		d.Add(lines)
	}
	return d.HTML()
}

// sameForBoth is the text for production of a finding that matters equally to a benchmark.
const sameForBoth = "the same"

// doName is the name of the line with the remedy.
const doName = "do"

// findingLines returns the lines below a finding. A reason that holds for both is shown once.
func findingLines(f inspect.Finding) []prose.Fact {
	var lines []prose.Fact
	benchmark := "benchmark"
	if f.Production == sameForBoth {
		benchmark = "why"
	}
	if f.Benchmark != "" {
		lines = append(lines, prose.Fact{Name: benchmark, Text: f.Benchmark})
	}
	if f.Production != "" && f.Production != sameForBoth {
		lines = append(lines, prose.Fact{Name: "production", Text: f.Production})
	}
	return append(lines, prose.Fact{Name: doName, Text: f.Do})
}
