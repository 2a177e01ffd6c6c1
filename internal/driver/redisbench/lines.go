package redisbench

import (
	"bytes"
	"io"
)

// maxLine is longer than any line that redis-benchmark prints; what goes on beyond
// is in the file only.
const maxLine = 4096

// lines keeps a stream verbatim in a file and passes on its lines, which end with a
// line feed or, where progress is written over itself, a carriage return.
type lines struct {
	file io.Writer
	each func(line string)
	rest []byte
}

func (l *lines) Write(p []byte) (int, error) {
	n, err := l.file.Write(p)
	for _, b := range p {
		switch {
		case b == '\n' || b == '\r':
			if text := bytes.TrimSpace(l.rest); len(text) > 0 {
				l.each(string(text))
			}
			l.rest = l.rest[:0]
		case len(l.rest) < maxLine:
			l.rest = append(l.rest, b)
		}
	}
	return n, err
}
