package pgbench

import (
	"bytes"
	"fmt"

	"plinth/internal/driver/pgbench/txlog"
)

// maxLine is longer than any line of the log.
const maxLine = 512

// stream is the log of one thread of pgbench, split into lines.
type stream struct {
	thread int
	form   txlog.Form
	lines  int64  // read so far
	rest   []byte // the incomplete line at the end of the last piece
	latest int64  // when the last transaction ended, microseconds since the epoch
	logged int64  // the latest end in the log, before any correction
	ended  bool
}

// decode passes each line of a piece of the log to each. It stops at the first line that
// pgbench cannot have written.
func (s *stream) decode(piece []byte, each func(*txlog.Entry) error) error {
	var e txlog.Entry
	if len(s.rest) > 0 {
		end := bytes.IndexByte(piece, '\n')
		if end < 0 {
			return s.hold(piece)
		}
		s.rest = append(s.rest, piece[:end]...)
		if err := s.line(s.rest, &e, each); err != nil {
			return err
		}
		s.rest, piece = s.rest[:0], piece[end+1:]
	}
	for {
		end := bytes.IndexByte(piece, '\n')
		if end < 0 {
			return s.hold(piece)
		}
		if err := s.line(piece[:end], &e, each); err != nil {
			return err
		}
		piece = piece[end+1:]
	}
}

func (s *stream) line(line []byte, e *txlog.Entry, each func(*txlog.Entry) error) error {
	s.lines++
	if !s.form.Parse(line, e) {
		return s.errorf("not a line of a transaction log: %.80q", line)
	}
	if err := each(e); err != nil {
		return s.errorf("%w", err)
	}
	return nil
}

// hold keeps the start of a line until the rest arrives.
func (s *stream) hold(begun []byte) error {
	if len(s.rest)+len(begun) > maxLine {
		s.lines++
		return s.errorf("line of more than %d bytes", maxLine)
	}
	s.rest = append(s.rest, begun...)
	return nil
}

// end marks the log as complete.
func (s *stream) end() error {
	s.ended = true
	if len(s.rest) > 0 {
		s.lines++
		return s.errorf("the log ends within a line: %.80q", s.rest)
	}
	return nil
}

func (s *stream) errorf(format string, args ...any) error {
	return fmt.Errorf("transaction log of thread %d, line %d: "+format,
		append([]any{s.thread, s.lines}, args...)...)
}
