package postgres

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/pglog"
	"plinth/internal/record"
)

// Limits of what is kept of a log.
const (
	maxEvents  = 50_000
	maxStated  = 500  // events with facts
	maxMarking = 1024 // bytes of a message from which a mark is made
)

// entry is one message of the server, in any format of the log.
type entry struct {
	at      capture.Moment
	level   []byte // LOG, ERROR
	message []byte
}

// events collects from the messages of a log what a run is judged by: each checkpoint with its numbers, and
// each automatic vacuum and analyze; the others are counted.
type events struct {
	events  []capture.Event
	stated  int // of events: those that have facts
	left    int // events beyond the limits
	entries int
	first   capture.Moment
	last    capture.Moment

	counts    map[string]int
	order     []string
	tempBytes float64
	vacuum    bool // the details of the last event follow

	begin mark // before the last entry
}

// mark is a state that events can return to.
type mark struct {
	events, stated, left, entries int
	last                          capture.Moment
	tempBytes                     float64
	count                         string
	level                         string
}

func (e *events) take(found entry) {
	e.begin = mark{len(e.events), e.stated, e.left, e.entries, e.last, e.tempBytes, "", ""}
	e.vacuum = false
	if e.entries == 0 {
		e.first = found.at
	}
	if found.at.Clock != capture.NoClock {
		e.last = found.at
	}
	e.entries++
	event := capture.Event{At: found.at}
	event.Kind, event.Text = pglog.Mark(string(found.level), string(found.message[:min(len(found.message), maxMarking)]))
	switch string(found.level) {
	case "LOG":
		event.Facts = e.log(found.at, found.message)
	case "WARNING", "ERROR", "FATAL", "PANIC":
		e.begin.level = string(found.level)
		e.count(e.begin.level)
		if bytes.HasPrefix(found.message, []byte("deadlock detected")) {
			e.one("deadlocks")
		}
	}
	e.keep(event)
}

// keep keeps an event, if it is one and there is room.
func (e *events) keep(event capture.Event) {
	if event.Kind == "" && event.Facts == nil {
		return
	}
	if len(event.Facts) > 0 && e.stated == maxStated {
		event.Facts = nil
	}
	if len(e.events) == maxEvents {
		e.left++
		e.vacuum = false
		return
	}
	if len(event.Facts) > 0 {
		e.stated++
	}
	e.events = append(e.events, event)
}

func (e *events) count(name string) {
	if e.counts == nil {
		e.counts = map[string]int{}
	}
	if _, known := e.counts[name]; !known {
		e.order = append(e.order, name)
	}
	e.counts[name]++
}

// one counts an event other than by its level.
func (e *events) one(name string) {
	e.begin.count = name
	e.count(name)
}

// counted are the messages that are only counted, by their beginning or a part.
var counted = []struct{ begins, has, name string }{
	{"duration: ", "", "durations"},
	{"process ", " still waiting for ", "lock waits"},
	{"process ", " acquired ", "lock waits that ended"},
	{"process ", " detected deadlock ", "deadlocks detected while waiting"},
	{"temporary file: ", "", "temporary files"},
	{"connection ", "", "connections"},
}

// log counts a message of the level LOG, and returns what it states of an event.
func (e *events) log(at capture.Moment, message []byte) []capture.Fact {
	switch {
	case bytes.HasPrefix(message, []byte("checkpoint ")), bytes.HasPrefix(message, []byte("restartpoint ")):
		return e.checkpoint(at, string(message))
	case bytes.HasPrefix(message, []byte("automatic ")):
		return e.automatic(at, string(message))
	case bytes.HasPrefix(message, []byte("checkpoints are occurring too frequently")):
		e.one("checkpoints too frequent")
		return []capture.Fact{fact("checkpoint.too_frequent", between(string(message), "(", " apart"), at)}
	}
	for _, c := range counted {
		if bytes.HasPrefix(message, []byte(c.begins)) && bytes.Contains(message, []byte(c.has)) {
			e.one(c.name)
			break
		}
	}
	if bytes.HasPrefix(message, []byte("temporary file: ")) {
		if _, size, ok := bytes.Cut(message, []byte(", size ")); ok {
			value, _ := strconv.ParseFloat(string(size), 64)
			e.tempBytes += value
		}
	}
	return nil
}

func fact(name, value string, at capture.Moment) capture.Fact {
	return capture.Fact{Source: "log", Name: name, Value: value, At: at}
}

// between returns the text between two others, or "".
func between(text, before, after string) string {
	if _, rest, ok := strings.Cut(text, before); ok {
		if inner, _, ok := strings.Cut(rest, after); ok {
			return inner
		}
	}
	return ""
}

// drop forgets the last entry.
func (e *events) drop() {
	e.events = e.events[:e.begin.events]
	e.stated, e.left, e.entries, e.last, e.tempBytes = e.begin.stated, e.begin.left, e.begin.entries, e.begin.last, e.begin.tempBytes
	for _, name := range []string{e.begin.count, e.begin.level} {
		if name != "" {
			e.counts[name]--
		}
	}
}

// found returns the counts as facts, and the events in their order.
func (e *events) found() (capture.Found, error) {
	if e.entries == 0 {
		return capture.Found{}, fmt.Errorf("it has no message that is complete")
	}
	facts := []capture.Fact{fact("log.messages", strconv.Itoa(e.entries), e.last)}
	for _, name := range e.order {
		if n := e.counts[name]; n > 0 {
			facts = append(facts, fact("log."+strings.ReplaceAll(name, " ", "_"), strconv.Itoa(n), e.last))
		}
	}
	if e.tempBytes > 0 {
		facts = append(facts, fact("log.temporary_bytes", strconv.FormatFloat(e.tempBytes, 'f', -1, 64), e.last))
	}
	var notes []record.Note
	if e.left > 0 {
		notes = append(notes, note(capture.LeftOut, "%d events after the first %d are counted, but not kept", e.left, maxEvents))
	}
	return capture.Found{Facts: facts, Events: e.events, Notes: notes}, nil
}
