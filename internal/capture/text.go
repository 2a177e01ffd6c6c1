package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"plinth/internal/conninfo"
	"plinth/internal/hint"
)

// Text holds what was read from one text.
type Text struct {
	Sections []Section
	Lines    int
	Unread   []Line // the first lines that no reader understood, at most maxUnread
	Others   int    // how many more there are
	// Stopped says that reading ended before the end, after maxForeign lines in a row that no reader
	// understood.
	Stopped bool
}

// Section is a part of a text that one tool printed.
type Section struct {
	Kind        string
	First, Last int // line numbers, from 1
	Found       Found
	Refused     error // why nothing of it can be used; nil if it was read
}

// Line is one line of a text.
type Line struct {
	Number int
	Text   string
}

const (
	maxUnread     = 200
	maxUnreadText = 200      // bytes that are kept of an unread line
	maxLine       = 16 << 20 // a JSON document may be a single line
	maxSections   = 10_000
	maxForeign    = 100_000 // each of which all kinds are asked about: a large file of another kind would take hours
)

// Read reads a text with the readers of kinds. A section begins where the line is not understood by
// the reader of the section before, and one of kinds begins; earlier ones have precedence. A fence of
// Markdown ends a section. Read fails if the text cannot be read as text; what a reader does not
// understand is no error.
func Read(from io.Reader, kinds []Kind) (Text, error) {
	s := &scan{lines: newLines(from), kinds: kinds}
	for {
		line, err := s.lines.next()
		if errors.Is(err, io.EOF) {
			s.end()
			return s.text, nil
		}
		if err != nil {
			return Text{}, fmt.Errorf("line %d: %w", s.text.Lines+1, err)
		}
		s.text.Lines++
		if err := s.line(line); err != nil {
			return Text{}, fmt.Errorf("line %d: %w", s.text.Lines, err)
		}
		if s.foreign == maxForeign {
			s.text.Stopped = true
			s.end()
			return s.text, nil
		}
	}
}

// scan divides the lines of a text among readers.
type scan struct {
	lines   *lines
	kinds   []Kind
	text    Text
	reader  Reader // of the current section; nil if there is none
	section Section
	foreign int // lines since the last one that was understood
}

func (s *scan) line(line []byte) error {
	s.foreign++
	unended := s.lines.atUnended()
	if s.reader != nil && give(s.reader, line, unended) {
		s.section.Last, s.foreign = s.text.Lines, 0
		return nil
	}
	trimmed := bytes.TrimSpace(line)
	switch {
	case len(trimmed) == 0:
		return nil
	case bytes.HasPrefix(trimmed, []byte("```")), bytes.HasPrefix(trimmed, []byte("~~~")):
		s.end()
		return nil
	}
	ahead := s.lines.ahead(line, Ahead) // line is not valid any more
	for _, kind := range s.kinds {
		if !kind.Begins(ahead) {
			continue
		}
		reader := kind.New()
		if !give(reader, []byte(ahead[0]), unended) {
			continue
		}
		s.end()
		if len(s.text.Sections) == maxSections {
			return fmt.Errorf("more than %d outputs in one file", maxSections)
		}
		s.foreign = 0
		s.reader, s.section = reader, Section{Kind: kind.Name, First: s.text.Lines, Last: s.text.Lines}
		return nil
	}
	s.unread(strings.TrimSpace(ahead[0]))
	return nil
}

// give gives a line to a reader.
func give(reader Reader, line []byte, unended bool) bool {
	if cut, ok := reader.(Cutter); ok && unended {
		cut.Unended()
	}
	return reader.Line(line)
}

func (s *scan) unread(line string) {
	if len(s.text.Unread) == maxUnread {
		s.text.Others++
		return
	}
	text := Redact(line[:min(len(line), 10*maxUnreadText)])
	text = strings.ToValidUTF8(text[:min(len(text), maxUnreadText)], "\uFFFD")
	s.text.Unread = append(s.text.Unread, Line{s.text.Lines, text})
}

// loginWord matches the environment variable with which redis-cli is given a password; those of PostgreSQL
// have "password" in their names.
var loginWord = regexp.MustCompile(`(REDISCLI_AUTH=)\S+`)

// Redact removes passwords from a text that is kept or shown.
func Redact(text string) string { return conninfo.Redact(loginWord.ReplaceAllString(text, "$1")) }

