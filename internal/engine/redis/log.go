package redis

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"plinth/internal/engine/life"
	"plinth/internal/host/launch"
)

// serverLog holds what a server and its children print.
type serverLog = life.Log[said]

// said holds what a log says about a server's health, and about its children.
type said struct {
	warning         string // the last one
	saves, rewrites int64  // that have started
}

// forked returns how many children of a kind have been started since the server started.
func (s said) forked(count string) int64 {
	return map[string]int64{savesCount: s.saves, rewritesCount: s.rewrites}[count]
}

func newServerLog() *serverLog { return life.NewLog((*said).note) }

// logLine matches a line of the log: "1234:M 22 Nov 2026 01:11:40.816 # Configuration …". The
// sign is the level: # is a warning.
var logLine = regexp.MustCompile(`^\d+:[A-Z] .*?\d\d:\d\d:\d\d\.\d{3} ([.*#-]) (.*)$`)

// note processes one line of the log. All versions use the same words about a child that starts
// to write.
func (s *said) note(line string) {
	match := logLine.FindStringSubmatch(line)
	if match == nil {
		return
	}
	level, message := match[1], match[2]
	switch {
	case strings.HasPrefix(message, "Background saving started by pid "):
		s.saves++
	case strings.HasPrefix(message, "Background append only file rewriting started by pid "):
		s.rewrites++
	}
	mentioned := func(words string) bool { return strings.Contains(message, words) }
	first := func(words string) bool { return strings.HasPrefix(message, words) }
	if level == "#" && !slices.ContainsFunc(harmless, mentioned) && (s.warning == "" || !slices.ContainsFunc(consequences, first)) {
		s.warning = message
	}
}

// harmless are warnings that do not mean a fault of this server: those about the machine at each
// start, and those about a requested shutdown.
var harmless = []string{
	"WARNING", "Server initialized", "Configuration loaded", "oO0OoO0OoO0Oo", "Redis version=", "Valkey version=",
	"Warning: no config file", "User requested shutdown", "is now ready to exit", "Redis is starting", "Redis version", "Received SIG",
}

// consequences start warnings that only follow from an earlier one, which has the cause.
var consequences = []string{"Background saving error", "Background AOF rewrite terminated with error", "AOF rewrite was aborted", "Failed listening on port"}

// plainLine returns a line without its log prefix.
func plainLine(line string) string {
	if match := logLine.FindStringSubmatch(line); match != nil {
		return match[2]
	}
	return strings.TrimSpace(line)
}

// endError returns why a server ended, in its own words if it has left any.
func endError(log *serverLog, status launch.ExitStatus) error {
	text := log.String()
	if r, found := refusedSetting(text); found {
		return fmt.Errorf("%s: %s", r.line, r.words)
	}
	switch warning := log.Said().warning; {
	case warning != "":
		return errors.New(warning)
	case status.Signal != nil:
		return fmt.Errorf("it was terminated by a signal (%v)", status.Signal)
	}
	return fmt.Errorf("exit code %d: %s", status.Code, plainLine(life.LastLine(text)))
}
