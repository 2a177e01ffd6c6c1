package advising

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"plinth/internal/advice"
	"plinth/internal/record"
	"plinth/internal/report/reporttest"
)

func adviceOf(t *testing.T, rec *record.Record, p99 time.Duration) *advice.Advice {
	t.Helper()
	e, err := rec.Experiment()
	if err != nil {
		t.Fatal(err)
	}
	a, err := advice.Of(advice.Input{Record: rec, Experiment: e, P99: p99, Now: rec.Summary.Created})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func text(t *testing.T, why, format string, all ...*advice.Advice) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, &advice.All{Records: all}, why, format, 80); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGolden: a decided record without prices, and one of Redis policies.
func TestGolden(t *testing.T) {
	decided, redis := adviceOf(t, reporttest.Decided(t), 0), adviceOf(t, reporttest.Cached(t), 100*time.Microsecond)
	got := text(t, "", "text", decided, redis)
	reporttest.Golden(t, "testdata/advice.txt", got)
	reporttest.Golden(t, "testdata/why.txt", text(t, "writes", "text", decided)+"\n"+text(t, "loss", "text", redis)+"\n"+text(t, "one-run", "text", redis)+"\n"+text(t, "zone", "text", decided))
	for line := range strings.Lines(got) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
}

func TestJSON(t *testing.T) {
	var back JSON
	if err := json.Unmarshal([]byte(text(t, "", "json", adviceOf(t, reporttest.Decided(t), 0))), &back); err != nil {
		t.Fatal(err)
	}
	if back.Schema != advice.Schema || len(back.Records) != 1 || len(back.Records[0].Answers) == 0 {
		t.Errorf("%+v", back)
	}
	if err := Write(&bytes.Buffer{}, &advice.All{}, "", "csv", 80); err == nil {
		t.Error("there is no CSV")
	}
}
