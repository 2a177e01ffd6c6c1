package postgres

import "bytes"

// lineWriter hands on what is written to it line by line.
type lineWriter struct {
	line func(string)
	rest []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		end := bytes.IndexByte(w.rest, '\n')
		if end < 0 {
			return len(p), nil
		}
		w.line(string(bytes.TrimRight(w.rest[:end], "\r")))
		w.rest = w.rest[end+1:]
	}
}

// end hands on a last line that has no end.
func (w *lineWriter) end() {
	if len(w.rest) > 0 {
		w.line(string(w.rest))
		w.rest = nil
	}
}
