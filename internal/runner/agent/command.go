package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"plinth/internal/host/launch"
)

// command runs plinth on the agent's machine, with arguments as on a command line, and sends its
// output. It runs in an empty directory; the files that it writes there are sent at the end. A command
// that is cancelled or interrupted ends as by Ctrl-C, so that it undoes its changes.
func (a *server) command(ctx context.Context, args []string, send func(printed)) (code int, err error) {
	dir, err := os.MkdirTemp("", "plinth-command-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	p, err := launch.NewLocal().Start(launch.Command{
		Path: "/proc/self/exe", Args: args, Dir: dir,
		Stdout: writer(func(p []byte) { send(printed{Out: p}) }), Stderr: writer(func(p []byte) { send(printed{Err: p}) }),
		Stop: os.Interrupt, Grace: closeLimit,
	})
	if err != nil {
		return 0, err
	}
	select {
	case <-p.Done():
	case <-a.interrupted.Done():
		err = p.Stop()
	case <-ctx.Done():
		return 0, errors.Join(context.Cause(ctx), p.Stop())
	}
	status, failed := p.Wait()
	switch {
	case err != nil || failed != nil:
		return 0, errors.Join(err, failed)
	case status.Signal == os.Interrupt: // before it was prepared for one
		return exitInterrupted, sendFiles(dir, send)
	case status.Signal != nil:
		return 0, fmt.Errorf("the command was ended by a signal: %v", status.Signal)
	}
	return status.Code, sendFiles(dir, send)
}

// exitInterrupted is the exit code of a program that Ctrl-C ended, as shells show it.
const exitInterrupted = 128 + int(syscall.SIGINT)

func sendFiles(dir string, send func(printed)) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		err = eachChunk(f, func(data []byte) { send(printed{File: &chunk{Name: e.Name(), Data: data}}) })
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// writer passes on what is written.
type writer func([]byte)

// Write never fails.
func (w writer) Write(p []byte) (int, error) {
	w(bytes.Clone(p))
	return len(p), nil
}

// Command runs plinth on the machine and returns its exit code. The files that it wrote to its current
// directory are in the current directory here. If interrupt is closed, the command is interrupted as by
// Ctrl-C, and Command still waits for its end, for it may have results to print. If the context ends,
// the command is interrupted, too, but Command does not wait.
func (c *Client) Command(ctx context.Context, interrupt <-chan struct{}, args []string, stdout, stderr io.Writer) (int, error) {
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-interrupt:
			_, _ = call(ctx, c, methodInterrupt, none{}, nil) // a lost connection fails the command, too
		case <-ended:
		}
	}()
	files := receiver{keep: here{stderr}, most: mostOfCommand}
	code, err := call(ctx, c, methodCommand, args, func(p printed) {
		// A closed pipe does not end the command: it may have changes to undo.
		_, _ = stdout.Write(p.Out)
		_, _ = stderr.Write(p.Err)
		if p.File != nil {
			files.receive(*p.File)
		}
	})
	if failed := files.close(); err == nil && failed != nil {
		err = fmt.Errorf("cannot keep a file that the command wrote: %w", failed)
	}
	return code, err
}

// mostOfCommand is how many bytes the files of a command may have.
const mostOfCommand = 1 << 20

// here keeps files in the current directory, under another name where there is one of the same name:
// an earlier measurement must not be lost.
type here struct{ say io.Writer }

// fileOfCommand is a file that a command may write: a model, as plinth probe does. A name that begins with
// a dot could be one that a shell reads.
var fileOfCommand = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._-]*\.yaml$`)

// CreateRaw creates a file.
func (h here) CreateRaw(name string) (*os.File, error) {
	if !fileOfCommand.MatchString(name) {
		return nil, fmt.Errorf("the agent sent a file with the name %q", name)
	}
	stem, rest, _ := strings.Cut(name, ".")
	for n, free := 1, name; ; n++ {
		if n > 1 {
			free = fmt.Sprintf("%s-%d.%s", stem, n, rest)
		}
		f, err := os.OpenFile(free, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err == nil && free != name {
			fmt.Fprintf(h.say, "%s already exists: wrote %s instead\n", name, free)
		}
		return f, err
	}
}

// WriteRaw is not used.
func (here) WriteRaw(string, string) (string, error) { return "", errNoFile }

// CreateHistogramLog is not used.
func (here) CreateHistogramLog() (*os.File, error) { return nil, errNoFile }

var errNoFile = errors.New("the agent sent a file without a name")
