package runpage_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"plinth/internal/figure"
	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/runpage"
)

func writeRun(t *testing.T, rec *record.Record, run *record.Run, format string, opts runpage.Options) string {
	t.Helper()
	var err error
	if opts.Checklist, err = figure.LoadChecklist(figure.Published); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := runpage.Write(&b, rec, run, format, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// runs returns the fictitious runs by the names of their golden files.
func runs() map[string]func(*testing.T) (*record.Record, *record.Run) {
	return map[string]func(*testing.T) (*record.Record, *record.Run){
		"cliff": reporttest.CliffRun, "long": reporttest.LongRun, "failed": reporttest.FailedRun, "before": runOfBefore, "short": shortRun,
	}
}

// runOfBefore returns a run of a plinth without telemetry.
func runOfBefore(t *testing.T) (*record.Record, *record.Run) {
	rec, run := reporttest.OneRun(t)
	reporttest.Observe(t, rec, run, -5, 59, reporttest.Load())
	return rec, run
}

func shortRun(t *testing.T) (*record.Record, *record.Run) {
	rec, run := reporttest.OneRun(t)
	run.Result.Duration = 3
	run.Telemetry = &record.Telemetry{}
	reporttest.Observe(t, rec, run, 0, 2, append(reporttest.Load(), reporttest.Telemetry()...))
	return rec, run
}

func TestRunGolden(t *testing.T) {
	for name, make := range runs() {
		rec, run := make(t)
		t.Run(name, func(t *testing.T) {
			reporttest.Golden(t, filepath.Join("testdata", "run", name+".txt"), writeRun(t, rec, run, "text", runpage.Options{}))
		})
	}
	rec, run := reporttest.CliffRun(t)
	for format, extension := range map[string]string{"markdown": "md", "json": "json", "csv": "csv"} {
		t.Run(format, func(t *testing.T) {
			reporttest.Golden(t, filepath.Join("testdata", "run", "cliff."+extension), writeRun(t, rec, run, format, runpage.Options{}))
		})
	}
	for file, opts := range map[string]runpage.Options{"cliff-every.txt": {Every: 10}, "cliff-40.txt": {Width: 40, Every: 10}, "cliff-200.txt": {Width: 200}} {
		t.Run(file, func(t *testing.T) {
			reporttest.Golden(t, filepath.Join("testdata", "run", file), writeRun(t, rec, run, "text", opts))
		})
	}
}

// TestRunFitsAndIsHarmless checks that a page stays within any terminal width, except for
// unbreakable words, and contains no control sequences.
func TestRunFitsAndIsHarmless(t *testing.T) {
	for name, make := range runs() {
		rec, run := make(t)
		for _, width := range []int{40, 80, 200} {
			text := writeRun(t, rec, run, "text", runpage.Options{Width: width, Every: 600})
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
					t.Errorf("%s at %d: %d characters: %s", name, width, n, line)
				}
			}
			reporttest.Harmless(t, name, text)
		}
		reporttest.Harmless(t, name, writeRun(t, rec, run, "markdown", runpage.Options{}))
	}
}
