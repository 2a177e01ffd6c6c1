package report_test

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/report"
	"plinth/internal/report/compare"
	"plinth/internal/report/reporttest"
	"plinth/internal/verdict"
)

func full(t *testing.T, rec *record.Record) *report.Full {
	t.Helper()
	f, err := report.NewFull(rec, report.FullOptions{Links: true})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func bodyHTML(f *report.Full) string {
	var b strings.Builder
	for _, part := range f.Parts {
		b.WriteString(part.Body.HTML())
	}
	return b.String()
}

func TestAnswer(t *testing.T) {
	noRuns, _ := reporttest.NewRecord(t, "name: empty\ndataset: {scale: 1}\nworkloads: [tpcb-like]\nclients: [1]\nenvironments: {a: {}, b: {}}\n")
	alone, _ := reporttest.NewRecord(t, "name: alone\ndataset: {scale: 1}\nworkloads: [tpcb-like]\nclients: [1]\nenvironments: {a: {}}\n")
	alone.Summary.State = record.Running
	few := reporttest.WellDecided(t)
	few.Runs, few.Summary.State = few.Runs[:16], record.Interrupted // two repeats
	over := reporttest.WellDecided(t)
	over.Runs = few.Runs
	for name, c := range map[string]struct {
		rec  *record.Record
		want string
	}{
		"decided":   {reporttest.WellDecided(t), "two-disks is better than one-disk for tpcb-like: TPS +20.7 % (97.5 % interval +20.4 to +21.0 %). two-disks and one-disk are equivalent for simple-update: TPS 0.0 % (97.5 % interval 0.0 to 0.0 %)."},
		"too early": {few, "There is no verdict on two-disks against one-disk yet for simple-update: TPS 0.0 % (range 0.0 to 0.0 %); for tpcb-like: TPS +20.30 % (range +20.20 to +20.40 %)."},
		"over":      {over, "There is no verdict on two-disks against one-disk for simple-update: "},
		"no runs":   {noRuns, "No answer: there is no block in which both environments have a valid run."},
		"alone":     {alone, "No answer yet: 0 of "},
	} {
		if got := full(t, c.rec).Answer; !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestWeakestPointComesFirst checks the order: lost blocks, differences, short runs, unknown
// values; the variation between loads comes last, since the effect is far larger.
func TestWeakestPointComesFirst(t *testing.T) {
	rec := reporttest.WellDecided(t)
	rec.Summary.Warnings = []record.Note{
		{Rule: "short", Text: "only 5 s were measured"},
		{Rule: "parity-settings", Text: "work_mem differs"},
		{Rule: "of-a-later-plinth", Text: "something else"},
		{Rule: "one-load", Text: "all blocks share its luck"},
	}
	text := full(t, rec).Markdown()
	at := -1
	for _, want := range []string{"weakest point: work\\_mem differs", "only 5 s", "something else", "all blocks share its luck"} {
		next := strings.Index(text, want)
		if next <= at {
			t.Errorf("%q is not behind what came before in:\n%s", want, text)
		}
		at = next
	}
	rec.Runs[3].Status, rec.Runs[3].Reasons = record.Invalid, []record.Note{{Rule: "swapping", Text: "it swapped"}}
	if text := full(t, rec).Markdown(); !strings.Contains(text, "weakest point: 1 block left out in every environment (1 of 48 runs not valid)") {
		t.Errorf("the loss is not the weakest point:\n%s", text)
	}
}

// TestWhatIsNotLost checks that a block that was driven again is complete, and that an
// incomplete one is not a weakness.
func TestWhatIsNotLost(t *testing.T) {
	rec := reporttest.WellDecided(t)
	again := slices.Clone(rec.Runs)
	for i, run := range rec.Runs {
		if run.Cell == rec.Runs[0].Cell && run.Repeat == rec.Runs[0].Repeat {
			again[i].Status, again[i].Reasons = record.Invalid, []record.Note{{Rule: "swapping", Text: "it swapped"}}
			run.Attempt = 2
			again = append(again, run)
		}
	}
	rec.Runs = again
	if text := full(t, rec).Markdown(); strings.Contains(text, "left out") {
		t.Errorf("nothing was lost:\n%s", text)
	}
	rec = reporttest.WellDecided(t)
	rec.Runs, rec.Summary.State = rec.Runs[:len(rec.Runs)-1], record.Running
	if text := full(t, rec).Markdown(); strings.Contains(text, "weakest point: 1 block") {
		t.Errorf("a block is not complete yet, and called lost:\n%s", text)
	}
}

// TestFewBlocksAreNoDifference checks that too few blocks for a verdict are not reported as no
// difference.
func TestFewBlocksAreNoDifference(t *testing.T) {
	rec, e := reporttest.NewRecord(t, "name: few\ndataset: {scale: 1}\nworkloads: [select-only, tpcb-like]\nclients: [1]\nrepeats: 6\nenvironments: {a: {}, b: {}}\n")
	for _, repeat := range e.Schedule() {
		for _, slot := range repeat {
			tps := 1000 * (1 + 0.01*float64(slot.Repeat))
			if slot.Environment == "b" {
				tps *= 2
			}
			reporttest.Measured(t, rec, record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1}, tps, 1)
		}
	}
	if got, want := full(t, rec).Answer, "Too few blocks for a verdict on b against a (at least 7 are needed) for select-only: TPS +100 % "; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestAllPairsInOnePicture checks that one figure has every compared environment, without a
// choice.
func TestAllPairsInOnePicture(t *testing.T) {
	rec := reporttest.Cached(t)
	c, err := verdict.Of(rec, verdict.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := report.NewComparison(c, rec)
	if err != nil {
		t.Fatal(err)
	}
	svg, err := f.FigureSVG("verdicts", nil)
	for _, v := range c.Verdicts {
		if err != nil || !strings.Contains(svg, v.Other+" against "+v.Baseline) {
			t.Errorf("%s is not there: %v", v.Other, err)
		}
	}
}

// TestFullIsWellFormed checks that for any record the HTML is well-formed XML, without markup
// from the record, and without inline styles, which the page's policy forbids.
func TestFullIsWellFormed(t *testing.T) {
	unread := reporttest.Published(t)
	unread.ExperimentYAML = []byte("engine: oracle")
	broken := reporttest.Published(t)
	broken.Runs[0].Result.Latency.Histogram = "damaged"
	for name, rec := range map[string]*record.Record{
		"decided": reporttest.WellDecided(t), "published": reporttest.Published(t), "troubled": reporttest.Troubled(t), "unread": unread, "damaged": broken,
		"steps": reporttest.HostileTuning(reporttest.InSteps(t, 7)), "ablation": reporttest.HostileTuning(reporttest.TakenApart(t, 7)),
	} {
		html := bodyHTML(full(t, rec))
		decoder := xml.NewDecoder(strings.NewReader("<page>" + html + "</page>"))
		decoder.Entity = xml.HTMLEntity
		for {
			if _, err := decoder.Token(); err != nil {
				if err.Error() != "EOF" {
					t.Errorf("%s: %v", name, err)
				}
				break
			}
		}
		for _, bad := range []string{"<b>", " style=", "onload", "\x1b", "\u202e", "javascript:"} {
			if strings.Contains(html, bad) {
				t.Errorf("%s: %q is in the page", name, bad)
			}
		}
	}
}

// TestChoicesAreConsistent checks that the forms shown at first are the lists' defaults, and
// that each form can be reached.
func TestChoicesAreConsistent(t *testing.T) {
	html := bodyHTML(full(t, reporttest.Published(t)))
	chosen := map[string]string{}
	offered := map[string]bool{}
	for _, m := range regexp.MustCompile(`<select data-choice="(\w+)">(.*?)</select>`).FindAllStringSubmatch(html, -1) {
		for _, option := range regexp.MustCompile(`<option value="([^"]*)"( selected="")?>`).FindAllStringSubmatch(m[2], -1) {
			offered[m[1]+"="+option[1]] = true
			if option[2] != "" {
				chosen[m[1]] = option[1]
			}
		}
	}
	conditions := regexp.MustCompile(` data-when="([^"]*)"( hidden="")?`).FindAllStringSubmatch(html, -1)
	if len(conditions) < 10 || len(chosen) < 3 {
		t.Fatalf("%d conditions, chosen %v", len(conditions), chosen)
	}
	for _, m := range conditions {
		shown := true
		for _, condition := range strings.Fields(m[1]) {
			key, value, _ := strings.Cut(condition, "=")
			if !offered[condition] {
				t.Errorf("%s cannot be chosen", condition)
			}
			shown = shown && chosen[key] == value
		}
		if shown != (m[2] == "") {
			t.Errorf("%q is shown: %v, chosen are %v", m[1], m[2] == "", chosen)
		}
	}
}

func TestFigureSVG(t *testing.T) {
	f := full(t, reporttest.WellDecided(t))
	for _, c := range []struct {
		name    string
		choices []string
		want    string
	}{
		{"verdicts", nil, "two-disks is better: more TPS"},
		{"verdicts", []string{"effect=p99"}, "p99 latency"},
		{"throughput", nil, "clients"},
		{"p99", nil, "p99 latency, ms"},
		{"percentiles", []string{"cell=c10-j1"}, "percentile, % of transactions"},
		{"order", nil, "one-disk"},
	} {
		svg, err := f.FigureSVG(c.name, c.choices)
		if err != nil || !strings.HasPrefix(svg, "<?xml") || !strings.Contains(svg, c.want) {
			t.Errorf("%s %v: %v, %q is not in it", c.name, c.choices, err, c.want)
		}
	}
	for _, c := range []struct {
		name    string
		choices []string
		hint    string
	}{
		{"verdict", nil, "verdicts"},
		{"percentiles", []string{"cell=c9-j1"}, "cell=c10-j1"},
		{"order", []string{"threads=4"}, ""},
	} {
		if _, err := f.FigureSVG(c.name, c.choices); err == nil || !strings.Contains(hint.Of(err), c.hint) {
			t.Errorf("%s %v: %v, hint %q", c.name, c.choices, err, hint.Of(err))
		}
	}
}

// TestFullMarkdown compares the form for pull requests with a golden file.
func TestFullMarkdown(t *testing.T) {
	brief, err := report.NewFull(reporttest.WellDecided(t), report.FullOptions{Brief: true})
	if err != nil {
		t.Fatal(err)
	}
	got := brief.Markdown()
	golden := filepath.Join("testdata", "full.md")
	if *reporttest.Update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || got != string(want) {
		t.Errorf("%v; it is:\n%s", err, got)
	}
}

// TestAnswerOfVerdictsAlone checks that the answer from verdicts alone is the page's.
func TestAnswerOfVerdictsAlone(t *testing.T) {
	rec := reporttest.WellDecided(t)
	c, err := verdict.Of(rec, verdict.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := compare.AnswerOf(c.Engine, c.Plan, c.Verdicts), full(t, rec).Answer; got != want {
		t.Errorf("%q, the page says %q", got, want)
	}
	if got := compare.AnswerOf("", record.Plan{}, nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
