package telemetry

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// mostPending limits how many different marks a log keeps between two readings;
// mostPending/4 applies to those that a load can cause without limit.
const mostPending = 120

// Logged is the kind of marks that show a line of a server's log as it is; other kinds name
// the meaning of a line.
const Logged = "log"

// Log turns a server's log into marks on the timeline.
type Log struct {
	mu      sync.Mutex
	read    func(at time.Time, line string) (kind, text string)
	pending []Entry
	left    int // entries beyond the limits
}

// Entry is a relevant line, or several equal ones.
type Entry struct {
	At         time.Time
	Kind, Text string // of its mark
	times      int
}

// NewLog returns a log without lines. Read returns the mark for a line; kind "" means none.
// It is called for one line at a time, in order.
func NewLog(read func(at time.Time, line string) (kind, text string)) *Log { return &Log{read: read} }

// Line takes one line of the server's log, without its newline. It may be called by any
// goroutine, with any text.
func (l *Log) Line(at time.Time, line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kind, text := l.read(at, line)
	if kind == "" {
		return
	}
	alike := 0
	for i := range l.pending {
		e := &l.pending[i]
		if e.Kind == kind && e.Text == text && kind == Logged { // each checkpoint has its own time
			e.times++
			return
		}
		if e.Kind == kind {
			alike++
		}
	}
	if kind == Logged && alike == mostPending/4 || len(l.pending) == mostPending {
		l.left++
		return
	}
	l.pending = append(l.pending, Entry{at, kind, text, 1})
}

// Drain moves the pending marks to the board, and returns them. A nil log has none.
func (l *Log) Drain(b *Board) []Entry {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	drained := slices.Clone(l.pending)
	for _, e := range drained {
		if e.times > 1 {
			e.Text += fmt.Sprintf(" (%d times)", e.times)
		}
		b.Mark(e.At, e.Kind, e.Text)
	}
	if l.left > 0 {
		b.Mark(l.pending[len(l.pending)-1].At, Logged, fmt.Sprintf("%d more lines", l.left))
	}
	l.pending, l.left = l.pending[:0], 0
	return drained
}

// longestText is the maximum length of the text of a mark, in bytes.
const longestText = 200

// Tidy makes a server's text safe for a terminal and a record: it removes whatever would
// move the cursor, change the writing direction or is not a character. The result has at
// most 200 bytes.
func Tidy(text string) string {
	if len(text) > 2*longestText {
		text = text[:2*longestText]
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError:
			return '?'
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
	text = strings.TrimSpace(text)
	if len(text) <= longestText {
		return text
	}
	end := longestText - len("…")
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
