package postgres

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// maxEvents is how many events of a log are kept.
const maxEvents = 500

// entry is one message of the server, in any format of the log.
type entry struct {
	at      capture.Moment
	level   []byte // LOG, ERROR
	message []byte
}

// events collects from the messages of a log what a run is judged by: each checkpoint with its numbers, and
// each automatic vacuum and analyze; the others are counted.
type events struct {
	facts   []capture.Fact
	kept    int // events in facts
	left    int
	entries int
	first   capture.Moment
	last    capture.Moment

	counts    map[string]int
	order     []string
	tempBytes float64
	vacuum    int // index in facts of the vacuum whose details follow; -1 if there is none

	begin mark // before the last entry
}

// mark is a state that events can return to.
type mark struct {
	facts, kept, left, entries, vacuum int
	last                               capture.Moment
	tempBytes                          float64
	count                              string
	level                              string
}

func (e *events) take(found entry) {
	e.begin = mark{len(e.facts), e.kept, e.left, e.entries, e.vacuum, e.last, e.tempBytes, "", ""}
	e.vacuum = -1
	if e.entries == 0 {
		e.first = found.at
	}
	if found.at.Clock != capture.NoClock {
		e.last = found.at
	}
	e.entries++
	switch string(found.level) {
	case "LOG":
		e.log(found.at, found.message)
	case "WARNING", "ERROR", "FATAL", "PANIC":
		e.begin.level = string(found.level)
		e.count(e.begin.level)
		if bytes.HasPrefix(found.message, []byte("deadlock detected")) {
			e.one("deadlocks")
		}
	}
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

func (e *events) log(at capture.Moment, message []byte) {
	switch {
	case bytes.HasPrefix(message, []byte("checkpoint ")), bytes.HasPrefix(message, []byte("restartpoint ")):
		e.checkpoint(at, string(message))
		return
	case bytes.HasPrefix(message, []byte("automatic ")):
		e.automatic(at, string(message))
		return
	case bytes.HasPrefix(message, []byte("checkpoints are occurring too frequently")):
		e.one("checkpoints too frequent")
		if e.room() {
			e.facts = append(e.facts, fact("checkpoint.too_frequent", between(string(message), "(", " apart"), at))
		}
		return
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
}

// room reports whether another event is kept.
func (e *events) room() bool {
	if e.kept == maxEvents {
		e.left++
		return false
	}
	e.kept++
	return true
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
	e.facts = e.facts[:e.begin.facts]
	e.kept, e.left, e.entries, e.last, e.tempBytes = e.begin.kept, e.begin.left, e.begin.entries, e.begin.last, e.begin.tempBytes
	for _, name := range []string{e.begin.count, e.begin.level} {
		if name != "" {
			e.counts[name]--
		}
	}
}

// found returns the facts: the counts first, then the events in their order.
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
		notes = append(notes, note(capture.LeftOut, "%d events are counted but not listed: %d are listed", e.left, maxEvents))
	}
	return capture.Found{Facts: append(facts, e.facts...), Notes: notes}, nil
}
