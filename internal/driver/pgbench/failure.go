package pgbench

import (
	"fmt"
	"strings"

	"plinth/internal/host/launch"
)

// failure returns why pgbench failed, in its own words if it had any; nil if it did not.
func failure(status launch.ExitStatus, words string) error {
	switch {
	case words != "":
		return fmt.Errorf("cannot finish the run: pgbench: %s", words)
	case status.Signal != nil:
		return fmt.Errorf("cannot finish the run: pgbench was terminated by a signal: %s", status.Signal)
	case status.Code != 0:
		return fmt.Errorf("cannot finish the run: pgbench ended with exit code %d", status.Code)
	}
	return nil
}

// complaint selects the lines of pgbench's standard error that name the cause best. When a
// server goes down, each client reports it differently, in any order: one with the server's
// words, one with a guess ("perhaps the backend died"), and libpq prints the server's words
// on a separate line.
type complaint struct {
	first   []string // the first error, with the lines that belong to it
	server  []string // the first error with the server's words
	bare    string   // the server's words on a separate line
	current *[]string
}

// line takes one line of standard error that is not a progress line.
func (c *complaint) line(line string) {
	words, isError := errorWords(line)
	switch {
	case isError:
		c.begin(words)
	case strings.HasPrefix(line, "pgbench: "):
		c.current = nil
	case c.bare == "" && hasAnyPrefix(line, "FATAL:", "PANIC:", "WARNING:  terminating"):
		c.bare, c.current = words, nil
	case c.current != nil && hasAnyPrefix(line, "DETAIL:", "HINT:", "CONTEXT:", "LINE "):
		// the server's further words, but not the caret that points into the SQL
		*c.current = append(*c.current, words)
	}
}

// errorWords returns the text of an error of pgbench. pgbench writes a message in pieces
// without locking between threads, so two errors at once may begin
// "pgbench:pgbench: error:  client 0" and continue "error: client 1".
func errorWords(line string) (words string, isError bool) {
	words = strings.TrimSpace(line)
	for {
		rest, isName := strings.CutPrefix(words, "pgbench:")
		if !isName {
			var isKind bool
			if rest, isKind = cutAny(words, "error:", "fatal:"); !isKind {
				return words, isError
			}
			isError = true
		}
		words = strings.TrimSpace(rest)
	}
}

func (c *complaint) begin(words string) {
	c.current = nil
	if c.first == nil {
		c.first, c.current = []string{words}, &c.first
	}
	if c.server == nil && (strings.Contains(words, "ERROR:  ") || strings.Contains(words, "FATAL:  ")) {
		c.server, c.current = []string{words}, &c.server
	}
}

// String returns the cause, "" if no error was printed.
func (c *complaint) String() string {
	switch {
	case c.server != nil:
		return strings.Join(c.server, "; ")
	case c.first != nil && c.bare != "":
		return c.first[0] + "; " + c.bare
	}
	return strings.Join(c.first, "; ")
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	_, ok := cutAny(s, prefixes...)
	return ok
}

func cutAny(s string, prefixes ...string) (rest string, ok bool) {
	for _, p := range prefixes {
		if rest, ok = strings.CutPrefix(s, p); ok {
			return rest, true
		}
	}
	return s, false
}
