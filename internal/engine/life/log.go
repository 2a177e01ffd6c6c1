package life

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"time"
)

// LogBytes is how much of a server's log is kept, in memory: a log on a disk would share the disk
// under test.
const LogBytes = 256 << 10

// Log holds what a server writes to its standard output and error: the last lines, and what all
// lines together say about its health, a T.
type Log[T any] struct {
	mu    sync.Mutex
	lines Lines
	kept  []string
	bytes int
	said  T
	grown chan struct{}                   // closed and replaced with each line
	each  func(at time.Time, line string) // called with each line; may be nil
}

// NewLog returns a log that calls note to update said with each line.
func NewLog[T any](note func(said *T, line string)) *Log[T] {
	l := &Log[T]{grown: make(chan struct{})}
	l.lines.Line = func(line string) {
		l.kept = append(l.kept, line)
		l.bytes += len(line) + 1
		for l.bytes > LogBytes && len(l.kept) > 1 {
			l.bytes -= len(l.kept[0]) + 1
			l.kept = l.kept[1:]
		}
		note(&l.said, line)
		if l.each != nil {
			l.each(time.Now(), line)
		}
		close(l.grown)
		l.grown = make(chan struct{})
	}
	return l
}

// Write adds a piece of the log. It never fails.
func (l *Log[T]) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.Write(p)
}

// Said returns what the log has said since the last Forget.
func (l *Log[T]) Said() T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said
}

// Forget clears what the log has said; the lines stay.
func (l *Log[T]) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	var nothing T
	l.said = nothing
}

// Await waits until wanted returns true or ctx is done: the server may log a message a little
// after its effect.
func (l *Log[T]) Await(ctx context.Context, wanted func(T) bool) T {
	for {
		l.mu.Lock()
		now, grown := l.said, l.grown
		l.mu.Unlock()
		if wanted(now) {
			return now
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return now
		}
	}
}

// Follow calls each with every whole line as it arrives, until the next call of Follow; nil stops
// it.
func (l *Log[T]) Follow(each func(at time.Time, line string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.each = each
}

// String returns the end of the log, in whole lines.
func (l *Log[T]) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.kept) == 0 {
		return ""
	}
	return strings.Join(l.kept, "\n") + "\n"
}

// LastLine returns the last line of a text, trimmed.
func LastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// Lines splits what is written to it into lines, and passes them on without their line ends.
type Lines struct {
	Line func(string)
	rest []byte
}

// Write adds a piece of text. It never fails.
func (l *Lines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		end := bytes.IndexByte(l.rest, '\n')
		if end < 0 {
			return len(p), nil
		}
		l.Line(string(bytes.TrimRight(l.rest[:end], "\r")))
		l.rest = l.rest[end+1:]
	}
}

// End passes on a last line that has no line end.
func (l *Lines) End() {
	if len(l.rest) > 0 {
		l.Line(string(l.rest))
		l.rest = nil
	}
}
