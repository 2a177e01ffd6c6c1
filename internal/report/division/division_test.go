package division_test

import (
	"strings"
	"testing"

	"plinth/internal/diagnosis/share"
	"plinth/internal/page/pagetest"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/division"
)

func made(t *testing.T, name string) *record.Record {
	t.Helper()
	dir, err := pagetest.Make(t.TempDir(), name)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func contains(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in it:\n%.3000s", w, text)
		}
	}
}

// TestBars checks a bar for each environment, with its parts, its sentence, and a link to its typical run.
func TestBars(t *testing.T) {
	d := division.Part(made(t, "two"), division.Options{Environments: []string{"one-disk", "two-disks"}, Links: true})
	html := d.HTML()
	contains(t, html, `data-when="cell=c8-j2 scale=time"`, `data-when="cell=c8-j2 scale=share" hidden=""`, "WAL flush", "not explained", `class="rest"`,
		"WAL flushes, ", "(first in ", ` of 6 runs)`, `<a href="#run=two-disks/tpcb-like/c8-j2/r0`, "A share is exact to ±", "How much longer a transaction takes than with one-disk",
		"<details><summary>All parts in numbers", "load generator waiting for a CPU: ", `data-choice="scale"`)
	for _, b := range d {
		if p, is := b.(prose.Picture); is && (len(p.SVGs) != 1 || len(p.Narrow) != 1 || p.SVGs[0] == p.Narrow[0]) {
			t.Errorf("%s is not drawn for wide and for narrow windows", p.When)
		}
	}
}

// TestNumbers checks the form for a pull request: sentences, and a table of the parts by environment.
func TestNumbers(t *testing.T) {
	text := division.Part(made(t, "three"), division.Options{Environments: []string{"disk", "memory", "replicated"}, Brief: true}).Markdown()
	contains(t, text, "- tpcb-like, memory: WAL flushes, ", "| Part | disk | memory | replicated |", "| WAL flush | ", "| not explained | ", "| response time | ", "| error of a share | ±")
	if strings.Contains(text, "<details>") {
		t.Error("the table is folded")
	}
}

// TestUndivided checks that the reason is shown where there is nothing to draw.
func TestUndivided(t *testing.T) {
	rec := made(t, "no-telemetry")
	contains(t, division.Part(rec, division.Options{}).HTML(), "It is not known where the time goes: the run was not observed.")
	contains(t, division.OfRun(rec, &rec.Runs[0]).HTML(), "The response time could not be divided: the run was not observed.")
	if d := division.Part(rec, division.Options{Brief: true}); d != nil {
		t.Errorf("a pull request says %s", d.Markdown())
	}
	if d := division.Part(made(t, "empty"), division.Options{}); d != nil {
		t.Errorf("without a run it says %s", d.Markdown())
	}
}

// TestCountedTwice checks that parts that come to more than the response time are said to do so.
func TestCountedTwice(t *testing.T) {
	rec := made(t, "long")
	points, err := rec.Points(&rec.Runs[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range points.Columns {
		if c.Name == "wait.IO.WALSync" {
			for i := range c.Values {
				c.Values[i] *= 3
			}
		}
	}
	if err := record.WritePoints(rec.Path+"/"+rec.Runs[0].Path()+"/points.parquet", points); err != nil {
		t.Fatal(err)
	}
	html := division.Part(rec, division.Options{Environments: []string{"disk"}}).HTML()
	contains(t, html, " count twice</text>", "as some time counts twice</title>", "the short lines at the edges of the bar mark the response time",
		"Not explained is negative where some time counts twice", `<th scope="row">not explained</th><td class="n">-`)
	if strings.Contains(html, `class="rest"`) {
		t.Error("a negative part is drawn")
	}
	contains(t, division.OfRun(rec, &rec.Runs[0]).HTML(), "The parts add up to more than that: ")
}

// TestRun checks the page of a run: what was found with its evidence, and what was not.
func TestRun(t *testing.T) {
	rec := made(t, "two")
	contains(t, division.OfRun(rec, &rec.Runs[0]).HTML(), "Primary: commits wait for the WAL to be flushed", "To try: ", "Evidence", "wait.IO.WALSync", "Considered: not the cause", "Not examined", "Sessions")
}

// TestLooks checks that each part has a look, and no two of PostgreSQL the same.
func TestLooks(t *testing.T) {
	seen := map[int]string{}
	for _, part := range share.Titles() {
		if _, ofRedis := division.RedisLooks[part.Name]; ofRedis {
			continue
		}
		look, known := division.Looks[part.Name]
		if other := seen[look]; !known || other != "" {
			t.Errorf("%s has the look %d (known: %v) of %q: see look.go", part.Name, look, known, other)
		}
		seen[look] = part.Name
	}
}
