package postgres

import (
	"encoding/csv"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"plinth/internal/capture"
)

// csvSamples reads a file with a header and columns that are separated by commas, semicolons, tabs or
// bars: samples over time as scripts write them, and what psql prints with --csv and -A.
type csvSamples struct {
	capture.LastLine
	separator rune
	header    string
	table     *table
	ended     bool
}

// Parts of names that scripts give to columns about PostgreSQL: those that hardly another database has,
// and others. Two names with a hint, one of them of its own, make a file with times one of its statistics.
var (
	ownHint = regexp.MustCompile(`xact|rollback|wal(?:$|_|bytes|lsn|rate|size)|deadlock|blks|checkpoint|buffers|backend|tup_|hit_?ratio|cache_?hit`)
	anyHint = regexp.MustCompile(ownHint.String() + `|tps|commit|hit|lock|wait|active|temp_`)
)

var separators = []rune{',', '|', ';', '\t'}

// parseSampleHeader divides a header, if it is one of statistics of PostgreSQL.
func parseSampleHeader(line string) (columns []string, separator rune, ok bool) {
	if len(line) > 1<<14 {
		return nil, 0, false
	}
	for _, separator := range separators {
		if !strings.ContainsRune(line, separator) {
			continue
		}
		columns, ok := divideRow(line, separator)
		if !ok || len(columns) < 2 || len(columns) > maxColumns || !areNames(columns) {
			continue
		}
		if isSamples(columns) {
			return columns, separator, true
		}
	}
	return nil, 0, false
}

func isSamples(columns []string) bool {
	t := newTable("", columns)
	if t.view != nil {
		return true
	}
	if t.timeAt < 0 {
		return false
	}
	own, hinted := 0, 0
	for _, name := range t.names {
		if ownHint.MatchString(name) {
			own++
		}
		if anyHint.MatchString(name) {
			hinted++
		}
	}
	return t.known() >= 2 || own >= 1 && hinted >= 2
}

// areNames reports whether each field can be the name of a column, and none is there twice.
func areNames(columns []string) bool {
	seen := map[string]bool{}
	for _, name := range columns {
		if name == "" || len(name) > 63 || name[0] >= '0' && name[0] <= '9' || seen[name] {
			return false
		}
		seen[name] = true
		for _, c := range []byte(name) {
			if !isAlnum(c) && !strings.ContainsRune("_-%./ ()", rune(c)) {
				return false
			}
		}
	}
	return true
}

// divideRow divides a row; a field in quotes may have the separator.
func divideRow(line string, separator rune) ([]string, bool) {
	if !strings.Contains(line, `"`) {
		fields := strings.Split(line, string(separator))
		if separator != '\t' {
			for i := range fields {
				fields[i] = strings.TrimSpace(fields[i])
			}
		}
		return fields, true
	}
	reader := csv.NewReader(strings.NewReader(line))
	reader.Comma = separator
	fields, err := reader.Read()
	return fields, err == nil
}

func beginsCSV(lines []string) bool {
	columns, separator, ok := parseSampleHeader(lines[0])
	if !ok || len(lines) < 2 {
		return false
	}
	t := newTable("", columns)
	row, ok := divideRow(lines[1], separator)
	return ok && t.row(row, capture.Moment{})
}

// Line implements capture.Reader.
func (c *csvSamples) Line(line []byte) bool { return c.Took(c.line(line)) }

func (c *csvSamples) line(line []byte) bool {
	text := string(line)
	if c.table == nil {
		columns, separator, ok := parseSampleHeader(text)
		if ok {
			c.separator, c.header, c.table = separator, text, newTable("csv", columns)
		}
		return ok
	}
	switch {
	case c.ended:
		return false
	case text == c.header: // a script that was started again
		return c.table.timeAt >= 0
	case countLine.MatchString(text):
		c.ended = true
		return true
	}
	cells, ok := divideRow(text, c.separator)
	return ok && c.table.row(cells, capture.Moment{})
}

// End implements capture.Reader.
func (c *csvSamples) End() (capture.Found, error) { return endTable(c.table, c.Cut && !c.ended) }

func endTable(t *table, cut bool) (capture.Found, error) {
	if cut && t.taken > 0 {
		t.dropRow()
	}
	if t.taken == 0 {
		return capture.Found{}, errors.New("it has a header and no row that is complete")
	}
	if t.view == nil && t.repeated > 0 {
		return capture.Found{}, fmt.Errorf("its columns are of no view that plinth knows, so its %d rows are not used", t.taken)
	}
	found := t.found()
	if cut {
		found.Notes = append(found.Notes, cutOff("row"))
	}
	if len(found.Series) == 0 && len(found.Facts) == 0 {
		return found, errors.New("it has no value")
	}
	return found, nil
}
