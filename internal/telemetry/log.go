package telemetry

import (
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// mostPending is how many different marks a log keeps between two readings; of those
// that a load can make without end, mostPending/4.
const mostPending = 120

// Logged is the kind of marks that are a line of a server's log as it is; other kinds
// say what a line means.
const Logged = "log"

// Log is a server's own log, as marks on the timeline.
type Log struct {
	mu      sync.Mutex
	read    func(at time.Time, line string) (kind, text string)
	pending []entry
	left    int // entries beyond the most
}

// entry is a line that matters, or several that say the same.
type entry struct {
	at         time.Time
	kind, text string
	times      int
}

// NewLog returns a log without lines. Read says what a line is as a mark; its kind is
// "" where it is none. It is called for one line at a time, in their order.
func NewLog(read func(at time.Time, line string) (kind, text string)) *Log { return &Log{read: read} }

// Line takes one line of the server's log, without its end. It may be called by any
// goroutine, with anything.
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
		if e.kind == kind && e.text == text && kind == Logged { // each checkpoint has a time of its own
			e.times++
			return
		}
		if e.kind == kind {
			alike++
		}
	}
	if kind == Logged && alike == mostPending/4 || len(l.pending) == mostPending {
		l.left++
		return
	}
	l.pending = append(l.pending, entry{at, kind, text, 1})
}

// Drain moves what has come to the board. A log that is nil has nothing.
func (l *Log) Drain(b *Board) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.pending {
		if e.times > 1 {
			e.text += fmt.Sprintf(" (%d times)", e.times)
		}
		b.Mark(e.at, e.kind, e.text)
	}
	if l.left > 0 {
		b.Mark(l.pending[len(l.pending)-1].at, Logged, fmt.Sprintf("%d more lines", l.left))
	}
	l.pending, l.left = l.pending[:0], 0
}

// longestText is how many bytes the text of a mark has at most.
const longestText = 200

// Tidy makes text of a server fit for a terminal and a record: what would move the
// cursor, turn the direction of writing or is no character at all is left out. It is
// 200 bytes at most.
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
