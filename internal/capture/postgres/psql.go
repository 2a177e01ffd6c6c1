package postgres

import (
	"regexp"
	"strconv"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// psql reads tables as psql prints them: aligned, with borders of 1 in ASCII or Unicode; records of -x; and
// the rows of pg_settings without a header (-t). The same table again, below a line that states the time,
// is another sample.
type psql struct {
	capture.LastLine
	mode    mode
	stamped bool
	at      capture.Moment
	header  string // the first line of the table
	rule    string
	table   *table
	rows    int // of the table that is being read
	reading bool
	ruled   bool // the rule below the header was read
	record  []string
	names   []string
	notes   []record.Note
}

type mode int

const (
	aligned mode = iota + 1
	expanded
	tuples
)

var (
	recordLine = regexp.MustCompile(`^-\[ RECORD \d+ \][-+]*$`)
	psqlRule   = regexp.MustCompile(`^-+(?:\+-+)*$`)
)

// lines translates the characters of Unicode borders.
var lines = strings.NewReplacer("│", "|", "─", "-", "┼", "+")

func ascii(line string) string {
	for i := range len(line) {
		if line[i] >= 0x80 {
			return lines.Replace(line)
		}
	}
	return line
}

// isHeader reports whether rule is the rule below header: as wide, with a + below each |.
func isHeader(header, rule string) bool {
	header = strings.TrimRight(header, " ")
	if !psqlRule.MatchString(rule) || !strings.HasPrefix(header, " ") || strings.Contains(header, "\t") {
		return false
	}
	for i := range len(rule) {
		if (rule[i] == '+') != (i < len(header) && header[i] == '|') {
			return false
		}
	}
	return len(header) <= len(rule) && (strings.Contains(rule, "+") || len(header) >= len(rule)/2)
}

func beginsPsql(all []string) bool {
	if _, ok := capture.Stamp(watchTitle(all[0])); ok {
		all = all[1:]
		for len(all) > 0 && strings.TrimSpace(all[0]) == "" {
			all = all[1:]
		}
	}
	if len(all) < 2 {
		return len(all) == 1 && isSettingLine(all[0])
	}
	return isHeader(ascii(all[0]), ascii(all[1])) || recordLine.MatchString(ascii(all[0])) && strings.Contains(ascii(all[1]), " | ") || isSettingLine(all[0])
}

// watchTitle cuts what \watch prints behind the time.
func watchTitle(line string) string {
	before, _, _ := strings.Cut(line, " (every ")
	return before
}

// Line implements capture.Reader.
func (p *psql) Line(line []byte) bool { return p.Took(p.line(line)) }

func (p *psql) line(line []byte) bool {
	text := ascii(string(line))
	if at, ok := capture.Stamp(watchTitle(text)); ok && !p.reading {
		if p.table != nil && !p.stamped {
			return false
		}
		p.stamped, p.at = true, at
		return true
	}
	switch p.mode {
	case 0:
		return p.begin(text)
	case expanded:
		return p.field(text)
	case tuples:
		cells, ok := parseSetting(text)
		if !ok {
			cells, ok = otherSetting(text)
		}
		return ok && p.table.row(cells, p.at)
	}
	return p.alignedLine(text)
}

func (p *psql) begin(text string) bool {
	switch cells, ok := parseSetting(text); {
	case ok:
		p.mode, p.table = tuples, newTable("psql", []string{"name", "setting", "unit"})
		return p.table.row(cells, p.at)
	case recordLine.MatchString(text):
		p.mode, p.reading = expanded, true
		return true
	case strings.HasPrefix(text, " "):
		p.mode, p.header, p.reading = aligned, text, true
		return true
	}
	return false
}

// alignedLine reads a line of a table below its header.
func (p *psql) alignedLine(text string) bool {
	switch {
	case !p.reading:
		// The same table again is another sample if the time of it is known.
		if text != p.header || !p.stamped {
			return false
		}
		p.reading, p.ruled = true, false
		return true
	case !p.ruled:
		return p.readRule(text)
	case countLine.MatchString(text):
		p.count(text)
		p.reading, p.rows = false, 0
		return true
	}
	cells := p.cells(text)
	if cells == nil || !p.table.row(cells, p.at) {
		return false
	}
	p.rows++
	return true
}

func (p *psql) readRule(text string) bool {
	if !isHeader(p.header, text) || p.rule != "" && text != p.rule {
		return false
	}
	p.ruled, p.rule = true, text
	if p.table == nil {
		p.table = newTable("psql", p.cells(p.header))
	}
	return true
}

// cells divides a row at the bars, which are below those of the header unless a value has one.
func (p *psql) cells(text string) []string {
	cells := strings.Split(text, "|")
	if len(cells) != strings.Count(p.rule, "+")+1 || !strings.HasPrefix(text, " ") {
		return nil
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// count compares "(2 rows)" with the rows.
func (p *psql) count(text string) {
	printed, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSuffix(text[1:len(text)-1], " rows"), " row"))
	if err == nil && printed != p.rows && len(p.notes) < 10 {
		p.notes = append(p.notes, note(capture.Contradiction, "psql counted %d rows, but the table has %d", printed, p.rows))
	}
}

// End implements capture.Reader.
func (p *psql) End() (capture.Found, error) {
	cut := p.Cut && (p.reading || p.mode == tuples)
	if p.mode == expanded {
		if cut && len(p.names) > 0 {
			last := len(p.names) - 1
			p.names, p.record = p.names[:last], p.record[:last]
			p.notes, cut = append(p.notes, cutOff("field")), false
			if p.table != nil { // an incomplete record beside complete ones
				p.names = nil
			}
		}
		p.endRecord()
	}
	if p.table == nil {
		p.table = newTable("psql", nil)
	}
	found, err := endTable(p.table, cut)
	if p.reading && p.mode == aligned && !cut && err == nil {
		found.Notes = append(found.Notes, note(capture.Cut, "the table lacks its end: the number of rows"))
	}
	found.Notes = append(found.Notes, p.notes...)
	return found, err
}
