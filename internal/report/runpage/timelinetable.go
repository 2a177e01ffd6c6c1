package runpage

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// step holds the rows of a window that belong to one step of a table, and the step's end.
type step struct {
	from, to int     // rows
	end      float64 // seconds from the start of the window
}

// steps divides a window into steps of this many seconds; the last one ends with the window.
// Steps without any row are left out.
func steps(seconds []float64, every int, until float64) []step {
	var all []step
	for row, second := range seconds {
		end := min((math.Floor(second/float64(every))+1)*float64(every), until)
		if n := len(all); n > 0 && all[n-1].end == end {
			all[n-1].to = row + 1
			continue
		}
		all = append(all, step{row, row + 1, end})
	}
	return all
}

// endOf returns the end of the latest second of all windows.
func endOf(windows ...window) float64 {
	end := 0.0
	for _, w := range windows {
		for _, second := range w.seconds {
			end = max(end, second+1)
		}
	}
	return end
}

// niceSteps holds the step lengths, in seconds, for a table without a given one.
var niceSteps = []int{1, 5, 10, 30, 60, 300, 600, 1800, 3600, 6 * 3600}

// stepFor returns the shortest of niceSteps with which a table fits on a screen of 24 lines.
func stepFor(seconds []float64) int {
	const screen = 24
	last := 0.0
	for _, s := range seconds {
		last = max(last, s)
	}
	for _, every := range niceSteps {
		if last < float64(screen*every) {
			return every
		}
	}
	return niceSteps[len(niceSteps)-1]
}

// of returns the value of a step: the mean of its seconds, or the worst one if a mean has no
// meaning.
func (s series) of(at step) float64 {
	part := s.values[min(at.from, len(s.values)):min(at.to, len(s.values))]
	if s.worst {
		_, most := extremes(part)
		return most
	}
	sum, n := 0.0, 0
	for _, v := range part {
		if phrase.Known(v) {
			sum, n = sum+v, n+1
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

// say formats a value of the column. Seconds are a latency; the title of TPS already has its
// unit.
func (s series) say(v float64) string {
	switch {
	case s.unit == "s":
		return phrase.Quantity(v*1e9, "ns", false)
	case s.column == "tps":
		return phrase.Quantity(v, "1", false)
	}
	return phrase.Quantity(v, s.unit, s.share)
}

// marksIn describes the marks of a step, except those of one kind.
func (p *Page) marksIn(at step, after, but string) string {
	var texts []string
	for _, group := range byKind(p.marksOf(at)) {
		if group[0].Kind == but {
			continue
		}
		_, kind := kindOf(group[0])
		text := prose.Cut(kind.title, 30) + after
		if len(group) > 1 {
			text += fmt.Sprintf(" (%d times)", len(group))
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// marksOf returns the marks of a step.
func (p *Page) marksOf(at step) []record.Mark {
	if p.Run.Telemetry == nil {
		return nil
	}
	first, last := p.window.seconds[at.from], p.window.seconds[at.to-1]
	return slices.DeleteFunc(slices.Clone(p.Run.Telemetry.Marks), func(m record.Mark) bool {
		return m.Second < first || m.Second >= last+1
	})
}

// logLines returns the messages of the server's log, at most five.
func logLines(marks []record.Mark, seconds []float64) []string {
	const most = 5
	var said []logLine
	for _, m := range marks {
		if m.Kind != "log" || rowOf(seconds, m.Second) < 0 {
			continue
		}
		i := slices.IndexFunc(said, func(l logLine) bool {
			return message(l.text) == message(m.Text)
		})
		if i < 0 {
			said = append(said, logLine{text: m.Text, first: math.Floor(m.Second)})
			i = len(said) - 1
		}
		said[i].last, said[i].times = math.Floor(m.Second), said[i].times+1
	}
	var lines []string
	for _, l := range said {
		lines = append(lines, l.String())
	}
	if more := len(lines) - most; more > 0 {
		return append(lines[:most], fmt.Sprintf("and %d more: --format json has them all", more))
	}
	return lines
}

// logLine is a message of the server's log, possibly repeated with other numbers.
type logLine struct {
	text        string // of the first
	first, last float64
	times       int
}

var numberParts = regexp.MustCompile(`[0-9]+`)

// message returns the line up to the first parenthesis, without its numbers.
func message(line string) string {
	line, _, _ = strings.Cut(line, "(")
	return numberParts.ReplaceAllString(line, "")
}

func (l logLine) String() string {
	if l.times == 1 {
		return fmt.Sprintf("second %s, server's log: %s", phrase.Exact(l.first), prose.Cut(l.text, 200))
	}
	return fmt.Sprintf("seconds %s to %s, server's log, %d times such as: %s", phrase.Exact(l.first), phrase.Exact(l.last), l.times, prose.Cut(l.text, 200))
}
