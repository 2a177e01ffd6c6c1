package pgbench

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"plinth/internal/capture"
	"plinth/internal/record"
)

func fixture(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func read(t testing.TB, text string) capture.Text {
	t.Helper()
	got, err := capture.Read(strings.NewReader(text), Kinds())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// runOf reads a fixture that has one run, and no line that is not understood.
func runOf(t testing.TB, name string) (capture.Run, []record.Note) {
	t.Helper()
	got := read(t, fixture(t, name))
	if len(got.Sections) != 1 || got.Sections[0].Refused != nil || len(got.Sections[0].Found.Runs) != 1 || got.Unread != nil {
		t.Fatalf("%s: %d sections, unread %v: %+v", name, len(got.Sections), got.Unread, got.Sections)
	}
	return got.Sections[0].Found.Runs[0], got.Sections[0].Found.Notes
}

// ms formats nanoseconds as milliseconds.
func ms(nanos float64) string { return fmt.Sprintf("%.3f", nanos/1e6) }

// shown describes a run in one line.
func shown(run *capture.Run) string {
	r := &run.Result
	text := fmt.Sprintf("%s %s %dx%d %s: %d in %.2f s = %.6f/s, %s +- %s ms", run.Version, run.Workload, run.Clients, run.Threads, r.Loop,
		r.Transactions, r.Duration, r.TPS, ms(r.Latency.Mean), ms(r.Latency.Stddev))
	if r.Latency.Max > 0 {
		text += fmt.Sprintf(" (%s-%s)", ms(float64(r.Latency.Min)), ms(float64(r.Latency.Max)))
	}
	for _, c := range []struct {
		name  string
		count int64
	}{{"failures", r.Failures}, {"retries", r.Retries}, {"skipped", r.Skipped}, {"late", r.Late}} {
		if run.Known[c.name] {
			text += fmt.Sprintf(", %s %d", c.name, c.count)
		} else if c.count != 0 {
			text += fmt.Sprintf(", %s %d?", c.name, c.count)
		}
	}
	if r.Lag != nil {
		text += fmt.Sprintf(", lag %s max %s", ms(r.Lag.Mean), ms(float64(r.Lag.Max)))
	}
	if run.Reconnect {
		text += ", reconnects"
	}
	for _, s := range r.Scripts {
		text += fmt.Sprintf("; %s: %d %.6f/s %s +- %s ms f%d r%d s%d", s.Name, s.Transactions, s.TPS, ms(s.Latency.Mean), ms(s.Latency.Stddev), s.Failures, s.Retries, s.Skipped)
	}
	return text
}

func options(run *capture.Run) string {
	var all []string
	for name, value := range run.Options {
		all = append(all, name+"="+value)
	}
	sort.Strings(all)
	return strings.Join(all, "; ")
}

// row returns the values of one row of the progress.
func row(s *capture.Series, at int) string {
	text := fmt.Sprintf("%s %v", s.Times[at].Time.Format("15:04:05.000"), s.Times[at].Clock)
	for _, c := range s.Columns {
		text += fmt.Sprintf(" %s=%.6g", c.Name, c.Values[at])
	}
	return text
}

func texts(notes []record.Note) string {
	var all []string
	for _, n := range notes {
		all = append(all, n.Rule+": "+n.Text)
	}
	return strings.Join(all, "\n")
}
