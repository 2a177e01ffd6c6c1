package reach

import (
	"path"
	"strings"
	"sync"
)

// Session is a running agent: what is written goes to its standard input, and what is read comes
// from its standard output.
type Session struct {
	Machine   Machine // empty for a command
	Directory string  // where its binary is; empty for a command
	Copied    bool    // the binary was copied there just now

	conn  *conn
	once  sync.Once
	ended error
}

// Read reads from the agent. It returns io.EOF when the agent or the connection has ended; Err
// returns the reason.
func (s *Session) Read(p []byte) (int, error) { return s.conn.reader.Read(p) }

// Write writes to the agent.
func (s *Session) Write(p []byte) (int, error) { return s.conn.in.Write(p) }

// Close ends the input of the agent, which ends it, and waits until the connection has ended: for
// some seconds, then it ends ssh. It may be called while others read and write.
func (s *Session) Close() error {
	s.once.Do(func() { s.ended = s.conn.close() })
	return s.ended
}

// Err waits until the agent has ended and returns why, in words and with a hint; nil if it ended as
// it should. It is to be called once Read has returned io.EOF, or after Close: an agent that goes on is
// ended after some seconds.
func (s *Session) Err() error { return s.conn.ended(talking) }

// Said returns the last lines that ssh and the agent wrote to standard error.
func (s *Session) Said() string { return strings.Join(s.conn.errs.all(), "\n") }

// begin starts the agent.
func (s *Session) begin(o Options) error {
	program, copied, err := s.conn.program(o, &s.Machine)
	if err != nil {
		return err
	}
	s.Directory, s.Copied = path.Dir(program), copied
	return nil
}
