package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocumentation runs every transcript of the documentation and compares the output, except
// for numbers, which depend on the machine.
//
// A transcript is a fenced block marked console. A line that begins with "$ " is a command; the
// lines after it are its output, standard error and output together. A line "..." matches any
// lines. A table of verdicts also matches any rows up to the next "...", as long as the row names
// agree. Of the page of a run only headings and table heads are compared: the rest depends on
// what happened. The output may also contain warnings, and runs that a busy machine caused to be
// repeated. A fenced block whose first line is "# NAME.yaml" is written to that file first.
//
// Experiments run for a shorter time than a reader's: see shorter.
func TestDocumentation(t *testing.T) {
	for _, file := range []string{"README.md", "docs/first-experiment.md", "docs/inspect.md", "docs/checklist.md", "docs/reading-a-run.md", "docs/import.md", "docs/choosing.md", "docs/placement.md", "docs/layout.md", "docs/prediction.md", "docs/diagnosis.md", "docs/report.md", "docs/probe.md", "docs/devices.md", "docs/storage.md", "docs/redis.md", "docs/tuning.md", "docs/record.md"} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("..", "..", file))
			if err != nil {
				t.Fatal(err)
			}
			d := newDocument(t)
			d.sets = shorter[filepath.Base(file)]
			if file == "README.md" || file == "docs/storage.md" || file == "docs/record.md" || file == "docs/choosing.md" || file == "docs/prediction.md" {
				hasEmulatedDevices(t)
			}
			if file == "docs/import.md" || file == "docs/prediction.md" { // what they import
				if err := os.CopyFS(filepath.Join(d.dir, "captures"), os.DirFS("../../docs/captures")); err != nil {
					t.Fatal(err)
				}
			}
			if file == "docs/placement.md" {
				if err := os.CopyFS(filepath.Join(d.dir, "readings"), os.DirFS("../../docs/readings")); err != nil {
					t.Fatal(err)
				}
			}
			for _, block := range fencedBlocks(string(text)) {
				d.play(block)
			}
			if d.commands == 0 {
				t.Error("no transcript in it")
			}
		})
	}
}

// TestKubernetesDocumentation does the same for docs/kubernetes.md, in the cluster of make test-kube, whose
// images and second storage class have other names.
func TestKubernetesDocumentation(t *testing.T) {
	if os.Getenv("PLINTH_TEST_KUBE") == "" {
		t.Skip("needs a Kubernetes cluster: make test-kube")
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "kubernetes.md"))
	if err != nil {
		t.Fatal(err)
	}
	d := newDocument(t)
	if d.binary, err = filepath.Abs("../../bin/plinth"); err != nil { // the one in the image
		t.Fatal(err)
	}
	d.named = strings.NewReplacer("registry.example/plinth:0.1.0", "localhost/plinth:test", "longhorn-2r", "slow")
	d.sets = []string{
		"repeats=1", "duration=1s", "warmup=0s", "clients=[1,2]", "dataset.scale=2",
		"environments.local.kubernetes.image=localhost/postgresql:15", "environments.longhorn.kubernetes.image=localhost/postgresql:15",
	}
	for _, block := range fencedBlocks(string(text)) {
		d.play(block)
	}
	if d.commands == 0 {
		t.Error("no transcript in it")
	}
}

// shorter lists additional --set values for each plinth run of a document, if they change no
// compared line. pass-through needs no verification, which could fail on a busy machine; other
// documents and tests cover emulation.
var shorter = map[string][]string{
	"README.md": {
		"repeats=1", "clients=[1,2]", "duration=", "transactions=50", "warmup=0s", "dataset.scale=2", "environments.gp3.storage.data.emulate=pass-through",
	},
	"first-experiment.md": {"duration=", "transactions=50", "warmup=0s"},
	"record.md": { // longer than a reader's: a disk that stalls for a second leaves nothing to read
		"repeats=1", "warmup=0s", "duration=3s", "dataset.scale=2", "environments.gp3.storage.data.emulate=pass-through",
	},
	"prediction.md":    {"duration=2s", "warmup=1s", "repeats=2"},
	"choosing.md":      {"duration=", "transactions=50", "warmup=0s", "dataset.scale=2", "emulated_rates=fit"},
	"checklist.md":     {"duration=1s"},
	"reading-a-run.md": {"duration=6s"},
	"diagnosis.md":     {"duration=10s"},
	"report.md":        {"repeats=1", "duration=", "transactions=50", "warmup=0s"},
	"storage.md":       {"repeats=1", "duration=", "transactions=50", "warmup=0s", "emulated_rates=fit"},
}

