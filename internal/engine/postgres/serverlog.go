package postgres

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"sync"
	"time"
)

// logBytes is how much of a server's log is kept, in memory: a log on a disk
// would share the disk under test.
const logBytes = 256 << 10

// serverLog is what a server writes to its standard error: the last lines, and
// what they say about its health. The messages are PostgreSQL's own with
// lc_messages C, the same from 13 to 18.
type serverLog struct {
	mu      sync.Mutex
	partial []byte
	lines   []string
	bytes   int
	trouble trouble
	grown   chan struct{}                   // closed and replaced with each line
	each    func(at time.Time, line string) // is told each line; nil nobody
}

// trouble is what is wrong, in the server's own words.
type trouble struct {
	crash    string // why its processes were restarted; "" when they were not
	panicked string // the last PANIC, which comes before a crash
	fatal    string // the last FATAL or PANIC
	failed   string // the last ERROR, FATAL or PANIC
	config   string // what is wrong with its configuration file
}

var (
	severity = regexp.MustCompile(`\b(PANIC|FATAL|ERROR|LOG):  (.*)`)

	// processEnd is the postmaster's word on a child whose end takes all others
	// with it.
	processEnd = regexp.MustCompile(`^.* \(PID \d+\) (was terminated by (signal|exception)|exited with (exit code|unrecognized status)) .*`)
)

const restarting = "terminating any other active server processes"

func newServerLog() *serverLog { return &serverLog{grown: make(chan struct{})} }

// Write takes a piece of the log. It never fails.
func (l *serverLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.partial = append(l.partial, p...)
	for {
		end := bytes.IndexByte(l.partial, '\n')
		if end < 0 {
			return len(p), nil
		}
		l.add(string(l.partial[:end]))
		l.partial = l.partial[end+1:]
	}
}

func (l *serverLog) add(line string) {
	l.lines = append(l.lines, line)
	l.bytes += len(line) + 1
	for l.bytes > logBytes && len(l.lines) > 1 {
		l.bytes -= len(l.lines[0]) + 1
		l.lines = l.lines[1:]
	}
	l.trouble.note(line)
	if l.each != nil {
		l.each(time.Now(), line)
	}
	close(l.grown)
	l.grown = make(chan struct{})
}

// note takes in one line of the log.
func (t *trouble) note(line string) {
	match := severity.FindStringSubmatch(line)
	if match == nil {
		return
	}
	level, message := match[1], match[2]
	words := level + ": " + message
	switch level {
	case "LOG":
		t.noteLog(message)
		return
	case "PANIC":
		t.panicked = words
	case "FATAL":
		// That it is not ready yet, or not any more, is no cause.
		if strings.HasPrefix(message, "the database system is ") ||
			strings.HasPrefix(message, "terminating connection") {
			return
		}
	}
	if level != "ERROR" {
		t.fatal = words
	}
	t.failed = words
}

func (t *trouble) noteLog(message string) {
	switch {
	case message == restarting && t.crash == "":
		t.crash = "its processes were restarted"
	case processEnd.MatchString(message) && t.crash == "": // what follows is its consequence
		t.crash = message
		if t.panicked != "" {
			t.crash = t.panicked
			t.panicked = ""
		}
	case strings.Contains(message, "parameter \"") || strings.HasPrefix(message, "syntax error in file"):
		if t.config == "" {
			t.config = message
		}
	}
}

// forget forgets the troubles so far; the lines stay.
func (l *serverLog) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trouble = trouble{}
}

func (l *serverLog) troubles() trouble {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.trouble
}

// String is the end of the log, whole lines only.
func (l *serverLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) == 0 {
		return ""
	}
	return strings.Join(l.lines, "\n") + "\n"
}

// await waits until the troubles are as wanted or ctx is done: a message of the
// server's may arrive a little later than its consequence.
func (l *serverLog) await(ctx context.Context, wanted func(trouble) bool) trouble {
	for {
		l.mu.Lock()
		now, grown := l.trouble, l.grown
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
