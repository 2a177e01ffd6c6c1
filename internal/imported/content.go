package imported

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"plinth/internal/capture"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/prose"
	"plinth/internal/record"
)

// collection holds what was read so far.
type collection struct {
	known *known
	files []record.ImportedFile
	runs  []*Run
	// logs are transaction logs of single threads, until they are put together.
	logs   []*Run
	series []series
	events []events
	disks  []Disk
	facts  []record.ImportedFact
	kept   int // lines that were not understood
	notes  []located
	// doubtful says that there can be no verdict: runs of one cell are not of one load, or are one run.
	doubtful bool
}

// located is a note and where it applies.
type located struct {
	record.Note
	where string // "iostat.txt, line 1"
}

// note adds a note on a file as a whole.
func (c *collection) note(rule, where, format string, args ...any) {
	c.notes = append(c.notes, located{record.Note{Rule: rule, Text: fmt.Sprintf(format, args...)}, where})
}

// together returns the notes, each text once, with the places where it applies.
func (c *collection) together() []record.Note {
	var all []record.Note
	var places [][]string
	for _, n := range c.notes {
		at := slices.IndexFunc(all, func(a record.Note) bool { return a.Rule == n.Rule && a.Text == n.Text && a.Hint == n.Hint })
		if at < 0 {
			all, places = append(all, n.Note), append(places, nil)
			at = len(all) - 1
		}
		places[at] = once(places[at], n.where)
	}
	for i := range all {
		all[i].Text = places[i][0] + ": " + all[i].Text
		if more := len(places[i]) - 1; more > 0 {
			all[i].Text += fmt.Sprintf(" (also: %s)", some(places[i][1:]))
		}
	}
	return all
}

// origin is where something was read.
type origin struct {
	file, environment, directory string
	shared                       bool // it belongs to all environments
}

// belongs reports whether something may be of a run.
func (o origin) belongs(r *Run) bool { return o.shared || r.Environment == o.environment }

// origin returns where a run was read.
func (r *Run) origin() origin {
	return origin{file: r.File, environment: r.Environment, directory: r.directory}
}

// series is a table of readings and where it was read.
type series struct {
	capture.Series
	origin
}

// events are those of one text.
type events struct {
	all []capture.Event
	origin
}

// Disk is a job of fio and where it was read.
type Disk struct {
	capture.Job
	File        string
	Environment string
}

// chosen returns the kinds that a text may have.
func chosen(as string) ([]capture.Kind, error) {
	kinds := Kinds()
	if as == "" {
		return kinds, nil
	}
	var names []string
	for _, kind := range kinds {
		names = append(names, kind.Name)
	}
	kinds = slices.DeleteFunc(kinds, func(k capture.Kind) bool { return k.Name != as })
	if len(kinds) == 0 {
		return nil, hint.Errorf(hint.DidYouMean(as, names, "it can be "+hint.Choice(names)), "--as %s: there is no such kind", as)
	}
	return kinds, nil
}

// Limits of import.json over all files: lines that were not understood, and facts.
const (
	maxKept  = 10_000
	maxFacts = 50_000
)

// keptOfRefused is how many lines are kept of a file that no reader understood: enough to recognise it.
const keptOfRefused = 5

// read reads one file. What prevents it is part of the result.
func (c *collection) read(s source, kinds []capture.Kind, from *watched) {
	f := record.ImportedFile{Name: s.name, Environment: s.environment, Bytes: s.size}
	text, err := textOf(s, kinds, from)
	switch {
	case err != nil:
		f.Refused = err.Error()
	case text.Lines == 0:
		f.Refused = "it is empty"
	case len(text.Sections) == 0 && len(kinds) == 1:
		f.Refused = "it is not " + kinds[0].Title
	case len(text.Sections) == 0:
		f.Refused = refusal(text.Unread)
	case text.Stopped:
		c.note(capture.Cut, s.name, "reading ended at line %d: no tool that plinth knows printed the lines before", text.Lines)
	}
	kept := text.Unread
	if f.Refused != "" {
		kept = kept[:min(len(kept), keptOfRefused)]
	}
	kept = kept[:min(len(kept), max(0, maxKept-c.kept))]
	c.kept += len(kept)
	f.Lines, f.MoreUnread = text.Lines, text.Others+len(text.Unread)-len(kept)
	for _, line := range kept {
		f.Unread = append(f.Unread, record.UnreadLine(line))
	}
	for _, section := range text.Sections {
		f.Sections = append(f.Sections, c.section(s, section))
	}
	c.files = append(c.files, f)
}

// watched passes on a file, says how far it is read, and ends with the context.
type watched struct {
	from    io.Reader
	context context.Context
	tell    func(Progress)
	at      Progress
	said    int64 // of at.Done
}

func (w *watched) Read(p []byte) (int, error) {
	const step = 16 << 20
	if err := w.context.Err(); err != nil {
		return 0, err
	}
	if w.tell != nil && (w.said == 0 || w.at.Done >= w.said+step) {
		w.tell(w.at)
		w.said = w.at.Done + 1
	}
	n, err := w.from.Read(p)
	w.at.Done += int64(n)
	return n, err
}

