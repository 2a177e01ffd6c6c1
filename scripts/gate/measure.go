package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"plinth/internal/host"
	"plinth/internal/measuretest"
)

// measure runs the measurements that need a quiet machine (internal/measuretest), one after the
// other, and writes docs/measured.md. With packages it runs only theirs, and writes nothing.
func measure(ctx context.Context, packages []string) error {
	whole := len(packages) == 0
	if whole {
		packages = []string{"./internal/..."}
	}
	dir, err := os.MkdirTemp("", "plinth-measured-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	answers := filepath.Join(dir, "answers")
	words := []string{"go", "test", "-json", "-count=1", "-p=1", "-parallel=1", "-vet=off", "-timeout=60m", "-tags=measure", "-run=^TestMeasure"}
	cmd := command(ctx, append(words, packages...))
	cmd.Env = append(os.Environ(), measuretest.File+"="+answers)
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = decode(events, func(o outcome) {
		if o.result == "fail" || strings.HasPrefix(o.test, "TestMeasure") && !strings.Contains(o.test, "/") {
			fmt.Printf("%s  %s %s  %.0f s\n%s", o.result, short(o.pkg), o.test, o.seconds, framing.ReplaceAllString(o.output, ""))
		}
	})
	red := cmd.Wait()
	if err != nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	if whole {
		err = write("docs/measured.md", answers)
	}
	if red != nil {
		err = errors.Join(err, errRed)
	}
	return err
}

// framing matches the lines that go test prints at the beginning and end of a test.
var framing = regexp.MustCompile(`(?m)^(=== |--- ).*\n`)

// write writes the document with the answers in file to path.
func write(path, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var answers []measuretest.Answer
	for line := range bytes.Lines(text) {
		var a measuretest.Answer
		if err := json.Unmarshal(line, &a); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		answers = append(answers, a)
	}
	slices.SortStableFunc(answers, func(a, b measuretest.Answer) int { return strings.Compare(a.Package, b.Package) })
	facts, err := host.ReadFacts()
	if err != nil {
		return err
	}
	commit, err := exec.Command("git", "describe", "--always", "--dirty", "--abbrev=10").Output()
	if err != nil {
		return fmt.Errorf("cannot determine the commit: %w", err)
	}
	return os.WriteFile(path, []byte(page(answers, facts, strings.TrimSpace(string(commit)), time.Now())), 0o644)
}

const pageHead = `# Measurements of plinth itself

` + "`make test`" + ` checks only what does not depend on timing, so that a busy machine cannot make it fail. Before a release,
` + "`make measure`" + ` runs the measurements that need a quiet machine: how late emulated devices answer, whether plinth agrees
with vmstat, and what telemetry costs. Each check measures several times, and the medians must be within their bounds.
This page shows the latest results of ` + "`make measure`" + `.

`

// page returns the document: the machine and the date, then the tables of each package.
func page(answers []measuretest.Answer, facts host.Facts, commit string, now time.Time) string {
	out := &strings.Builder{}
	out.WriteString(pageHead)
	fmt.Fprintf(out, "- %s, commit %s\n", now.UTC().Format("2006-01-02"), commit)
	fmt.Fprintf(out, "- %s, %d CPUs, %.0f GiB of memory; %s, Linux %s\n", facts.CPUModel, facts.CPUs, float64(facts.Memory)/(1<<30), facts.OS, facts.Kernel)
	held, all, unanswered := 0, 0, 0
	for _, a := range answers {
		if len(a.Figures) == 0 {
			unanswered++
		}
		for _, f := range a.Figures {
			if f.Bounds() == "" {
				continue
			}
			all++
			if f.Held() {
				held++
			}
		}
	}
	fmt.Fprintf(out, "- %d checks, %d without an answer; %d of %d bounds are met\n", len(answers), unanswered, held, all)
	last := ""
	for _, a := range answers {
		if a.Package != last {
			fmt.Fprintf(out, "\n## %s\n", a.Package)
			last = a.Package
		}
		fmt.Fprintf(out, "\n%s (`%s`)\n", a.Question, a.Test)
		if len(a.Figures) == 0 {
			out.WriteString("\n**no answer**: a measurement failed\n")
			continue
		}
		out.WriteString("\n| figure | median | range | n | bound | |\n|---|---|---|---|---|---|\n")
		for _, f := range a.Figures {
			result := ""
			switch {
			case f.Bounds() == "":
			case f.Held():
				result = "met"
			default:
				result = "**not met**"
			}
			fmt.Fprintf(out, "| %s | %s | %s | %d | %s | %s |\n", f.What, f.Value(), f.Range(), f.N, f.Bounds(), result)
		}
	}
	return out.String()
}
