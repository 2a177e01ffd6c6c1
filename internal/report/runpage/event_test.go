package runpage_test

import (
	"regexp"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/runpage"
)

func TestEventsOfARun(t *testing.T) {
	rec, run := reporttest.CliffRun(t)
	run.Events = []record.Event{
		{Name: "move", What: "ALTER TABLE …", At: 20.04, Took: 3.5},
		{Name: "dump", At: 31, Took: 0.012, Error: "pg_dump: \x1b[2Jno such table"},
	}
	text := writeRun(t, rec, run, "text", runpage.Options{Width: 120})
	for _, want := range []string{
		`(?s)Second by second.*\nEvents\n======\n.*Resources`, `(?m)^move +20\.0 s +3\.5s +done$`, `(?m)^dump +31\.0 s +12ms +failed: pg_dump: .*no such table$`,
	} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("%s is not in:\n%s", want, text)
		}
	}
}
