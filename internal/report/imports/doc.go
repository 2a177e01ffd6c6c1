// Package imports reports what plinth import read: from which files, what they contradict, and what
// of them it did not understand.
package imports

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/imported"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

// Outcome returns what an import read, for the terminal.
func Outcome(o *imported.Outcome) prose.Document {
	d := Files(&o.Import)
	if len(o.Runs) > 0 {
		d.Add(prose.Heading("Runs"), runs(o))
	}
	if len(o.Disks) > 0 {
		d.Add(prose.Heading("Disks"), disks(o.Disks))
	}
	if lines := meanings(o); len(lines) > 0 {
		d.Add(prose.Heading("What the disks mean for PostgreSQL"), lines)
	}
	if n := len(o.Import.Facts); n > 0 && len(o.Runs) > 0 {
		d.Add(prose.Paragraph(fmt.Sprintf("%s cannot be assigned to a second of a run: the page (plinth report) and import.json list %s.",
			phrase.Plural(n, "statement"), phrase.When(n == 1, "it")+phrase.When(n > 1, "them"))))
	} else {
		d.Add(Facts(&o.Import, shownFacts)...)
	}
	d.Add(Notes(&o.Import, runNotes(o))...)
	return d
}

// shownFacts is how many facts of a file the terminal shows.
const shownFacts = 12

// Facts lists statements that belong to no second of a run, by file: the first most of each file, or all,
// each with its time, if most is 0.
func Facts(i *record.Import, most int) prose.Document {
	if len(i.Facts) == 0 {
		return nil
	}
	d := prose.Document{prose.Heading("Readings outside the runs, or of unknown time")}
	var files []string
	of := map[string][]record.ImportedFact{}
	for _, f := range i.Facts {
		if of[f.File] == nil {
			files = append(files, f.File)
		}
		of[f.File] = append(of[f.File], f)
	}
	for _, file := range files {
		if most > 0 {
			d.Add(shortFacts(file, of[file], most))
			continue
		}
		t := prose.Table{Title: file, Columns: []prose.Column{{Title: "Name"}, {Title: "Value"}, {Title: "Time"}}}
		for _, f := range of[file] {
			t.Rows = append(t.Rows, []string{f.Name, f.Value, f.Time})
		}
		d.Add(t)
	}
	return d
}

// shortFacts is a table for a terminal. The time of the first fact that has one is in its title.
func shortFacts(file string, facts []record.ImportedFact, most int) prose.Table {
	t := prose.Table{Title: short(file), Columns: []prose.Column{{Title: "Name"}, {Title: "Value"}}}
	if at := slices.IndexFunc(facts, func(f record.ImportedFact) bool { return f.Time != "" }); at >= 0 {
		t.Title += ", " + facts[at].Time
	}
	if more := len(facts) - most; more > 0 {
		t.Title += fmt.Sprintf(" (%d more: --json)", more)
		facts = facts[:most]
	}
	for _, f := range facts {
		t.Rows = append(t.Rows, []string{prose.Cut(f.Name, 34), prose.Cut(f.Value, 44)})
	}
	return t
}

