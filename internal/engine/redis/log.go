package redis

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"plinth/internal/host"
)

// logBytes is how much of a server's log is kept, in memory: a log on a disk would
// share the disk under test.
const logBytes = 256 << 10

// serverLog is what a server and its children print: the last lines, and what they
// say about its health.
type serverLog struct {
	mu      sync.Mutex
	partial []byte
	lines   []string
	bytes   int
	warning string                          // the last one
	forks   map[string]int64                // how many saves and rewrites have begun, by the name of the count
	each    func(at time.Time, line string) // is told each line; nil nobody
}

func newServerLog() *serverLog { return &serverLog{forks: map[string]int64{}} }

// logLine is a line of the log: "1234:M 22 Nov 2026 01:11:40.816 # Configuration …".
// The sign is the level: # is a warning.
var logLine = regexp.MustCompile(`^\d+:[A-Z] .*?\d\d:\d\d:\d\d\.\d{3} ([.*#-]) (.*)$`)

// begun are the words by which all versions tell of a child that begins to write.
var begun = map[string]string{
	"Background saving started by pid ":                     savesCount,
	"Background append only file rewriting started by pid ": rewritesCount,
}

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
		l.add(strings.TrimRight(string(l.partial[:end]), "\r"))
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
	if match := logLine.FindStringSubmatch(line); match != nil {
		if match[1] == "#" && !harmless(match[2]) && (l.warning == "" || !consequence(match[2])) {
			l.warning = match[2]
		}
		for words, count := range begun {
			if strings.HasPrefix(match[2], words) {
				l.forks[count]++
			}
		}
	}
	if l.each != nil {
		l.each(time.Now(), line)
	}
}

// harmless are warnings that say nothing is wrong with this server: about the
// machine at each start, and that it was asked to end.
func harmless(message string) bool {
	for _, words := range []string{
		"WARNING", "Server initialized", "Configuration loaded", "oO0OoO0OoO0Oo", "Redis version=", "Valkey version=",
		"Warning: no config file", "User requested shutdown", "is now ready to exit", "Redis is starting", "Redis version", "Received SIG",
	} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}

// consequence says whether a warning only follows from one before it, which says why.
func consequence(message string) bool {
	for _, words := range []string{"Background saving error", "Background AOF rewrite terminated with error", "AOF rewrite was aborted"} {
		if strings.HasPrefix(message, words) {
			return true
		}
	}
	return false
}

// forget forgets the troubles and counts so far; the lines stay.
func (l *serverLog) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.warning, l.forks = "", map[string]int64{}
}

// warned is the last warning; "" for none.
func (l *serverLog) warned() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.warning
}

// forked is how many children of a kind have begun since the start.
func (l *serverLog) forked(count string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.forks[count]
}

func (l *serverLog) follow(each func(at time.Time, line string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.each = each
}

// String is the end of the log, whole lines only.
func (l *serverLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// plainLine is a line without what a log puts before it.
func plainLine(line string) string {
	if match := logLine.FindStringSubmatch(line); match != nil {
		return match[2]
	}
	return strings.TrimSpace(line)
}

// endError is why a server ended, in its own words where it has left any.
func endError(log *serverLog, status host.ExitStatus) error {
	said := log.String()
	if r, found := refusedSetting(said); found {
		return fmt.Errorf("%s: %s", r.line, r.words)
	}
	switch {
	case log.warned() != "":
		return errors.New(log.warned())
	case status.Signal != nil:
		return fmt.Errorf("signal %v", status.Signal)
	}
	last := plainLine(said[strings.LastIndexByte(said, '\n')+1:])
	return fmt.Errorf("exit code %d: %s", status.Code, last)
}
