package reach

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
	"plinth/internal/reach/address"
)

// conn is a running ssh, or a command instead of it, with its three streams.
type conn struct {
	address address.Address
	process launch.Process
	in      *os.File // to its standard input
	out     *os.File // from its standard output
	reader  *bufio.Reader
	errs    *tail

	patience time.Duration

	mu    sync.Mutex
	cause error // why plinth ended it
}

// usualPatience is how long the other end may be silent when an answer is expected. It only ends a
// hang: ssh itself notices a connection that passes nothing more.
const usualPatience = 2 * time.Minute

var errSilent = errors.New("it does not answer")

// sshVariable names the ssh program.
const sshVariable = "PLINTH_SSH"

// command returns what starts the connection.
func command(a address.Address, o Options) (launch.Command, error) {
	if len(a.Command) > 0 {
		path, err := launch.FindProgram(a.Command[0])
		return launch.Command{Path: path, Args: a.Command[1:]}, err
	}
	name := o.SSH
	if name == "" {
		name = os.Getenv(sshVariable)
	}
	if name == "" {
		name = "ssh"
	}
	path, err := launch.FindProgram(name)
	if err != nil {
		return launch.Command{}, hint.Wrap(err, launch.Install("ssh")+"; or set "+sshVariable+" to the path of OpenSSH's ssh")
	}
	// In the C locale its messages are those that explain recognizes.
	return launch.Command{Path: path, Args: sshArgs(a, o.Wait), Env: launch.Variables{}.Environ()}, nil
}

// dial starts the connection.
func dial(a address.Address, o Options) (*conn, error) {
	command, err := command(a, o)
	if err != nil {
		return nil, fmt.Errorf("cannot reach %s: %w", a.Name(), err)
	}
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("cannot reach %s: %w", a.Name(), err)
	}
	defer stdin.Close()
	out, stdout, err := os.Pipe()
	if err != nil {
		_ = in.Close()
		return nil, fmt.Errorf("cannot reach %s: %w", a.Name(), err)
	}
	defer stdout.Close()
	c := &conn{address: a, in: in, out: out, reader: bufio.NewReaderSize(out, bannerLimit), errs: &tail{}, patience: o.patience}
	command.Stdin, command.Stdout, command.Stderr = stdin, stdout, c.errs
	if c.process, err = o.Launcher.Start(command); err != nil {
		_, _ = in.Close(), out.Close()
		return nil, fmt.Errorf("cannot reach %s: %w", a.Name(), err)
	}
	return c, nil
}

// abort ends the connection because of cause, and unblocks those who read or write it.
func (c *conn) abort(cause error) {
	c.mu.Lock()
	if c.cause == nil {
		c.cause = cause
	}
	c.mu.Unlock()
	_ = c.in.Close()
	_ = c.process.Stop()
	_ = c.out.SetReadDeadline(time.Now()) // another process may hold it open
}

func (c *conn) aborted() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cause
}

// line reads an answer, without its line break.
func (c *conn) line() (string, error) {
	timer := time.AfterFunc(c.patience, func() { c.abort(errSilent) })
	defer timer.Stop()
	text, err := c.reader.ReadSlice('\n')
	if err == nil {
		return strings.TrimSuffix(string(text), "\n"), nil
	}
	if errors.Is(err, bufio.ErrBufferFull) {
		err = errors.New("an answer is too long")
	}
	return string(text), err
}

// send writes to the other end.
func (c *conn) send(text string) error {
	_, err := io.WriteString(c.in, text)
	return err
}

// ended waits for the end of the program and returns why it ended, in words, if that was a failure.
// It ends the program if it has closed its output and yet goes on.
func (c *conn) ended(during string) error {
	timer := time.AfterFunc(endGrace, func() { c.abort(errors.New("it closed its output and did not end")) })
	status, err := c.process.Wait()
	timer.Stop()
	if cause := c.aborted(); cause != nil {
		return c.stopped(cause)
	}
	return c.explain(during, status, err)
}

// stopped explains why plinth ended the connection.
func (c *conn) stopped(cause error) error {
	err := fmt.Errorf("cannot reach %s: %w", c.address.Name(), cause)
	if said := c.errs.last(); said != "" {
		err = fmt.Errorf("%w (%s)", err, said)
	}
	if errors.Is(cause, errSilent) {
		return hint.Wrap(err, "check that this works without a question: "+typed(c.address, "true"))
	}
	return err
}

// endGrace is how long a program may take to end after its input has ended.
const endGrace = 5 * time.Second

// close ends the input of the program, waits a while for its end, and ends it otherwise.
func (c *conn) close() error {
	_ = c.in.Close()
	// A program that cannot write does not end.
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, c.out)
	}()
	timer := time.NewTimer(endGrace)
	defer timer.Stop()
	var err error
	select {
	case <-c.process.Done():
	case <-timer.C:
		err = c.process.Stop()
	}
	_ = c.out.SetReadDeadline(time.Now())
	<-drained
	_ = c.out.Close()
	return err
}

// within ends the connection when ctx is done, until the returned function is called.
func (c *conn) within(ctx context.Context) func() {
	stop := context.AfterFunc(ctx, func() { c.abort(context.Cause(ctx)) })
	return func() {
		if !stop() {
			c.abort(context.Cause(ctx))
		}
	}
}

// tail keeps the last lines that are written to it.
type tail struct {
	mu    sync.Mutex
	lines []string
	part  string // a line without an end
}

const (
	tailLines = 40
	tailWidth = 500
)

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(t.part+string(p), "\n")
	for _, line := range lines[:len(lines)-1] {
		if line = printable(line); line != "" {
			t.lines = append(t.lines, line)
		}
	}
	t.lines = t.lines[max(0, len(t.lines)-tailLines):]
	t.part = lines[len(lines)-1]
	t.part = t.part[:min(len(t.part), tailWidth)]
	return len(p), nil
}

func (t *tail) all() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := append([]string(nil), t.lines...)
	if part := printable(t.part); part != "" {
		all = append(all, part)
	}
	return all
}

// printable makes text from the other end safe to print: it may come from a login shell.
func printable(text string) string {
	text = strings.TrimSpace(plain(text))
	if len(text) > tailWidth {
		text = strings.ToValidUTF8(text[:tailWidth], "") + "…"
	}
	return text
}

// plain removes what could control a terminal.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == '\uFFFD' || r == '\u2028' || r == '\u202e':
			return -1
		}
		return r
	}, text)
}

// sshArgs returns the arguments with which ssh runs sh at the other end.
//
// The command is a single plain word, because the user's login shell reads it, which may be csh or
// fish. The user's configuration decides about everything else, except for what concerns a terminal,
// prompts that cannot be answered, and forwardings, which could prevent a second connection.
func sshArgs(a address.Address, wait time.Duration) []string {
	args := []string{"-T", "-a", "-x",
		"-o", "BatchMode=yes",
		"-o", "RemoteCommand=none",
		"-o", "ClearAllForwardings=yes",
		// An existing master connection is used, but none is made: it would end with plinth's guard,
		// and with it the user's other connections.
		"-o", "ControlMaster=no",
		// A connection that no longer passes anything is noticed within a minute.
		"-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4"}
	if wait > 0 {
		args = append(args, "-o", fmt.Sprintf("ConnectTimeout=%.0f", wait.Seconds()))
	}
	if a.User != "" {
		args = append(args, "-l", a.User)
	}
	if a.Port != 0 {
		args = append(args, "-p", strconv.Itoa(a.Port))
	}
	return append(args, "--", a.Host, "sh")
}
