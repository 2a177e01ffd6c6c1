package strictyaml

import (
	"errors"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestMistakesHaveTheirPlaces: in the order of the file, each once, what is not in the
// file last.
func TestMistakesHaveTheirPlaces(t *testing.T) {
	s := &Notes{File: "x.yaml", Elsewhere: map[*yaml.Node]string{}, Shared: map[*yaml.Node]bool{}}
	late, early, outside, shared := &yaml.Node{Line: 3, Column: 1}, &yaml.Node{Line: 1, Column: 4}, &yaml.Node{}, &yaml.Node{Line: 2, Column: 2}
	s.Elsewhere[outside], s.Shared[shared] = "--set a", true
	s.Add(outside, "", "outside")
	s.Add(late, "do it otherwise", "late")
	s.Add(shared, "", "one")
	s.Add(shared, "", "another")
	s.Add(early, "", "early")
	s.Add(early, "", "early")
	s.Add(nil, "", "all of it")
	want := "x.yaml: all of it\nx.yaml:1:4: early\nx.yaml:2:2: one\nx.yaml:3:1: late\n--set a: outside"
	if err := s.Err(); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// FuzzDocument: whatever a file holds, there is a tree without aliases, or a mistake.
func FuzzDocument(f *testing.F) {
	for _, text := range []string{"", "a: &x [1]\nb: *x", "a: &x [*x]", "a: b: c", "a: [", "---\na\n---\nb", "\xff", "<<: {a: 1}", "!!str a", strings.Repeat("#", 101)} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &Notes{File: "x.yaml"}
		root, err := s.Document(data, Kind{Name: "thing", File: "thing", Limit: 100})
		if err != nil {
			s.Syntax(data, err)
		}
		if root != nil {
			root = s.Expand(root)
			for e := range Entries(root) {
				if e.Key.Kind == yaml.AliasNode || Describe(e.Value) == "an alias" {
					t.Errorf("%q: an alias is left", data)
				}
			}
			return
		}
		var wrong *Error
		if !errors.As(s.Err(), &wrong) || len(wrong.Mistakes) == 0 {
			t.Errorf("%q: no mistake", data)
		}
	})
}