// abandonable is a reader that may wait for ever, such as a terminal: a read ends with the context.
type abandonable struct {
	context context.Context
	from    io.Reader
}

func (a abandonable) Read(p []byte) (int, error) {
	type answer struct {
		n   int
		err error
	}
	buffer, done := make([]byte, len(p)), make(chan answer, 1) // p belongs to the caller once Read has returned
	go func() {
		n, err := a.from.Read(buffer)
		done <- answer{n, err}
	}()
	select {
	case got := <-done:
		return copy(p, buffer[:got.n]), got.err
	case <-a.context.Done():
		return 0, a.context.Err()
	}
}

// textOf reads the text of a file, which may be compressed by gzip.
func textOf(s source, kinds []capture.Kind, from *watched) (capture.Text, error) {
	if s.path != "" {
		file, err := os.OpenFile(s.path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // opening a FIFO would hang
		if err != nil {
			return capture.Text{}, bare(err)
		}
		defer file.Close()
		if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
			return capture.Text{}, errors.New("it is not a regular file")
		}
		from.from = file
	}
	buffered := bufio.NewReaderSize(from, 64<<10)
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(buffered)
		if err != nil {
			return capture.Text{}, err
		}
		return capture.Read(unpacked, kinds)
	}
	return capture.Read(buffered, kinds)
}

// section keeps what a section holds.
func (c *collection) section(s source, section capture.Section) record.ImportedSection {
	listed := record.ImportedSection{Kind: section.Kind, First: section.First, Last: section.Last}
	if section.Refused != nil {
		listed.Refused = section.Refused.Error()
		return listed
	}
	found := section.Found
	from := origin{file: s.name, environment: s.environment, directory: s.directory}
	listed.Runs, listed.Events, listed.Facts, listed.Disks = len(found.Runs), len(found.Events), len(found.Facts), len(found.Jobs)
	for _, one := range found.Runs {
		environment := cmp.Or(experiment.AsName(one.Environment), s.environment)
		r := &Run{Run: one, File: s.name, Environment: environment, directory: s.directory}
		r.ID.Environment = environment
		r.Notes = slices.Concat(found.Notes, one.Notes)
		if isLog(section.Kind) {
			c.logs = append(c.logs, r)
		} else {
			c.runs = append(c.runs, r)
		}
		listed.Readings += rowsOf(one.Progress)
	}
	for _, one := range found.Series {
		c.series = append(c.series, series{one, from})
		listed.Readings += rowsOf(one)
	}
	if len(found.Events) > 0 {
		c.events = append(c.events, events{found.Events, from})
	}
	c.state(from, found.Facts)
	for _, one := range found.Jobs {
		c.disks = append(c.disks, Disk{one, s.name, s.environment})
	}
	if len(found.Runs) == 0 {
		for _, note := range found.Notes {
			c.notes = append(c.notes, located{note, fmt.Sprintf("%s, line %d", s.name, section.First)})
		}
	}
	return listed
}

// state keeps statements that belong to no second of a run.
func (c *collection) state(from origin, facts []capture.Fact) {
	for _, one := range facts {
		if len(c.facts) >= maxFacts {
			c.note(capture.LeftOut, from.file, "its statements are left out: there are more than %d in all files", maxFacts)
			return
		}
		c.facts = append(c.facts, record.ImportedFact{
			Environment: from.environment, File: from.file, Source: one.Source, Name: one.Name, Value: capture.Redact(one.Value), Time: one.At.String(),
		})
	}
}

func rowsOf(s capture.Series) int {
	if len(s.Columns) == 0 {
		return 0
	}
	return len(s.Columns[0].Values)
}

// refusal says why a text in which no tool was recognised cannot be used.
func refusal(lines []capture.Line) string {
	for _, known := range refusals {
		for _, line := range lines {
			if strings.Contains(strings.ToLower(line.Text), strings.ToLower(known.contains)) {
				return fmt.Sprintf("%s (line %d: %s)", known.reason, line.Number, quoted(line.Text))
			}
		}
	}
	return "no tool that plinth knows printed it"
}

// refusals are texts of failed captures and of other programs, in the order in which they are looked for.
var refusals = []struct{ contains, reason string }{
	{"too many clients", "the capture failed: the server refused the connection"},
	{"FATAL:", "the capture failed: the server refused it"},
	{"could not connect", "the capture failed: there was no connection"},
	{"Connection refused", "the capture failed: there was no connection"},
	{"Permission denied", "the capture failed: it had no permission"},
	{"not found", "the capture failed: the program was not installed"},
	{"No such file or directory", "the capture failed: a file was missing"},
	{"HammerDB", "it is output of HammerDB, which plinth does not read: its transactions cannot be compared with those of other tools"},
	{"Vuser ", "it is output of HammerDB, which plinth does not read: its transactions cannot be compared with those of other tools"},
	{`"DBInstances"`, "it describes database instances of AWS; it has no measurements"},
	{"MAJ:MIN", "it is output of lsblk, a list of disks; it has no measurements"},
	{"usage:", "it is the usage message of a tool"},
}

// quoted shortens a line for a message, without characters that would act on a terminal.
func quoted(text string) string { return prose.Cut(prose.Clean(text), 60) }
