package postgres

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// waits reads samples of pg_stat_activity grouped by wait event, as psql -t prints them:
// "IO | DataFileRead | 28". With a line that states the time above each, they become a series of
// wait.{type}.{event}; without, the sums become facts. A blank event, or the word that a script has
// for it, is wait.CPU.
type waits struct {
	capture.LastLine
	stamped bool
	rows    capture.Rows
	sums    map[string]float64
	names   []string
	samples int
	ended   bool // the table of the current sample has ended
	listed  int  // events in the current sample
	sizes   map[int]int
	full    []int // samples by their number of events
	blank   []bool
	words   map[string]bool // for no wait event
	left    int
	header  bool
}

func newWaits() *waits {
	return &waits{sums: map[string]float64{}, sizes: map[int]int{}, words: map[string]bool{}}
}

const maxWaits = 500 // names of events

// waitTypes are the types of wait events in PostgreSQL 9.6 to 18, and the words that scripts put for none.
var waitTypes = map[string]bool{
	"Activity": true, "Buffer": true, "BufferPin": true, "Client": true, "Extension": true, "InjectionPoint": true, "IO": true, "IPC": true,
	"Lock": true, "LWLock": true, "LWLockNamed": true, "LWLockTranche": true, "Timeout": true, "CPU": true, "": true,
}

var (
	waitLine   = regexp.MustCompile(`^ *([A-Za-z]*) *\| *([A-Za-z_0-9 ]*?) *\| *(\d+) *$`)
	waitHeader = regexp.MustCompile(`^ *wait_event_type *\| *wait_event *\| *\w+ *$`)
	ruleLine   = regexp.MustCompile(`^-+\+-+\+-+$`)
	countLine  = regexp.MustCompile(`^\(\d+ rows?\)$`)
)

// parseWait returns the name of a row's event, and the word for none.
func parseWait(line []byte) (name, word string, count float64, ok bool) {
	if bytes.Count(line, []byte("|")) != 2 {
		return "", "", 0, false
	}
	found := waitLine.FindSubmatch(line)
	if found == nil || !waitTypes[string(found[1])] {
		return "", "", 0, false
	}
	count, err := strconv.ParseFloat(string(found[3]), 64)
	if err != nil || count > 1e6 {
		return "", "", 0, false
	}
	kind, event := string(found[1]), string(found[2])
	if kind == "" && event != "" && event != "CPU" || kind != "" && kind != "CPU" && event == "" {
		return "", "", 0, false
	}
	if kind == "" || kind == "CPU" {
		return "wait.CPU", strings.Trim(kind+"/"+event, "/"), count, true
	}
	return "wait." + kind + "." + event, "", count, true
}

func beginsWaits(lines []string) bool {
	for i, line := range lines {
		if _, _, _, ok := parseWait([]byte(line)); ok {
			return true
		}
		_, stamp := capture.Stamp(line)
		switch {
		case stamp, waitHeader.MatchString(line), i > 0 && ruleLine.MatchString(line), i > 0 && strings.TrimSpace(line) == "":
		default:
			return false
		}
	}
	return false
}

// Line implements capture.Reader.
func (w *waits) Line(line []byte) bool { return w.Took(w.line(line)) }

func (w *waits) line(line []byte) bool {
	if name, word, count, ok := parseWait(line); ok {
		w.event(name, word, count)
		return true
	}
	text := string(line)
	if at, ok := capture.Stamp(text); ok {
		if w.samples > 0 && !w.stamped {
			return false
		}
		w.stamped = true
		w.sample(at)
		return true
	}
	switch {
	case strings.TrimSpace(text) == "" && w.samples > 0:
		w.ended = true
		w.blank[len(w.blank)-1] = true
		return true
	case waitHeader.MatchString(text):
		w.ended, w.header = true, true
		return true
	case w.header && ruleLine.MatchString(text), w.samples > 0 && countLine.MatchString(text):
		return true
	}
	return false
}

// sample begins a sample.
func (w *waits) sample(at capture.Moment) {
	w.samples++
	w.rows.Add(at)
	w.ended, w.listed = false, 0
	if w.rows.Len() > len(w.full) { // there is room for another row
		w.full, w.blank = append(w.full, 0), append(w.blank, false)
	}
}

func (w *waits) event(name, word string, count float64) {
	if w.samples == 0 || w.ended && !w.stamped {
		w.sample(capture.Moment{})
	}
	w.ended = false
	w.listed++
	w.full[len(w.full)-1] = w.listed
	if word != "" {
		w.words[word] = true
	}
	if _, known := w.sums[name]; !known {
		if len(w.names) == maxWaits {
			w.left++
			return
		}
		w.names = append(w.names, name)
	}
	w.sums[name] += count
	w.rows.Set(name, count)
}

// End implements capture.Reader.
func (w *waits) End() (capture.Found, error) {
	var found capture.Found
	if w.Cut {
		found.Notes = append(found.Notes, cutOff("sample"))
		w.dropLast()
	}
	total := 0.0
	for _, sum := range w.sums {
		total += sum
	}
	if total == 0 {
		return capture.Found{}, errors.New("no sample has a session that is complete")
	}
	found.Notes = append(found.Notes, w.notes()...)
	found.Facts = append(found.Facts, capture.Fact{Source: "pg_stat_activity", Name: "waits.samples", Value: strconv.Itoa(w.samples), At: w.rows.Last()})
	if w.stamped {
		found.Series = w.rows.Series("pg_stat_activity", 0)
		w.fill(found.Series)
	} else {
		found.Facts = append(found.Facts, w.facts()...)
	}
	found.Notes = append(found.Notes, w.rows.Notes()...)
	return found, nil
}

// dropLast drops the sample in which the text ends.
func (w *waits) dropLast() {
	series := w.rows.Series("", 0)
	if w.samples == 0 || series == nil {
		return
	}
	for _, column := range series[0].Columns {
		if last := column.Values[len(column.Values)-1]; !math.IsNaN(last) {
			w.sums[column.Name] -= last
		}
	}
	w.rows.DropLast()
	w.samples--
	w.full, w.blank = w.full[:w.rows.Len()], w.blank[:w.rows.Len()]
}

func (w *waits) notes() []record.Note {
	var notes []record.Note
	for word := range w.words {
		notes = append(notes, note(capture.Unclear, "%q is the monitor's word for no wait event: it is read as wait.CPU", word))
	}
	slices.SortFunc(notes, func(a, b record.Note) int { return cmp.Compare(a.Text, b.Text) })
	for _, name := range w.names {
		if strings.HasPrefix(name, "wait.Activity.") {
			notes = append(notes, note(capture.Unclear, "the samples have background processes (%s): what else they count beside active clients is unknown", strings.TrimPrefix(name, "wait.")))
			break
		}
	}
	if limit := w.limit(); limit > 0 && w.stamped {
		notes = append(notes, note(capture.Unclear, "no sample lists more than %d events: in samples with as many, the others are unknown", limit))
	}
	if w.left > 0 {
		notes = append(notes, note(capture.LeftOut, "%d values of further events are left out: %d events are kept", w.left, maxWaits))
	}
	return notes
}
