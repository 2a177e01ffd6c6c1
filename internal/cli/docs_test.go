package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentation runs every transcript of the documentation and compares what
// it prints, numbers aside: they are another machine's.
//
// A transcript is a fenced block marked console. A line that begins with "$ " is
// a command; what follows is what it prints, on standard error and output
// together; a line "..." stands for any lines, and so does a table of verdicts up to
// it. Of the page of a run only headings and heads of tables count: what else there is
// depends on what happened in it. A fenced block whose first line is
// "# NAME.yaml" is written to that file first.
func TestDocumentation(t *testing.T) {
	for _, file := range []string{"README.md", "docs/first-experiment.md", "docs/inspect.md", "docs/checklist.md", "docs/reading-a-run.md", "docs/report.md", "docs/probe.md", "docs/devices.md", "docs/storage.md"} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "..", file))
			if err != nil {
				t.Fatal(err)
			}
			d := newDocument(t)
			for _, block := range fencedBlocks(string(text)) {
				d.play(block)
			}
			if d.commands == 0 {
				t.Error("no transcript in it")
			}
		})
	}
}

type fenced struct{ language, text string }

var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

func fencedBlocks(markdown string) []fenced {
	var blocks []fenced
	for _, match := range fence.FindAllStringSubmatch(markdown, -1) {
		blocks = append(blocks, fenced{match[1], match[2]})
	}
	return blocks
}

// document is a directory in which the transcripts of one file are run.
type document struct {
	*testing.T
	dir      string
	commands int
}

func newDocument(t *testing.T) *document {
	dir, err := os.MkdirTemp("", "plinth-docs-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return &document{T: t, dir: dir}
}

func (d *document) play(block fenced) {
	d.Helper()
	first, rest, _ := strings.Cut(block.text, "\n")
	if name, found := strings.CutPrefix(first, "# "); found && strings.HasSuffix(name, ".yaml") {
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte(rest), 0o644); err != nil {
			d.Fatal(err)
		}
	}
	if block.language != "console" {
		return
	}
	for _, step := range strings.Split("\n"+block.text, "\n$ ")[1:] {
		command, want, _ := strings.Cut(step, "\n")
		d.commands++
		d.compare(command, want, d.run(command))
	}
}

// run runs one command line; "make quickstart" is what the Makefile does.
func (d *document) run(line string) string {
	d.Helper()
	line = strings.Replace(line, "make quickstart", "bin/plinth run quickstart", 1)
	words := strings.Fields(line)
	if filepath.Base(words[0]) != "plinth" {
		d.Fatalf("a transcript may only run plinth, not %q", line)
	}
	for i, word := range words {
		words[i] = strings.Trim(word, "'")
	}
	cmd := exec.Command("/proc/self/exe", words[1:]...)
	cmd.Args[0] = words[0]
	cmd.Dir = d.dir
	cmd.Env = append(os.Environ(), "PLINTH_TEST_MAIN=1", "PLINTH_STATE="+filepath.Join(d.dir, "state"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // a transcript may show an error
	return out.String()
}

// compare holds what was printed against the transcript, line by line.
func (d *document) compare(command, want, got string) {
	d.Helper()
	pattern := &strings.Builder{}
	pattern.WriteString(`\A`)
	table, run := false, strings.Contains(command, "--run")
	lines := strings.Split(strings.TrimRight(want, "\n"), "\n")
	for i, line := range lines {
		if run && (i+1 == len(lines) || !heads.MatchString(lines[i+1])) {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		// How verdicts are laid out depends on their numbers: whether they fit.
		table = (table || verdicts.MatchString(line)) && line != "..."
		if table || line == "..." {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		pattern.WriteString(regexp.QuoteMeta(blur(line)) + `\n`)
	}
	pattern.WriteString(`\z`)
	blurred := &strings.Builder{}
	for _, line := range strings.Split(strings.TrimRight(got, "\n"), "\n") {
		fmt.Fprintln(blurred, blur(line))
	}
	if !regexp.MustCompile(pattern.String()).MatchString(blurred.String()) {
		d.Errorf("$ %s\nprints\n%s\nthe documentation shows\n%s", command, got, want)
	}
}

// What differs from machine to machine: numbers and their units, names of
// records, versions, what kind of machine it is; and so what can be said of two
// environments.
var (
	numbers  = regexp.MustCompile(`[0-9][0-9,.]*(?:T[0-9]+Z)?(?: ?(?:[KMGT]i)?B\b)?`)
	spaces   = regexp.MustCompile(` +`)
	rulers   = regexp.MustCompile(`[-=]{3,}( -{3,})*`)
	paths    = regexp.MustCompile(`/[\w./-]+`)
	versions = regexp.MustCompile(`PostgreSQL # \([^)]*\)+`)
	heads    = regexp.MustCompile(`^(=+|-+( +-+)*)$`) // what is below headings and heads of tables
	verdicts = regexp.MustCompile(`^([A-Z]\w+, )?\d+ cells?, \d+ blocks?$`)
	signs    = regexp.MustCompile(`[-+]#`)
	marks    = regexp.MustCompile(` \[#\]`)
	effects  = regexp.MustCompile(`(# (times the|% (more|less)) TPS|TPS within # %) \(`)
	words    = regexp.MustCompile(`\b(better|worse|equivalent|inconclusive)\b`)
)

func blur(line string) string {
	if rest, found := strings.CutPrefix(line, "disk at "); found {
		line = "disk at " + paths.ReplaceAllString(rest, "/")
	}
	line = numbers.ReplaceAllString(line, "#")
	line = versions.ReplaceAllString(line, "PostgreSQL #")
	line = marks.ReplaceAllString(signs.ReplaceAllString(line, "#"), "")
	line = spaces.ReplaceAllString(line, " ")
	line = words.ReplaceAllString(effects.ReplaceAllString(line, "EFFECT ("), "WORD")
	return strings.TrimSpace(rulers.ReplaceAllString(line, "---"))
}