// end ends the current section.
func (s *scan) end() {
	if s.reader == nil {
		return
	}
	s.section.Found, s.section.Refused = s.reader.End()
	s.text.Sections = append(s.text.Sections, s.section)
	s.reader = nil
}

// lines reads lines without their ends, colours, marks of quotation and a byte order mark, and can look ahead.
type lines struct {
	from   io.Reader
	buffer []byte   // read, but not yet a line: buffer[at:]
	at     int      // in buffer
	queue  [][]byte // lines that ahead has read
	first  bool     // nothing was read yet
	odd    bool     // what was read has a zero byte or an escape: clean looks for them in each line
	ended  error    // of from
	// unended says that the text ends in the middle of a line, which was read.
	unended bool
}

func newLines(from io.Reader) *lines {
	return &lines{from: from, first: true}
}

// next returns the next line, which is valid until the next call.
func (l *lines) next() ([]byte, error) {
	if len(l.queue) > 0 {
		line := l.queue[0]
		l.queue = l.queue[1:]
		return line, nil
	}
	return l.read()
}

// atUnended reports whether the line that next returned is the last one and has no end.
func (l *lines) atUnended() bool { return l.unended && len(l.queue) == 0 }

// ahead returns line and those that follow it, at most n in all. It makes line invalid. An error is
// left for next.
func (l *lines) ahead(line []byte, n int) []string {
	all := []string{string(line)}
	for len(l.queue) < n-1 {
		more, err := l.read()
		if err != nil {
			break
		}
		l.queue = append(l.queue, bytes.Clone(more))
	}
	for _, more := range l.queue[:min(len(l.queue), n-1)] {
		all = append(all, string(more))
	}
	return all
}

const chunk = 256 << 10

// read returns the next line of the file.
func (l *lines) read() ([]byte, error) {
	searched := l.at
	for {
		if end := bytes.IndexByte(l.buffer[searched:], '\n'); end >= 0 {
			line := l.buffer[l.at : searched+end]
			l.at = searched + end + 1
			return l.clean(line)
		}
		if l.ended != nil {
			line := l.buffer[l.at:]
			l.at = len(l.buffer)
			if len(line) == 0 || !errors.Is(l.ended, io.EOF) {
				return nil, l.ended
			}
			l.unended = true
			return l.clean(line)
		}
		if len(l.buffer)-l.at > maxLine {
			return nil, hint.Errorf("name a text that a tool printed", "the line is longer than %d MiB", maxLine>>20)
		}
		searched = len(l.buffer) - l.at
		l.fill()
	}
}

// fill reads more of the file, and moves what is left of the buffer to its beginning.
func (l *lines) fill() {
	l.buffer = l.buffer[:copy(l.buffer, l.buffer[l.at:])]
	l.at = 0
	if free := cap(l.buffer) - len(l.buffer); free < chunk/2 {
		grown := make([]byte, len(l.buffer), 2*cap(l.buffer)+chunk)
		copy(grown, l.buffer)
		l.buffer = grown
	}
	var n int
	n, l.ended = l.from.Read(l.buffer[len(l.buffer):cap(l.buffer)])
	read := l.buffer[len(l.buffer) : len(l.buffer)+n]
	l.odd = l.odd || bytes.IndexByte(read, 0) >= 0 || bytes.IndexByte(read, '\x1b') >= 0
	l.buffer = l.buffer[:len(l.buffer)+n]
}

var escape = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// unquoted returns a line without the marks of a quotation in a mail ("> "): no tool prints them.
func unquoted(line []byte) []byte {
	for len(line) > 0 && line[0] == '>' {
		if len(line) > 1 && line[1] != ' ' && line[1] != '>' {
			break
		}
		line = bytes.TrimPrefix(line[1:], []byte(" "))
	}
	return line
}

func (l *lines) clean(line []byte) ([]byte, error) {
	if l.first {
		l.first = false
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	line = unquoted(bytes.TrimSuffix(line, []byte("\r")))
	if !l.odd {
		return line, nil
	}
	if bytes.IndexByte(line, 0) >= 0 {
		l.ended = errors.New("it is not a text: it has zero bytes")
		l.buffer, l.at = nil, 0
		return nil, l.ended
	}
	if bytes.IndexByte(line, '\x1b') >= 0 {
		line = escape.ReplaceAll(line, nil)
	}
	return line, nil
}