// emulating limits the tests that emulate devices at the same time. Emulated devices are late if
// CPUs are busy, so only a few run beside other tests, which mostly wait.
var emulating = make(chan struct{}, 2)

func hasEmulatedDevices(t *testing.T) {
	t.Helper()
	emulating <- struct{}{}
	t.Cleanup(func() { <-emulating })
}

type fenced struct{ language, text string }

var fileName = regexp.MustCompile(`^(?:#|--) ([\w-]+\.(?:yaml|py|sql))\n`)

var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

func fencedBlocks(markdown string) []fenced {
	var blocks []fenced
	for _, match := range fence.FindAllStringSubmatch(markdown, -1) {
		blocks = append(blocks, fenced{match[1], match[2]})
	}
	return blocks
}

// document is a directory in which the transcripts of one file run.
type document struct {
	*testing.T
	dir      string
	sets     []string          // for each plinth run
	binary   string            // plinth; if empty, this program
	named    *strings.Replacer // of names in files; nil for none
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
	if name := fileName.FindStringSubmatch(block.text); name != nil {
		text := block.text
		if d.named != nil {
			text = d.named.Replace(text)
		}
		if err := os.WriteFile(filepath.Join(d.dir, name[1]), []byte(text), 0o644); err != nil {
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

// run runs one command line and returns its output, unless it is redirected to a file; "make
// quickstart" is replaced by the Makefile's command.
func (d *document) run(line string) string {
	d.Helper()
	line = strings.Replace(line, "make quickstart", "bin/plinth run quickstart", 1)
	line, file, redirected := strings.Cut(line, " > ")
	words := strings.Fields(line)
	switch filepath.Base(words[0]) {
	case "plinth":
	case "jq", "duckdb", "python3", "benchstat":
		return d.other(line)
	case "kubectl":
		if d.binary != "" {
			return d.other(line)
		}
		fallthrough
	default:
		d.Fatalf("a transcript must not run %q", line)
	}
	for i, word := range words {
		words[i] = strings.Trim(word, "'")
	}
	if len(words) > 2 && words[1] == "run" && !strings.Contains(line, "--dry-run") && !strings.Contains(line, "--set duration") {
		for _, set := range d.sets { // before those of the line, which take precedence
			words = slices.Insert(words, 3, "--set", set)
		}
	}
	cmd := exec.Command(cmp.Or(d.binary, "/proc/self/exe"), words[1:]...)
	cmd.Args[0] = words[0]
	cmd.Dir = d.dir
	cmd.Env = append(os.Environ(), "PLINTH_TEST_MAIN=1", "PLINTH_STATE="+filepath.Join(d.dir, "state"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // a transcript may show an error
	if redirected {
		if err := os.WriteFile(filepath.Join(d.dir, file), out.Bytes(), 0o644); err != nil {
			d.Fatal(err)
		}
		return ""
	}
	return out.String()
}

// other runs a command line of another program that reads records. scripts/test-packages installs
// them.
func (d *document) other(line string) string {
	d.Helper()
	cache := os.Getenv("PLINTH_TEST_CACHE")
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = d.dir
	cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(cache, "python"),
		"PATH="+strings.Join([]string{filepath.Join(cache, "bin"), filepath.Join(cache, "python", "bin"), os.Getenv("PATH")}, ":"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.Fatalf("$ %s\n%s%v", line, out, err)
	}
	return string(out)
}

// unread matches the diagnosis of a run of which a busy machine could not be read in many seconds.
var unread = regexp.MustCompile(`(?m)^The response time cannot be divided: known in \d+ of \d+ seconds: not read for`)

// compare compares the output with the transcript, line by line. Of a diagnosis that says that there was not enough to
// read it compares nothing: package diagnosis and its reports have tests on recorded runs.
func (d *document) compare(command, want, got string) {
	d.Helper()
	if unread.MatchString(got) {
		d.Logf("$ %s\nthe machine was too busy:\n%s", command, got)
		return
	}
	if !pattern(want, strings.Contains(command, "--run")).MatchString(blurred(got)) {
		d.Errorf("$ %s\nprints\n%s\nthe documentation shows\n%s", command, got, want)
	}
}

const anyLines = `(?:.*\n)*?`

// pattern returns a pattern that matches the blurred output of a transcript. Of the page of a run
// (page) it compares only heads.
func pattern(want string, page bool) *regexp.Regexp {
	text := &strings.Builder{}
	text.WriteString(`\A`)
	table := false
	lines := strings.Split(strings.TrimRight(said(want), "\n"), "\n")
	for i, line := range lines {
		// The layout of verdicts depends on whether their numbers fit.
		table = (table || verdicts.MatchString(line)) && line != "..."
		switch {
		case page && (i+1 == len(lines) || !heads.MatchString(lines[i+1])), line == "...":
			text.WriteString(anyLines)
		case table && verdicts.MatchString(line):
			text.WriteString(anyLines + `(?:[A-Z]\w+, )?# cells?, # blocks?\n`)
		case table:
			text.WriteString(anyLines + regexp.QuoteMeta(blur(rowName.FindString(line))) + `.*\n`)
		default:
			text.WriteString(`(?:(?:warning: |run # of # ).*\n)*?` + regexp.QuoteMeta(blur(line)) + `\n`)
		}
	}
	text.WriteString(`\z`)
	return regexp.MustCompile(text.String())
}

// blurred returns the output without everything that differs between machines.
func blurred(text string) string {
	out := &strings.Builder{}
	for _, line := range strings.Split(strings.TrimRight(said(text), "\n"), "\n") {
		fmt.Fprintln(out, blur(line))
	}
	return out.String()
}

// Text that depends on numbers: how a list is wrapped, the form of an effect, whether there are
// enough blocks, the time left.
var (
	wrapped   = regexp.MustCompile(`(?m)^(- .*)\n  (\S)`)
	tooFew    = regexp.MustCompile(strings.ReplaceAll(`; the plan has \d+: an effect with its interval or range, but no verdict`, " ", `\s+`))
	sentences = regexp.MustCompile(`(?m)^- (\S+): (\S+) (?:` +
		`(?:(?:\S+ times the|\S+ (?:%|points) (?:more|less|difference in)) (.+?)|(.+?) within \S+ (?:%|points)|no difference in (.+?))` +
		` \((?:[^)]*, )?\d+ (?:block|repeat)s?\): (?:better|worse|equivalent|inconclusive|no verdict yet)(?:, too few for a verdict)?` +
		`|(.+?): invalid, .+)$`)
	// A row of benchstat, its footnotes, and plinth's version above it.
	benchmark = regexp.MustCompile(`(?m)^(\w+(?:/\w+=\w+)+|geomean|plinth:) .*$|^[¹²³] .*\n`)
	runs      = regexp.MustCompile(`(?m)^run +\d+ of \d+  (\S+)  (\S+).*$`)
	// What weakens an answer depends on the machine, too.
	weakens = regexp.MustCompile(`(?ms)^What weakens the results\n=+\n.*?^report: `)
)

// said normalises the forms of text that depend on numbers.
func said(text string) string {
	for wrapped.MatchString(text) {
		text = wrapped.ReplaceAllString(text, "$1 $2")
	}
	text = benchmark.ReplaceAllString(text, "$1")
	text = weakens.ReplaceAllString(tooFew.ReplaceAllString(text, ""), "What weakens the results\nreport: ")
	text = sentences.ReplaceAllString(text, "- $1: $2, $3$4$5$6: EFFECT, WORD")
	return runs.ReplaceAllString(text, "run # of # $1 $2")
}

// Text that differs between machines: numbers and their units (NULL or NaN if the only second of a run has no
// sample or no transaction), names of records, versions, the kind of machine.
var (
	numbers  = regexp.MustCompile(`\b(?:NULL|NaN)\b|[0-9][0-9,.]*(?:T[0-9]+Z)?(?: ?(?:[KMGT]i)?B\b)?`)
	times    = regexp.MustCompile(`# (?:µs|us|ms|s)\b`)
	spaces   = regexp.MustCompile(` +`)
	rulers   = regexp.MustCompile(`[-=]{3,}( -{3,})*`)
	paths    = regexp.MustCompile(`/[\w./-]+`)
	versions = regexp.MustCompile(`PostgreSQL # \([^)]*\)+`)
	heads    = regexp.MustCompile(`^(=+|-+( +-+)*)$`) // underlines of headings and table heads
	verdicts = regexp.MustCompile(`^([A-Z]\w+, )?\d+ cells?, \d+ blocks?$`)
	rowName  = regexp.MustCompile(`^(?:[A-Za-z][\w-]*)?`)
	signs    = regexp.MustCompile(`[-+]#`)
	marks    = regexp.MustCompile(` \[#\]`)
)

func blur(line string) string {
	if rest, found := strings.CutPrefix(line, "disk at "); found {
		line = "disk at " + paths.ReplaceAllString(rest, "/")
	}
	line = times.ReplaceAllString(numbers.ReplaceAllString(line, "#"), "# s")
	line = versions.ReplaceAllString(line, "PostgreSQL #")
	line = marks.ReplaceAllString(signs.ReplaceAllString(line, "#"), "")
	line = spaces.ReplaceAllString(line, " ")
	return strings.TrimSpace(rulers.ReplaceAllString(line, "---"))
}

// TestTranscriptsAreCompared checks that a transcript matches the output of another machine, and
// nothing else.
func TestTranscriptsAreCompared(t *testing.T) {
	const shown = `run  1 of 2  select-only/c1-j1  safe  3,434 TPS  34 s left
run  2 of 2  select-only/c1-j1  fast  6,043 TPS
A verdict on a cell takes at least 7 blocks (for 12 comparisons); the plan has
3: an effect with its interval or range, but no verdict.
- fast: select-only 261 % more TPS (84 to 520 %, 6 blocks): better

2 cells, 6 blocks

Workload     Metric   safe   fast  Effect
-----------  ------  -----  -----  ------
select-only  TPS     1,274  4,596  +261 %
...
record: results/commit-20261121T141254Z
`
	replaced := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(shown) }
	for got, want := range map[string]bool{
		shown: true,
		replaced("261 % more TPS (84 to 520 %, 6 blocks): better", "3.92 times the TPS (1.79 to 12.9 times, 6 blocks): better", "+261 %", "x 3.92"):      true,
		replaced("261 % more TPS (84 to 520 %, 6 blocks): better", "8 % less TPS (range -17 to +1 %, 6\n  blocks): inconclusive, too few for a verdict"): true,
		replaced("261 % more TPS (84 to 520 %, 6 blocks): better", "TPS within 3 % (-1 to +1 %, 6 blocks): equivalent"):                                  true,
		replaced("261 % more TPS (84 to 520 %, 6 blocks): better", "TPS: invalid, 5 blocks are left out: a run there"):                                   true,
		replaced("2 cells,", "TPS, 2 cells,"):                                                                                     true,
		replaced("; the plan has\n3: an effect with its interval or range, but no verdict", ""):                                   true,
		replaced("fast  6,043 TPS\n", "fast  invalid: late\nrun  3 of 4  select-only/c1-j1  safe  9 TPS\nwarning: it was late\n"): true,
		replaced("2 cells,", "cells:"):                                                                                            false,
		replaced("more TPS", "more latency"):                                                                                      false,
		replaced("- fast: ", "- safe: "):                                                                                          false,
		replaced("): better", "): nice"):                                                                                          false,
		replaced("select-only  TPS", "Sum  TPS"):                                                                                  false,
		replaced("c1-j1  fast", "c1-j1  safe"):                                                                                    false,
		replaced("takes at least", "takes"):                                                                                       false,
		replaced("record: ", "recorded: "):                                                                                        false,
		replaced("...\n", "") + "one line more\n":                                                                                 false,
		replaced("Workload     Metric", "Metric   x"):                                                                             false,
	} {
		if pattern(shown, false).MatchString(blurred(got)) != want {
			t.Errorf("it matches, or not, other than it should:\n%s", got)
		}
	}
}
