package capture

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

// members reads the lines of a text into a document, and returns its members in the order of the text.
func members(text string) (got, refused []string, complete bool, err error) {
	d := Document{}
	for line := range strings.Lines(text) {
		if !d.Line([]byte(strings.TrimSuffix(line, "\n"))) {
			refused = append(refused, strings.TrimSpace(line))
		}
	}
	err = d.Members(func(name string, value *json.Decoder) error {
		var raw json.RawMessage
		if err := value.Decode(&raw); err != nil {
			return err
		}
		got = append(got, name+"="+string(raw))
		return nil
	})
	return got, refused, d.Complete(), err
}

func TestDocument(t *testing.T) {
	for _, test := range []struct {
		name, text, members, refused string
		complete                     bool
		err                          error
	}{
		{"lines", "{\n \"a\": 1,\n \"b\": {\"c\": \"}\\\"\"}\n}\n", `a=1 b={"c": "}\""}`, "", true, nil},
		{"one line", `{"a":[1,2]}`, "a=[1,2]", "", true, nil},
		{"not a number", "{\n\"a\" : -nan,\n\"b\": inf}", "a=null b=null", "", true, nil},
		{"a message in the middle", "{\n\"a\": 1,\nWARNING: x\n\"b\": 2}", "a=1 b=2", "WARNING: x", true, nil},
		{"a message that begins as a word of JSON", "{\n\"a\": 1,\nfio: warning\n\"b\": 2}", "a=1 b=2", "fio: warning", true, nil},
		{"text after it", "{\"a\": 1}\n{\"b\": 2}\n", "a=1", `{"b": 2}`, true, nil},
		{"cut", "{\n\"a\": 1,\n\"b\": 2", "a=1 b=2", "", false, io.EOF},
		{"another one begins", "{\n \"a\": 1,\n{", "a=1", "{", false, nil},
		{"not indented", "{\n\"a\": [\n{\n\"b\": 1}]}\n", "a=[\n{\n\"b\": 1}]", "", true, nil},
		{"an array", "[1]\n", "", "[1]", false, io.EOF},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, refused, complete, err := members(test.text)
			if strings.Join(got, " ") != test.members || strings.Join(refused, " ") != test.refused || complete != test.complete {
				t.Errorf("members %q, refused %q, complete %v", got, refused, complete)
			}
			if test.err != nil && !errors.Is(err, test.err) || test.complete && err != nil {
				t.Errorf("error %v, want %v", err, test.err)
			}
		})
	}
}

func TestDocumentIsBounded(t *testing.T) {
	d := Document{}
	d.Line([]byte("{"))
	line := []byte(`"` + strings.Repeat("x", 1<<20) + `",`)
	for range 2 * maxDocument >> 20 {
		d.Line(line)
	}
	if err := d.Members(nil); err == nil || err.Error() != "the JSON document is larger than 64 MiB" || cap(d.text) > 3*maxDocument {
		t.Errorf("error %v", err)
	}
}
