package pgbench

import (
	"bytes"
	"io"
)

// maxErrorLine is how much of one line of standard error is looked at; the file
// has all of it.
const maxErrorLine = 64 << 10

// lines keeps a stream verbatim in a file and passes on its lines.
type lines struct {
	file io.Writer
	each func(line string)
	rest []byte
}

func (l *lines) Write(p []byte) (int, error) {
	n, err := l.file.Write(p)
	l.rest = append(l.rest, p...)
	for {
		end := bytes.IndexByte(l.rest, '\n')
		if end < 0 {
			break
		}
		l.each(string(bytes.TrimRight(l.rest[:end], "\r")))
		l.rest = l.rest[end+1:]
	}
	if len(l.rest) > maxErrorLine {
		l.rest = l.rest[:0]
	}
	return n, err
}
