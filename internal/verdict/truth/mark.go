package truth

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// Mark returns a fingerprint of the method and of a text produced with it. It hashes the
// numbers of each line's first trial, to six digits: another order of flips, another
// alpha or another ranking rule changes the mark, even if no printed share changes.
func Mark(tables []Table, text string) (string, error) {
	h := sha256.New()
	for _, t := range tables {
		for i, line := range t.Lines {
			column := i % len(t.Columns)
			answer, err := line.Ask(column, t.seed(line, column, 0))
			if err != nil {
				return "", fmt.Errorf("cannot try %q: %w", line.Name, err)
			}
			fmt.Fprintf(h, "%s %s %d %v", line.Name, line.Claim, line.Trials, answer.Yes)
			for _, number := range answer.Numbers {
				fmt.Fprintf(h, " %.6g", number)
			}
		}
	}
	fmt.Fprint(h, text)
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}

// These lines of a document enclose the tables.
const (
	begin = "<!-- truth -->\n"
	end   = "<!-- end -->\n"
)

// Between returns the text of a document between the markers.
func Between(document string) (text string, ok bool) {
	_, rest, found := strings.Cut(document, begin)
	text, _, closed := strings.Cut(rest, end)
	return text, found && closed
}

// Replaced returns the document with another text between the markers.
func Replaced(document, text string) (string, error) {
	old, ok := Between(document)
	if !ok {
		return "", fmt.Errorf("cannot write the tables: no %q and %q in the document", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return strings.Replace(document, begin+old+end, begin+text+end, 1), nil
}

// marked returns the line that ends the tables.
func marked(mark string) string { return "\n<!-- made by make truth: " + mark + " -->\n" }
