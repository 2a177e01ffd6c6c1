package record_test

import (
	"errors"
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/record/files"
)

// TestHeadingDamage checks that ReadHeading is as strict as Open about the fields that it reads.
func TestHeadingDamage(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage damage
		want   string
	}{
		{"empty", write("record.json", ""), "record.json: unexpected end"},
		{"half", halve("record.json"), "record.json: unexpected end"},
		{"another kind", write("record.json", `{"schema":"other/v1"}`), `record.json: its schema is "other/v1"`},
		{"no schema", write("record.json", `{}`), `record.json: its schema is ""`},
		{"a list", write("record.json", `[]`), "record.json: not valid JSON"},
		{"text after it", replace("record.json", "}\n", "} x\n"), "record.json: "},
		{"unknown state", replace("record.json", `"running"`, `"asleep"`), `record.json: state is "asleep"`},
		{"a later one that does not fit", write("record.json", `{"question":7,"schema":"plinth/record/v2"}`), "written by a newer version of plinth"},
		{"huge", grow("record.json", 65<<20), "record.json: too large: 68157440 bytes"},
		{"a directory", becomeDir("record.json"), "record.json: not a regular file"},
		{"a symlink", become(symlink, "record.json"), "record.json: neither a file"},
		{"a FIFO", become(fifo, "record.json"), "record.json: neither a file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newRecord(t, t.TempDir())
			must(t, w.Close())
			c.damage(t, w.Path())
			h, err := record.ReadHeading(w.Path())
			if err == nil || !strings.Contains(err.Error(), c.want) || errors.As(err, new(*files.LaterError)) != strings.HasPrefix(c.name, "a later") {
				t.Errorf("%+v, %v; want %s", h, err, c.want)
			}
		})
	}
}
