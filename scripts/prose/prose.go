// Package prose finds words that plinth's documents, comments and messages do not use. Its test
// runs over the repository.
package prose

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// Word is a phrase to avoid, with its replacement.
type Word struct {
	pattern     *regexp.Regexp
	replacement string
}

// Words reads a list: a regular expression, a tab, and the replacement on each line.
func Words(r io.Reader) ([]Word, error) {
	var words []Word
	for lines := bufio.NewScanner(r); lines.Scan(); {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		pattern, replacement, found := strings.Cut(line, "\t")
		if !found || replacement == "" {
			return nil, fmt.Errorf("%q has no replacement", line)
		}
		// White space in a pattern matches a line break, too.
		compiled, err := regexp.Compile(`(?i)\b(?:` + strings.ReplaceAll(pattern, " ", `\s+(?://\s+)?`) + `)\b`)
		if err != nil {
			return nil, err
		}
		words = append(words, Word{compiled, replacement})
	}
	return words, nil
}

// Text is a piece of prose and the line at which it begins.
type Text struct {
	Line int
	Text string
}

// Find returns a line for each word that is found in texts: its file and line, the word, and the
// replacement.
func Find(file string, texts []Text, words []Word) (found []string) {
	for _, text := range texts {
		for _, w := range words {
			for _, at := range w.pattern.FindAllStringIndex(text.Text, -1) {
				line := text.Line + strings.Count(text.Text[:at[0]], "\n")
				found = append(found, fmt.Sprintf("%s:%d: %q: write %s", file, line, text.Text[at[0]:at[1]], w.replacement))
			}
		}
	}
	return found
}

var (
	fence      = regexp.MustCompile("(?ms)^```.*?^```")
	inlineCode = regexp.MustCompile("`[^`\n]*`")
	quoted     = regexp.MustCompile(`"[^"\n]*"`)
)

// Markdown returns the prose of a document: everything but code.
func Markdown(source string) []Text {
	return []Text{{1, blank(blank(source, fence), inlineCode)}}
}

// blank replaces matches with spaces and keeps line breaks.
func blank(text string, pattern *regexp.Regexp) string {
	return pattern.ReplaceAllStringFunc(text, func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == '\n' {
				return r
			}
			return ' '
		}, s)
	})
}

// Go returns the prose of a Go file: comments without quotations, and strings of several words.
func Go(source string) ([]Text, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var texts []Text
	for _, group := range file.Comments {
		text := source[files.Position(group.Pos()).Offset:files.Position(group.End()).Offset]
		texts = append(texts, Text{files.Position(group.Pos()).Line, blank(blank(text, inlineCode), quoted)})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			// The value of a raw string is itself, so lines count; another string has one line.
			if text, err := strconv.Unquote(literal.Value); err == nil && len(strings.Fields(text)) > 2 {
				texts = append(texts, Text{files.Position(literal.Pos()).Line, text})
			}
		}
		return true
	})
	return texts, nil
}
