package strictyaml

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Syntax notes that a file is not YAML. The library reports the line at which it detected the error, or
// none. Syntax instead finds the end of the longest prefix of the file that is valid YAML.
func (s *Notes) Syntax(data []byte, err error) {
	lines := bytes.SplitAfter(data, []byte("\n"))
	for i, line := range lines {
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if tab := bytes.IndexByte(indent, '\t'); tab >= 0 && len(indent) < len(bytes.TrimRight(line, "\r\n")) {
			s.Add(&yaml.Node{Line: i + 1, Column: tab + 1}, "indent with spaces", "a tab in the indentation, where YAML allows only spaces")
			return
		}
	}
	at, rest := breakingPoint(data, lines)
	text, hint := Explain(err, rest)
	s.Add(at, hint, "%s", text)
}

// breakingPoint returns the position after the longest prefix of data that is YAML, and the rest of
// that line. For files larger than 16 KiB it returns the start of the file.
func breakingPoint(data []byte, lines [][]byte) (*yaml.Node, string) {
	if len(data) > 16<<10 {
		return &yaml.Node{Line: 1, Column: 1}, ""
	}
	n, start := len(lines), len(data)
	for n > 0 {
		n--
		start -= len(lines[n])
		if isYAML(data[:start]) {
			break
		}
	}
	line := lines[n]
	column := min(len(line), 1000)
	for column > 0 && !isYAML(data[:start+column]) {
		column--
	}
	rest := bytes.TrimLeft(line[column:], " ")
	column = len(line) - len(rest)
	letters := len([]rune(string(line[:column])))
	return &yaml.Node{Line: n + 1, Column: letters + 1}, string(rest)
}

// isYAML reports whether all documents in data can be parsed.
func isYAML(data []byte) bool {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var n yaml.Node
		if err := decoder.Decode(&n); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

var unknownAnchor = regexp.MustCompile(`unknown anchor '(.*)' referenced`)

// Explain translates the library's message into a description and a hint. rest is the line from the
// position of the error, or empty.
func Explain(err error, rest string) (text, hint string) {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	contains := func(part string) bool { return strings.Contains(message, part) }
	first := rest[:min(len(rest), 1)]
	const columns = "align the keys of a mapping in the same column"
	switch anchor := unknownAnchor.FindStringSubmatch(message); {
	case anchor != nil:
		return "no value before this has the anchor &" + Bare(anchor[1]), ""
	case first == "[" && (contains("expected ',' or ']'") || contains("node content")):
		return "this [ is never closed", "put a ] at the end of the list"
	case first == "{" && (contains("expected ',' or '}'") || contains("node content")):
		return "this { is never closed", "put a } at its end"
	case (first == `"` || first == "'") && contains("end of stream"):
		return "this quote is never closed", ""
	case contains("cannot start any token"):
		return "a value cannot begin with " + first, "put it in quotes"
	case contains("mapping values are not allowed"):
		return "a colon is not allowed here", "put text that contains a colon in quotes; " + columns
	case contains("expected ':'"):
		return "expected a key and a colon", ""
	case contains("control characters"):
		return "control characters are not allowed", ""
	}
	return "this is not valid YAML", columns
}
