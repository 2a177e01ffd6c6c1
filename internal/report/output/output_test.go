package output

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/prose"
)

func all() Forms {
	return Forms{
		Document: func() (prose.Document, error) { return prose.Document{prose.Heading("Title")}, nil },
		Table: func() (prose.Table, error) {
			return prose.Table{Columns: []prose.Column{{Title: "a"}, {Title: "b"}}, Rows: [][]string{{"1", "x,y"}}}, nil
		},
		Value:   func() (any, error) { return map[string]int{"a": 1}, nil },
		Gobench: func() (string, error) { return "BenchmarkA 1\n", nil },
	}
}

func TestWrite(t *testing.T) {
	for format, want := range map[string]string{
		"text": "Title\n", "markdown": "## Title\n", "csv": "a,b\n1,\"x,y\"\n", "json": "{\n  \"a\": 1\n}\n", "gobench": "BenchmarkA 1\n",
	} {
		var b strings.Builder
		if err := Write(&b, format, 0, all()); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %q, %v", format, b.String(), err)
		}
	}
}

func TestNoSuchFormat(t *testing.T) {
	run := Forms{Document: all().Document, Value: all().Value, Of: "of a run"}
	if formats := run.Formats(); !slices.Equal(formats, []string{"text", "markdown", "json"}) {
		t.Error(formats)
	}
	err := Write(&strings.Builder{}, "csv", 0, run)
	if err == nil || err.Error() != `there is no format "csv" of a run` || hint.Of(err) != "use one of text, markdown, json" {
		t.Errorf("%v, hint %q", err, hint.Of(err))
	}
	if err := Check("text", []string{"text"}); err != nil {
		t.Error(err)
	}
	if err := Check("csv", []string{"text"}); err == nil || err.Error() != `there is no format "csv"` {
		t.Error(err)
	}
}

// An error of a form is returned unchanged; an error while writing names the format.
func TestErrors(t *testing.T) {
	broken := errors.New("it is damaged")
	f := Forms{
		Document: func() (prose.Document, error) { return nil, broken },
		Table:    func() (prose.Table, error) { return prose.Table{}, broken },
		Value:    func() (any, error) { return math.NaN(), nil },
	}
	for format, want := range map[string]string{"text": "it is damaged", "csv": "it is damaged", "json": "cannot write json: json: unsupported value: NaN"} {
		var b strings.Builder
		if err := Write(&b, format, 0, f); err == nil || err.Error() != want || b.Len() > 0 {
			t.Errorf("%s: %v, written %q", format, err, b.String())
		}
	}
}
