// Package imported makes records of what others measured: it finds out what files hold, reads them
// with the readers of package capture, and writes what they state into a record. What the files do
// not state stays unknown: nothing is guessed.
package imported

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"plinth/internal/capture"
	"plinth/internal/hint"
	"plinth/internal/record"
)

// Options selects what is imported.
type Options struct {
	Paths []string  // files and directories; "-" is Stdin
	Stdin io.Reader // for "-"
	// As is the kind of all files (see Kinds); empty: each is recognised by its content.
	As string
	// Environment names the environment of everything; empty: by directory.
	Environment string
	// Facts hold what the user knows of the runs and the environments. Those in factsOfRuns are used,
	// all others are shown.
	Facts map[string]string
	// Tell is called before each file is read, and while a long one is read; may be nil.
	Tell func(Progress)
}

// Progress says how far an import is.
type Progress struct {
	File       string // that is read now
	Done, Size int64  // bytes of all files
}

// Outcome holds what was read.
type Outcome struct {
	Import       record.Import
	Engine       string // of the runs; empty without runs
	Environments []string
	Runs         []Run
	Disks        []Disk
	Facts        map[string]string // of the environments
	name         string            // of the experiment
}

// Run is one run that was read, with its place in the experiment.
type Run struct {
	capture.Run
	File        string // where it was read
	Environment string
	ID          record.RunID
	Position    int           // in its block, from 1
	Points      record.Points // second by second; empty if the files have no readings
	Observed    bool          // Points has more than what the load generator printed
	Marks       []record.Mark // in order of time
	unmarked    int           // marks beyond the limit
	Notes       []record.Note
	directory   string // of the file
	logged      bool   // it has its transaction log
}

// Read reads files. It returns an error if there is nothing in them that can be used; the message
// says why for each file. Without a run, there is no record to write, but what was read.
func Read(ctx context.Context, o Options) (*Outcome, error) {
	known, err := newKnown(o.Facts)
	if err != nil {
		return nil, err
	}
	kinds, err := chosen(o.As)
	if err != nil {
		return nil, err
	}
	sources, err := list(o)
	if err != nil {
		return nil, err
	}
	c := &collection{known: known}
	for at, s := range sources {
		c.read(s, kinds, &watched{from: abandonable{ctx, o.Stdin}, context: ctx, tell: o.Tell, at: Progress{File: s.name, Done: sizeOf(sources[:at]), Size: sizeOf(sources)}})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return c.outcome(o, sources)
}

// outcome puts together what was collected.
func (c *collection) outcome(o Options, sources []source) (*Outcome, error) {
	c.joinThreads()
	c.sameRuns() // joins change what they compare
	c.joinProgress()
	c.joinLogs()
	c.sameRuns()
	if err := c.complete(); err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(c.runs, func(r *Run) bool { return r.Run.Environment != "" }); i >= 0 && o.Environment != "" {
		return nil, hint.Errorf("leave it out", "--environment %s: %s names the environment of each run", o.Environment, c.runs[i].File)
	}
	out := &Outcome{Facts: c.known.shown, name: nameOf(o)}
	for _, s := range sources {
		if !slices.Contains(out.Environments, s.environment) && c.uses(s.environment) {
			out.Environments = append(out.Environments, s.environment)
		}
	}
	for _, r := range c.runs {
		out.Environments = once(out.Environments, r.Environment)
	}
	var err error
	if out.Engine, err = c.engine(); err != nil {
		return nil, err
	}
	out.Disks = c.disks
	c.unlike()
	if out.Import.Order = c.arrange(out.Environments); out.Import.Order == record.OrderAlternate && c.fixedOrder() {
		c.notes = append(c.notes, located{record.Note{Rule: capture.Unclear,
			Text: "the environments alternated in the same order each time: a steady trend of the machine is part of the difference, and p assumes a random order"}, "all files"})
	}
	c.place()
	c.againstDisks()
	for _, r := range c.runs {
		out.Runs = append(out.Runs, *r)
	}
	out.Import.Schema = record.ImportSchema
	sortFacts(c.facts)
	out.Import.Files, out.Import.Facts, out.Import.Notes = c.files, c.facts, c.together()
	if len(out.Runs) == 0 && len(out.Disks) == 0 && len(out.Import.Facts) == 0 {
		return nil, c.nothing()
	}
	return out, nil
}

// sortFacts puts averages since boot, which say little of a run, behind other statements.
func sortFacts(facts []record.ImportedFact) {
	slices.SortStableFunc(facts, func(a, b record.ImportedFact) int {
		order := func(f record.ImportedFact) int {
			if strings.HasPrefix(f.Name, "first report.") {
				return 1
			}
			return 0
		}
		return order(a) - order(b)
	})
}

// nothing is the error of an import that found nothing that can be used.
func (c *collection) nothing() error {
	var lines []string
	for _, f := range c.files {
		lines = append(lines, f.Name+": "+why(f))
	}
	const most = 10
	if more := len(lines) - most; more > 1 {
		lines = append(lines[:most], fmt.Sprintf("and %d more files", more))
	}
	return hint.Errorf("plinth import --help lists what can be read", "cannot import: there is nothing in these files that can be used\n  %s", strings.Join(lines, "\n  "))
}

// why says why nothing of a file is used.
func why(f record.ImportedFile) string {
	if f.Refused != "" {
		return f.Refused
	}
	for _, s := range f.Sections {
		if s.Refused != "" {
			return s.Kind + ": " + s.Refused
		}
	}
	return "it has no value"
}

// known holds what the user says of the runs.
type known struct {
	started time.Time      // when the load of the only run began
	zone    *time.Location // of times without one; nil if unknown
	clients int            // 0 if not given
	shown   map[string]string
}

// newKnown divides the facts into those that place runs, and those that are shown.
func newKnown(facts map[string]string) (*known, error) {
	k := &known{shown: map[string]string{}}
	for key, value := range facts {
		use, special := factsOfRuns[key]
		if !special {
			k.shown[key] = value
			continue
		}
		if err := use(k, value); err != nil {
			return nil, fmt.Errorf("--facts %s=%s: %w", key, value, err)
		}
	}
	return k, nil
}

// factsOfRuns are the facts that are used, not only shown.
var factsOfRuns = map[string]func(*known, string) error{
	"started": func(k *known, value string) (err error) {
		k.started, err = time.Parse(time.RFC3339, value)
		return hinted(err, "write the time when the load began with its zone: started=2026-01-03T15:07:40Z")
	},
	"timezone": func(k *known, value string) (err error) {
		if at, err := time.Parse("-07:00", value); err == nil {
			k.zone = at.Location()
			return nil
		}
		k.zone, err = time.LoadLocation(value)
		return hinted(err, "write timezone=UTC, timezone=+02:00 or timezone=Europe/Berlin")
	},
	"clients": func(k *known, value string) error {
		if _, err := fmt.Sscanf(value+"\n", "%d\n", &k.clients); err != nil || k.clients < 1 {
			return hint.Errorf("write the number of clients of the runs that do not say it: clients=16", "not a number of clients")
		}
		return nil
	},
}

func hinted(err error, text string) error {
	if err == nil {
		return nil
	}
	return hint.Wrap(err, text)
}
