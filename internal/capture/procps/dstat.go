package procps

import (
	"errors"
	"math"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// dstat reads the table of dstat 0.7, of PCP's dstat and of dool: two lines of titles, and rows whose groups
// are separated by | and : at the positions where the second line has them.
//
// Numbers have at most four digits and a suffix: B, k, M, G with base 1024 for bytes, k, M, G with base
// 1000 for others (cprint in the tool's source). With --bits, bytes become bits; only the suffix b shows it.
type dstat struct {
	capture.LastLine
	titles  string // the first line of the header
	names   string // the second
	bounds  []int  // positions of the separators, and the end
	groups  []group
	columns []column
	notes   []record.Note

	rows     capture.Rows
	since    int
	pending  string // the first line of a header whose second has not come
	first    bool   // the first row was read
	average  bool   // it was left out
	inBits   bool
	inBytes  bool
	suffixes map[string]bool // columns with suffixes of an unknown base
}

// maxGroups is how many groups a header has at most.
const maxGroups = 1000

// frame translates the characters that dool draws with to those of dstat.
var frame = strings.NewReplacer("┄", "-", "┬", " ", "│", "|", "┊", ":")

func plain(line string) string {
	for i := range len(line) {
		if line[i] >= 0x80 {
			return frame.Replace(line)
		}
	}
	return line
}

func beginsDstat(lines []string) bool {
	if len(lines) < 2 {
		return false
	}
	groups, _ := parseHeader(plain(lines[0]), plain(lines[1]))
	for _, g := range groups {
		if g.isFamiliar() {
			return true
		}
	}
	return false
}

// parseHeader returns the groups of a header and the ends of their columns, or nothing if it is none.
func parseHeader(titles, names string) (groups []group, bounds []int) {
	titles, names = strings.TrimRight(titles, " "), strings.TrimRight(names, " ")
	if !strings.Contains(titles, "--") {
		return nil, nil
	}
	start := 0
	for title := range strings.SplitSeq(titles, " ") {
		end := start + len(title)
		name := strings.Trim(title, "-")
		if name == "" || len(groups) == maxGroups || start >= len(names) || end < len(names) && strings.IndexByte("|: ", names[end]) < 0 {
			return nil, nil
		}
		columns := strings.Fields(names[start:min(end, len(names))])
		if len(columns) == 0 || strings.Contains(names[start:min(end, len(names))], "|") {
			return nil, nil
		}
		if !device.MatchString(name) && !strings.Contains(name, "/") {
			name = strings.ReplaceAll(name, "-", " ")
		}
		groups = append(groups, group{title: name, whole: len(strings.Trim(title, "-")) < len(title), columns: columns})
		bounds = append(bounds, end)
		start = end + 1
	}
	if start <= len(names) {
		return nil, nil
	}
	return groups, bounds
}

// Line implements capture.Reader.
func (d *dstat) Line(line []byte) bool { return d.Took(d.line(line)) }

func (d *dstat) line(line []byte) bool {
	text := plain(string(line))
	if d.pending != "" {
		if d.names != "" && text != d.names {
			return false
		}
		return d.header(text)
	}
	if d.names == "" {
		d.pending = text
		return true
	}
	if text == d.titles {
		if !repeats(d.since) {
			return false
		}
		d.pending = text
		return true
	}
	return d.row(text)
}

func (d *dstat) header(names string) bool {
	groups, bounds := parseHeader(d.pending, names)
	if groups == nil {
		return false
	}
	d.titles, d.names, d.pending, d.since = d.pending, names, "", 0
	if d.columns == nil {
		d.groups, d.bounds = groups, bounds
		d.columns, d.notes = resolve(groups)
	}
	return true
}

func (d *dstat) row(text string) bool {
	text = strings.TrimRight(text, " ")
	var at capture.Moment
	values := make([]float64, 0, len(d.columns))
	texts := make([]string, 0, len(d.columns))
	start, blank := 0, false
	for i, end := range d.bounds {
		part := ""
		if start < len(text) {
			part = text[start:min(end, len(text))]
		}
		if last := i == len(d.bounds)-1; !last && (end >= len(text) || text[end] != '|' && text[end] != ':') || last && end < len(text) {
			return false
		}
		start = end + 1
		if d.columns[len(values)].time {
			moment, ok := printed{}.moment(part)
			if !ok {
				return false
			}
			at, values, texts = moment, append(values, math.NaN()), append(texts, "")
			continue
		}
		fields := strings.Fields(part)
		if len(fields) == 0 {
			blank = true
			fields = make([]string, len(d.groups[i].columns))
		}
		if len(fields) != len(d.groups[i].columns) {
			return false
		}
		for _, field := range fields {
			value, ok := d.columns[len(values)].value(field)
			if !ok {
				return false
			}
			values, texts = append(values, value), append(texts, field)
		}
	}
	d.take(at, values, texts, blank)
	return true
}

// take adds a row. The first has averages since boot; PCP's leaves the rates blank instead.
func (d *dstat) take(at capture.Moment, values []float64, texts []string, blank bool) {
	d.since++
	if !d.first {
		d.first = true
		if !blank {
			d.average = true
			return
		}
	}
	d.rows.Add(at)
	for i, value := range values {
		c := d.columns[i]
		if c.time || texts[i] == "" {
			continue
		}
		last := texts[i][len(texts[i])-1]
		d.inBits = d.inBits || c.bits && last == 'b'
		d.inBytes = d.inBytes || c.bits && last == 'B'
		if strings.IndexByte("kMGTPE", last) >= 0 && c.base == 0 {
			if d.suffixes == nil {
				d.suffixes = map[string]bool{}
			}
			d.suffixes[c.name] = true
		}
		d.rows.Set(c.name, value*c.factor)
	}
}

// End implements capture.Reader.
func (d *dstat) End() (capture.Found, error) {
	found, err := ended(&d.rows, d.Cut, d.average, d.notes)
	if err == nil {
		found.Notes = append(found.Notes, d.drop(&found.Series[0])...)
	}
	return found, err
}

// ended returns the rows of dstat, without one that is cut. Average says that the first one was left out.
func ended(rows *capture.Rows, cut, average bool, notes []record.Note) (capture.Found, error) {
	if cut && rows.Len() > 0 {
		rows.DropLast()
		notes = append(notes, cutOff("row"))
	}
	if average {
		notes = append(notes, sinceBoot)
	}
	series := rows.Series("dstat", 0)
	if series == nil {
		return capture.Found{}, errors.New("it has no row apart from the first, which has averages since boot or is blank")
	}
	return capture.Found{Series: series, Notes: append(notes, rows.Notes()...)}, nil
}