// runNotes returns the notes on runs, each text once.
func runNotes(o *imported.Outcome) []record.Note {
	var notes []record.Note
	for _, r := range o.Runs {
		for _, note := range r.Notes {
			note.Text = r.File + ": " + note.Text
			if !slices.ContainsFunc(notes, func(n record.Note) bool { return n.Rule == note.Rule && n.Text == note.Text }) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}

// Files lists the files of an import.
func Files(i *record.Import) prose.Document {
	t := prose.Table{Columns: []prose.Column{{Title: "File"}, {Title: "Kind"}, {Title: "Lines", Right: true}, {Title: "Holds"}}}
	var reasons prose.List
	for _, f := range i.Files {
		if f.Refused != "" {
			t.Rows = append(t.Rows, []string{short(f.Name), phrase.None, fmt.Sprint(f.Lines), "not used"})
			reasons = append(reasons, f.Name+": "+f.Refused)
			continue
		}
		for _, kind := range kindsOf(f) {
			t.Rows = append(t.Rows, []string{short(f.Name), kind.name, fmt.Sprint(kind.lines), kind.holds()})
		}
		for _, s := range f.Sections {
			if s.Refused != "" {
				reasons = append(reasons, fmt.Sprintf("%s, lines %d to %d (%s): %s", f.Name, s.First, s.Last, s.Kind, s.Refused))
			}
		}
	}
	d := prose.Document{t}
	if len(reasons) > 0 {
		d.Add(prose.Heading("Not used"), prose.List(phrase.AtMost(reasons)))
	}
	return d
}

// kind counts what a file holds of one kind.
type kind struct {
	name                                 string
	lines                                int
	runs, readings, events, facts, disks int
	refused                              int
}

func kindsOf(f record.ImportedFile) []*kind {
	var all []*kind
	of := map[string]*kind{}
	for _, s := range f.Sections {
		k := of[s.Kind]
		if k == nil {
			k = &kind{name: s.Kind}
			all, of[s.Kind] = append(all, k), k
		}
		k.lines += s.Last - s.First + 1
		k.runs, k.readings, k.disks = k.runs+s.Runs, k.readings+s.Readings, k.disks+s.Disks
		k.events, k.facts = k.events+s.Events, k.facts+s.Facts
		if s.Refused != "" {
			k.refused++
		}
	}
	return all
}

func (k *kind) holds() string {
	var parts []string
	for _, part := range []struct {
		n    int
		noun string
	}{{k.runs, "run"}, {k.disks, "job"}, {k.readings, "reading"}, {k.events, "event"}, {k.facts, "fact"}} {
		if part.n > 0 {
			parts = append(parts, unit.Count(part.n, part.noun))
		}
	}
	if k.refused > 0 {
		parts = append(parts, fmt.Sprintf("%d not used", k.refused))
	}
	return cmp.Or(strings.Join(parts, ", "), "nothing that can be used")
}

// short shortens the name of a file in a table from its beginning: its end distinguishes it.
func short(name string) string {
	const most = 32
	runes := []rune(name)
	if len(runes) <= most {
		return name
	}
	return "..." + string(runes[len(runes)-most+3:])
}

func runs(o *imported.Outcome) prose.Table {
	t := prose.Table{Columns: []prose.Column{
		{Title: "Environment"}, {Title: "Workload"}, {Title: "Clients", Right: true}, {Title: "TPS", Right: true},
		{Title: "mean ms", Right: true}, {Title: "p99 ms", Right: true}, {Title: "Began (UTC)"},
	}}
	for _, r := range o.Runs {
		began := phrase.None
		if r.Began.Clock == capture.UTC {
			began = r.Began.Time.Format("2006-01-02 15:04:05")
		}
		t.Rows = append(t.Rows, []string{
			r.Environment, r.ID.Workload, fmt.Sprint(r.Clients), throughput(r.Result.TPS), milliseconds(r.Result.Latency.Mean), milliseconds(float64(r.Result.Latency.P99)), began,
		})
	}
	return t
}

// throughput formats a rate, of which a small one has decimals.
func throughput(tps float64) string {
	if tps < 100 {
		return strconv.FormatFloat(tps, 'f', 1, 64)
	}
	return phrase.Count(tps)
}

func milliseconds(ns float64) string {
	if ns <= 0 {
		return phrase.None
	}
	return strconv.FormatFloat(ns/1e6, 'f', max(0, 3-len(strconv.Itoa(int(ns/1e6)))+1), 64)
}

// disks returns a table of the jobs of fio.
func disks(all []imported.Disk) prose.Table {
	t := prose.Table{Columns: []prose.Column{
		{Title: "Job"}, {Title: ""}, {Title: "KiB", Right: true}, {Title: "Depth", Right: true}, {Title: "IOPS", Right: true},
		{Title: "MB/s", Right: true}, {Title: "mean ms", Right: true}, {Title: "p50 ms", Right: true}, {Title: "p99 ms", Right: true},
	}}
	for _, d := range all {
		depth := phrase.None
		if d.Depth > 0 {
			depth = fmt.Sprint(d.Depth * max(1, d.Jobs))
		}
		block := phrase.None
		if d.Block > 0 {
			block = phrase.Exact(float64(d.Block) / 1024)
		}
		for _, part := range []struct {
			name string
			of   *capture.Transfer
		}{{"read", d.Read}, {"write", d.Write}} {
			if part.of != nil {
				t.Rows = append(t.Rows, append([]string{short(d.Name), part.name, block, depth, phrase.Count(part.of.IOPS), phrase.Count(part.of.Bytes / 1e6)}, times(part.of.Times)...))
			}
		}
		if d.Sync != nil {
			t.Rows = append(t.Rows, append([]string{short(d.Name), "sync", phrase.None, depth, phrase.None, phrase.None}, times(*d.Sync)...))
		}
	}
	return t
}

// meanings says what the disks mean for PostgreSQL, with the environment if there are several.
func meanings(o *imported.Outcome) prose.List {
	var lines prose.List
	for _, environment := range o.Environments {
		for _, line := range phrase.DiskMeaning(o.Meaning(environment)) {
			if len(o.Environments) > 1 {
				line = environment + ": " + line
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func times(t capture.Times) []string {
	cells := []string{milliseconds(t.Mean), phrase.None, phrase.None}
	for _, p := range t.Percentiles {
		switch p.Share {
		case 50:
			cells[1] = milliseconds(float64(p.Value))
		case 99:
			cells[2] = milliseconds(float64(p.Value))
		}
	}
	return cells
}

// Notes returns what contradicts itself, what was left out, and the lines that were not understood.
func Notes(i *record.Import, more []record.Note) prose.Document {
	var contradictions, others prose.List
	for _, note := range append(append([]record.Note{}, more...), i.Notes...) {
		if note.Rule == capture.Contradiction {
			contradictions = append(contradictions, phrase.Note(note))
		} else {
			others = append(others, phrase.Note(note))
		}
	}
	var d prose.Document
	if len(contradictions) > 0 {
		d.Add(prose.Heading("Contradictions"), contradictions)
	}
	if len(others) > 0 {
		d.Add(prose.Heading("What else to know"), others)
	}
	if lines := unread(i); len(lines) > 0 {
		d.Add(prose.Heading("Lines that were not understood"), lines)
	}
	return d
}

// unread lists lines that no reader understood: the first ones of each file that is used.
func unread(i *record.Import) prose.List {
	const most = 3
	var lines prose.List
	for _, f := range i.Files {
		if f.Refused != "" {
			continue
		}
		for _, line := range f.Unread[:min(most, len(f.Unread))] {
			lines = append(lines, fmt.Sprintf("%s, line %d: %s", f.Name, line.Number, line.Text))
		}
		if rest := len(f.Unread) + f.MoreUnread - most; rest > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s (--json lists them)", f.Name, unit.Count(rest, "more line")))
		}
	}
	return lines
}
