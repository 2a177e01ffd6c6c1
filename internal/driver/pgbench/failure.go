package pgbench

import (
	"fmt"
	"strings"

	"plinth/internal/host"
)

// failure explains why pgbench did not go to its end, in its own words where it
// had any; nil when it did.
func failure(status host.ExitStatus, words string) error {
	switch {
	case words != "":
		return fmt.Errorf("cannot finish the run: pgbench: %s", words)
	case status.Signal != nil:
		return fmt.Errorf("cannot finish the run: pgbench was ended by a signal: %s", status.Signal)
	case status.Code != 0:
		return fmt.Errorf("cannot finish the run: pgbench ended with exit code %d", status.Code)
	}
	return nil
}

// complaint collects pgbench's first error from its standard error: the line,
// and what the server and libpq added on the lines after it.
type complaint struct {
	text []string
	open bool // the lines that follow belong to it
}

// line takes one line of standard error that is not a progress line.
func (c *complaint) line(line string) {
	rest, isError := cutAny(line, "pgbench: error: ", "pgbench: fatal: ")
	switch {
	case isError && len(c.text) == 0:
		c.text, c.open = []string{strings.TrimSpace(rest)}, true
	case strings.HasPrefix(line, "pgbench: "):
		c.open = false
	case c.open && isDetail(line):
		c.text = append(c.text, strings.TrimSpace(line))
	}
}

// isDetail tells the server's words from the caret lines that point into SQL.
func isDetail(line string) bool {
	word, _, ok := strings.Cut(strings.TrimSpace(line), " ")
	return ok && (strings.HasSuffix(word, ":") && word == strings.ToUpper(word) || strings.HasPrefix(line, "LINE "))
}

func (c *complaint) String() string { return strings.Join(c.text, "; ") }

func cutAny(s string, prefixes ...string) (rest string, ok bool) {
	for _, p := range prefixes {
		if rest, ok = strings.CutPrefix(s, p); ok {
			return rest, true
		}
	}
	return s, false
}
