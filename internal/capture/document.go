package capture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
)

// Document gathers the lines of one JSON document whose outermost value is an object.
type Document struct {
	text              []byte
	depth             int
	quoted, escaped   bool
	complete, tooLong bool
	indented          bool // a line is
}

// maxDocument is the size up to which a document is read.
const maxDocument = 64 << 20

// Line takes the next line. It reports false, and takes nothing, for a line that cannot belong to the
// document: another one has begun, or the line is a message of another program.
func (d *Document) Line(line []byte) bool {
	if !d.belongs(line, bytes.TrimSpace(line)) {
		return false
	}
	if d.tooLong = d.tooLong || len(d.text)+len(line) > maxDocument; d.tooLong {
		d.text = d.text[:1]
		return true
	}
	d.indented = d.indented || len(d.text) > 0 && len(line) > 0 && (line[0] == ' ' || line[0] == '\t')
	d.quoted, d.escaped = false, false // a string of JSON ends on its line
	for _, c := range line {
		d.char(c)
	}
	d.text = append(append(d.text, line...), '\n')
	d.complete = d.depth == 0
	return true
}

// belongs reports whether a line, which trimmed has without spaces around it, can be part of the document.
func (d *Document) belongs(line, trimmed []byte) bool {
	switch {
	case d.complete:
		return false
	case len(d.text) == 0:
		return bytes.HasPrefix(trimmed, []byte("{"))
	case len(trimmed) == 0:
		return true
	case d.indented && line[0] == '{':
		return false // another document: in an indented one, only the outermost object begins there
	}
	return jsonLine.Match(trimmed)
}

// jsonLine is a line that can begin within a document.
var jsonLine = regexp.MustCompile(`^(?:[{}\[\]":,0-9-]|(?:true|false|null|nan|inf)\b)`)

func (d *Document) char(c byte) {
	switch {
	case d.escaped:
		d.escaped = false
	case d.quoted && c == '\\':
		d.escaped = true
	case c == '"':
		d.quoted = !d.quoted
	case d.quoted:
	case c == '{', c == '[':
		d.depth++
	case c == '}', c == ']':
		d.depth--
	}
}

// Empty reports whether the document has not begun.
func (d *Document) Empty() bool { return len(d.text) == 0 }

// Complete reports whether the document has ended.
func (d *Document) Complete() bool { return d.complete }

// notNumber is a number that C prints and JSON does not have.
var notNumber = regexp.MustCompile(`(:\s*)-?(?:nan|inf)\b`)

// Members calls member for each member of the outermost object: see Members. Numbers such as "-nan"
// are null.
func (d *Document) Members(member func(name string, value *json.Decoder) error) error {
	if d.tooLong {
		return fmt.Errorf("the JSON document is larger than %d MiB", maxDocument>>20)
	}
	text := notNumber.ReplaceAll(d.text, []byte("${1}null"))
	return Members(json.NewDecoder(bytes.NewReader(text)), member)
}

// Members calls member for each member of the object that comes next. member decodes the value; it
// can use Skip.
func Members(d *json.Decoder, member func(name string, value *json.Decoder) error) error {
	return each(d, '{', func() error {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		return member(name, d)
	})
}

// Elements calls element for each element of the array that comes next.
func Elements(d *json.Decoder, element func(value *json.Decoder) error) error {
	return each(d, '[', func() error { return element(d) })
}

// Skip skips the value that comes next.
func Skip(d *json.Decoder) error {
	var value json.RawMessage
	return d.Decode(&value)
}

func each(d *json.Decoder, begin json.Delim, item func() error) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if token != begin {
		return errors.New("it is not of the form that the tool prints")
	}
	for d.More() {
		if err := item(); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}
