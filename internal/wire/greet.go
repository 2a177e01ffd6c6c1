package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"plinth/internal/hint"
)

// The greeting is one line: a name, the version of the protocol, and the quoted version of the program.
const (
	greetingName = "plinth-wire"
	protocol     = 1
	mostVersion  = 200  // bytes of a version
	mostGreeting = 1024 // bytes of a line, quoted
	mostShown    = 100  // bytes of a line that is not a greeting
)

// errPatience is the reason if the other end did not greet in time.
var errPatience = errors.New("no greeting")

// VersionError reports that the two ends are different versions of the program.
type VersionError struct {
	Theirs, Ours string // the version of the program, after that of the protocol if it differs
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("the other end is version %s of plinth, this is version %s", e.Theirs, e.Ours)
}

func greeting(version string) (string, error) {
	if len(version) > mostVersion {
		return "", fmt.Errorf("cannot greet: the version has %d bytes, more than %d", len(version), mostVersion)
	}
	return fmt.Sprintf("%s %d %s\n", greetingName, protocol, strconv.QuoteToASCII(version)), nil
}

// checkGreeting checks the line of the other end, which ends at a line break or where its bytes do.
func checkGreeting(line, version string) error {
	fields := strings.SplitN(strings.TrimSuffix(line, "\r"), " ", 3)
	if len(fields) < 3 || fields[0] != greetingName {
		return hint.Errorf("the program must be plinth's agent, and neither a login shell nor ssh may print anything before it",
			"the other end is not an agent of plinth; its first line is %s", shown(line))
	}
	theirs, err := strconv.Unquote(fields[2])
	switch {
	case fields[1] != strconv.Itoa(protocol) && err == nil:
		err = &VersionError{fmt.Sprintf("%s (protocol %s)", theirs, fields[1]), fmt.Sprintf("%s (protocol %d)", version, protocol)}
		return hint.Wrap(err, sameVersion)
	case err != nil:
		return fmt.Errorf("the greeting of the other end is damaged: %s", shown(line))
	case strings.HasSuffix(line, "\r"):
		return hint.Errorf("connect without a terminal: ssh -T, kubectl exec without -t", "a terminal between both ends changes bytes")
	case theirs != version:
		return hint.Wrap(&VersionError{theirs, version}, sameVersion)
	}
	return nil
}

const sameVersion = "install the same version of plinth on both machines"

// shown returns the beginning of a line, quoted: it may contain control characters.
func shown(line string) string {
	if len(line) > mostShown {
		return strconv.Quote(strings.ToValidUTF8(line[:mostShown], "")) + "…"
	}
	return strconv.Quote(line)
}

// readLine reads a line without its line break. With an error, it returns what it read before. It skips
// empty lines, which would show nothing of a program that is not an agent.
func readLine(r io.Reader) (string, error) {
	var line []byte
	for one, skipped := make([]byte, 1), 0; len(line)+skipped < mostGreeting; {
		_, err := io.ReadFull(r, one)
		switch {
		case err != nil:
			return string(line), err
		case one[0] != '\n':
			line = append(line, one[0])
		case len(line) > 0 && string(line) != "\r":
			return string(line), nil
		default:
			skipped, line = skipped+len(line)+1, nil
		}
	}
	return string(line), nil
}

// greet exchanges the first lines. The agent speaks first. On an error, the stream has ended or is to
// be closed.
func greet(ctx context.Context, s *stream, o Options, first bool) error {
	ours, err := greeting(o.Version)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { s.fail(context.Cause(ctx)) })
	defer stop()
	patience := time.AfterFunc(o.Greeting, func() { s.fail(errPatience) })
	defer patience.Stop()
	if first {
		if _, err := io.WriteString(s, ours); err != nil {
			return s.greetingError(ctx, "", o)
		}
	}
	line, err := readLine(s)
	if err != nil {
		return s.greetingError(ctx, line, o)
	}
	err = checkGreeting(line, o.Version)
	var other *VersionError
	if err != nil && !errors.As(err, &other) {
		return err
	}
	if !first { // an agent of another version can report it, too
		if _, failed := io.WriteString(s, ours); failed != nil && err == nil {
			err = s.greetingError(ctx, "", o)
		}
	}
	if err == nil && (!patience.Stop() || !stop()) { // the stream has ended, or will at once
		err = s.greetingError(ctx, "", o)
	}
	return err
}

// greetingError explains why the stream ended during the greeting, after a part of a line.
func (s *stream) greetingError(ctx context.Context, line string, o Options) error {
	reason := s.reason()
	if reason == nil {
		reason = net.ErrClosed
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(reason, errPatience) && line == "":
		return fmt.Errorf("the other end said nothing within %s", o.Greeting)
	case errors.Is(reason, errPatience):
		return fmt.Errorf("the other end said %s and nothing else within %s", shown(line), o.Greeting)
	case line != "":
		return fmt.Errorf("the other end said %s, and the connection ended: %w", shown(line), reason)
	}
	return fmt.Errorf("the connection ended before the other end said anything: %w", reason)
}
