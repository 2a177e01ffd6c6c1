package procps

import (
	"encoding/csv"
	"math"
	"regexp"
	"strconv"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// csvFile reads what dstat, PCP's dstat and dool write with --output: lines about the program, titles,
// names, and rows of numbers in the units of docs/metrics.md: bytes, never bits, and percent.
type csvFile struct {
	capture.LastLine
	began   bool
	printed printed
	titles  []string
	columns []column
	notes   []record.Note
	rows    capture.Rows
	first   bool
	average bool
}

var csvBegin = regexp.MustCompile(`^"(?:Dstat|dool|pcp-dstat) [0-9.]+\S* CSV [oO]utput"`)

func beginsCSV(lines []string) bool { return csvBegin.MatchString(lines[0]) }

// Line implements capture.Reader.
func (c *csvFile) Line(line []byte) bool { return c.Took(c.line(line)) }

func (c *csvFile) line(line []byte) bool {
	text := string(line)
	if !c.began {
		c.began = csvBegin.MatchString(text)
		return c.began
	}
	if c.columns != nil {
		return c.row(text)
	}
	if !strings.HasPrefix(text, `"`) || csvBegin.MatchString(text) {
		return false
	}
	fields, err := csv.NewReader(strings.NewReader(text)).Read()
	if err != nil || len(fields) > maxGroups {
		return false
	}
	switch {
	case fields[0] == "Author:", fields[0] == "Host:":
	case fields[0] == "Cmdline:":
		for i := 1; i+1 < len(fields); i++ {
			if fields[i] == "Date:" {
				c.printed = parsePrinted(fields[i+1])
			}
		}
	case c.titles == nil:
		c.titles = fields
	case len(fields) != len(c.titles):
		return false
	default:
		c.columns, c.notes = resolve(csvGroups(c.titles, fields))
	}
	return true
}

// csvGroups returns the groups of a header, where a title is above the first of its columns.
func csvGroups(titles, names []string) []group {
	var groups []group
	for i, name := range names {
		if titles[i] != "" || len(groups) == 0 {
			groups = append(groups, group{title: titles[i], whole: true})
		}
		last := &groups[len(groups)-1]
		name = name[strings.LastIndexByte(name, ':')+1:] // "dsk/sda:read"
		last.columns = append(last.columns, name)
	}
	return groups
}

func (c *csvFile) row(text string) bool {
	fields := strings.Split(text, ",")
	if strings.Contains(text, `"`) {
		var err error
		if fields, err = csv.NewReader(strings.NewReader(text)).Read(); err != nil {
			return false
		}
	}
	if len(fields) != len(c.columns) {
		return false
	}
	var at capture.Moment
	values := make([]float64, len(fields))
	blank := false
	for i, field := range fields {
		values[i] = math.NaN()
		switch value, err := strconv.ParseFloat(field, 64); {
		case c.columns[i].time:
			moment, ok := c.printed.moment(field)
			if !ok {
				return false
			}
			at = moment
		case field == "":
			blank = true
		case err == nil && !math.IsInf(value, 0):
			values[i] = value
		case strings.Trim(field, "0123456789.-") == "":
			return false // no other number is a name, such as that of the busiest process
		}
	}
	c.take(at, values, blank)
	return true
}

func (c *csvFile) take(at capture.Moment, values []float64, blank bool) {
	if !c.first {
		c.first = true
		if !blank {
			c.average = true
			return
		}
	}
	c.rows.Add(at)
	for i, value := range values {
		if !math.IsNaN(value) {
			c.rows.Set(c.columns[i].name, value*c.columns[i].factor)
		}
	}
}

// End implements capture.Reader.
func (c *csvFile) End() (capture.Found, error) { return ended(&c.rows, c.Cut, c.average, c.notes) }
