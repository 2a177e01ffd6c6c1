package strictyaml

import (
	"errors"
	"maps"
	"strings"
	"testing"
)

// depth reads its own text.
type depth int

func (d *depth) UnmarshalText(text []byte) error {
	if string(text) != "deep" {
		return errors.New("not a depth")
	}
	*d = 2
	return nil
}

type shelf struct {
	Name   string             `yaml:"name"`
	Depth  depth              `yaml:"depth"`
	Price  *float64           `yaml:"price"`
	Books  map[string]float64 `yaml:"books"`
	Boards []struct {
		Width int `yaml:"width"`
	} `yaml:"boards"`
	Hidden string `yaml:"-"`
}

func fill(t *testing.T, text string) (s shelf, mistakes string) {
	t.Helper()
	notes := &Notes{File: "shelf.yaml"}
	root, err := notes.Document([]byte(text), Kind{Name: "shelf", File: "shelf file", Limit: 1 << 10})
	if err != nil || root == nil {
		t.Fatal(err, notes.Err())
	}
	notes.Fill(root, &s, "the shelf")
	if err := notes.Err(); err != nil {
		mistakes = err.Error()
	}
	return s, mistakes
}

func TestFill(t *testing.T) {
	s, mistakes := fill(t, "{name: a, depth: deep, price: 3.5, books: {x: 1, y: 2}, boards: [{width: 4}, {width: 5}]}")
	if mistakes != "" || s.Name != "a" || s.Depth != 2 || s.Price == nil || *s.Price != 3.5 ||
		!maps.Equal(s.Books, map[string]float64{"x": 1, "y": 2}) || len(s.Boards) != 2 || s.Boards[1].Width != 5 {
		t.Errorf("%+v, %s", s, mistakes)
	}
	if s, _ := fill(t, "{name: a}"); s.Price != nil || s.Books != nil {
		t.Errorf("what is absent: %+v", s)
	}
}

func TestFillMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"[a]":                       "shelf.yaml:1:1: the shelf: expected keys and values, found a list",
		"{owner: a}":                `shelf.yaml:1:2: unknown key "owner" in the shelf`,
		"{hidden: a}":               `shelf.yaml:1:2: unknown key "hidden" in the shelf`,
		"{name: a, name: b}":        `shelf.yaml:1:11: duplicate key "name" in the shelf (first on line 1)`,
		"{name: [a]}":               "the shelf, name: expected text, found a list",
		"{name: null}":              "the shelf, name: expected text, found nothing",
		"{depth: 2}":                "the shelf, depth: not a depth",
		"{price: dear}":             `the shelf, price: expected a number, found "dear"`,
		"{price: null}":             "the shelf, price: expected a number, found nothing",
		"{books: [1]}":              "the shelf, books: expected keys and values, found a list",
		"{books: {x: y}}":           `the shelf, books, x: expected a number, found "y"`,
		"{boards: {width: 1}}":      "the shelf, boards: expected a list, found keys and values",
		"{boards: [{width: wide}]}": `the shelf, boards, width: expected a whole number, found "wide"`,
	} {
		if _, got := fill(t, text); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
