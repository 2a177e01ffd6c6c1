package published

import (
	"fmt"
	"strings"

	"plinth/internal/prose"
)

// introduction precedes the list in both of its forms.
var introduction = []string{
	"plinth's questions come from five publications. This list has their tables and claims, the command that redoes each, and " +
		"the result. The publications used other hardware, so an outcome is about the direction of an effect; the size " +
		"measured here is shown with its interval.",
	"*confirmed*: the interval contains only effects in the claimed direction; for a claim of no effect, only small ones. " +
		"*refuted*: the interval excludes what is claimed. *undecided*: tried, but the interval allows both, or the runs " +
		"cannot show what is claimed. *not tried*: needs hardware or services that this machine lacks, or has not been run " +
		"yet. *form*: a table whose layout the command prints.",
}

// Cite returns the title of a publication with its author.
func (p Publication) Cite() string {
	author := p.Author
	if author == "" {
		author = "No author named"
	}
	return fmt.Sprintf("%s, %q", author, p.Title)
}

// Count returns the number of claims with an outcome.
func (l *List) Count(o Outcome) int {
	n := 0
	for _, p := range l.Publications {
		for _, c := range p.Claims {
			if c.Outcome == o {
				n++
			}
		}
	}
	return n
}

// counts returns "12 confirmed, 3 refuted, ...".
func (l *List) counts() string {
	var parts []string
	for _, o := range Outcomes() {
		parts = append(parts, fmt.Sprintf("%d %s", l.Count(o), o))
	}
	return strings.Join(parts, ", ")
}

// Text returns the list for a terminal of this width.
func (l *List) Text(width int) string {
	var b strings.Builder
	for _, text := range append(introduction, l.Measured, "Claims and tables: "+l.counts()+".") {
		b.WriteString(prose.Paragraph(strings.ReplaceAll(text, "*", "")).Text(width) + "\n")
	}
	for i, p := range l.Publications {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(prose.Heading(p.Cite()).Text(width))
		for _, c := range p.Claims {
			b.WriteString("\n" + prose.Hanging("- ", c.Where+": "+c.Claim, width))
			b.WriteString("      " + c.Redo + "\n")
			b.WriteString(prose.Hanging("  "+string(c.Outcome)+": ", c.Found, width))
		}
		if len(p.Contradictions) > 0 {
			b.WriteString("\nFigures that cannot be right\n\n")
		}
		for _, c := range p.Contradictions {
			b.WriteString(prose.Hanging("- ", c.Where+": "+c.Why, width))
		}
	}
	return b.String()
}

// Markdown returns the list as docs/published.md.
func (l *List) Markdown() string {
	var b strings.Builder
	b.WriteString("# Published claims, redone\n\n")
	b.WriteString("<!-- Generated from internal/published/published.yaml by go test ./internal/published -update: edit that file. -->\n\n")
	for _, text := range introduction {
		b.WriteString(text + "\n\n")
	}
	b.WriteString(prose.EscapeMarkdown(l.Measured) + "\n\nClaims and tables: " + l.counts() + ". `plinth list --published` prints this list.\n")
	for _, p := range l.Publications {
		b.WriteString("\n## " + prose.EscapeMarkdown(p.Cite()) + "\n\n| section | claim or table | command | outcome | found |\n|---|---|---|---|---|\n")
		for _, c := range p.Claims {
			fmt.Fprintf(&b, "| %s | %s | `%s` | %s | %s |\n", prose.EscapeMarkdown(c.Where), prose.EscapeMarkdown(c.Claim), c.Redo, c.Outcome, prose.EscapeMarkdown(c.Found))
		}
		if len(p.Contradictions) > 0 {
			b.WriteString("\nFigures that cannot be right:\n\n")
		}
		for _, c := range p.Contradictions {
			b.WriteString("- " + prose.EscapeMarkdown(c.Where+": "+c.Why) + "\n")
		}
	}
	return b.String()
}
