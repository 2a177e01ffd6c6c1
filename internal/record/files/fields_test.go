package files

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestFields(t *testing.T) {
	for _, c := range []struct{ data, want, err string }{
		{`{"a": 1, "b": "x", "c": [1, {"a": 7}]}`, "1 x", ""},
		{`{"c": {"a": "}"}, "b": "\\\"", "a": 3}`, `3 \"`, ""},
		{" {\n\t\"a\" : 5\r\n } \n", "5 ", ""},
		{`{}`, "0 ", ""},
		{`{"c": "\\", "a": 4}`, "4 ", ""},
		{`{"a": 1, "a": 2}`, "2 ", ""},
		{``, "", "unexpected end"},
		{`{`, "", "unexpected end"},
		{`{"a"`, "", "unexpected end"},
		{`{"a": 1`, "", "unexpected end"},
		{`{"a": `, "", "unexpected end"},
		{`{"c": [1, 2`, "", "unexpected end"},
		{`{"c": "1, 2`, "", "unexpected end"},
		{`{"c": ["1, 2`, "", "unexpected end"},
		{`[]`, "", "not valid JSON"},
		{`{"a": , "b": "x"}`, "", "not valid JSON"},
		{`{"a": 1 "b": "x"}`, "", "not valid JSON"},
		{`{"a": 1} x`, "", "after the end"},
		{"{\"a\": 1}\x00", "", "after the end"},
		{`{"a": "text"}`, "", "cannot unmarshal"},
		{`{"a": 1.x}`, "", "invalid character"},
	} {
		var found struct {
			a int
			b string
		}
		err := Fields([]byte(c.data), map[string]any{"a": &found.a, "b": &found.b})
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %s", c.data, err, c.err)
			}
			continue
		}
		if number, _ := json.Marshal(found.a); err != nil || string(number)+" "+found.b != c.want {
			t.Errorf("%s: %+v, %v; want %s", c.data, found, err, c.want)
		}
	}
}

// FuzzFields compares Fields with encoding/json: for valid JSON both yield the same
// fields and values.
func FuzzFields(f *testing.F) {
	for _, seed := range []string{
		`{"a": 1, "b": {"a": [true, null, "\"}"]}, "": -1e5}`, `{"a":"\\","b":[[[]]]}`, `{"x":"}","a":"` + "\u2028" + `"}`, `{`, `[]`, `{"a":1}x`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var a, b json.RawMessage
		err := Fields(data, map[string]any{"a": &a, "b": &b})
		if !json.Valid(data) {
			return // it may still be accepted: skipped values are not parsed
		}
		var whole map[string]json.RawMessage
		object := json.Unmarshal(data, &whole) == nil && whole != nil
		if object != (err == nil) {
			t.Fatalf("error %v, an object: %v", err, object)
		}
		if object && !strings.Contains(string(data), `\u`) && (string(a) != string(whole["a"]) || string(b) != string(whole["b"])) {
			t.Errorf("a is %s, b is %s; want %s, %s", a, b, whole["a"], whole["b"])
		}
	})
}
