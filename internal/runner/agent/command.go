package agent

import (
	"bytes"
	"context"
	"io"
	"os"

	"plinth/internal/host/launch"
)

// command runs plinth on the agent's machine, with arguments as on a command line, and sends its
// output. A cancelled command is interrupted as by Ctrl-C, so that it undoes its changes.
func command(ctx context.Context, args []string, send func(printed)) (int, error) {
	status, err := launch.Run(ctx, launch.NewLocal(), launch.Command{
		Path: "/proc/self/exe", Args: args,
		Stdout: writer(func(p []byte) { send(printed{Out: p}) }), Stderr: writer(func(p []byte) { send(printed{Err: p}) }),
		Stop: os.Interrupt, Grace: closeLimit,
	})
	return status.Code, err
}

// writer passes on what is written.
type writer func([]byte)

// Write never fails.
func (w writer) Write(p []byte) (int, error) {
	w(bytes.Clone(p))
	return len(p), nil
}

// Command runs plinth on the machine and returns its exit code.
func (c *Client) Command(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	return call(ctx, c, methodCommand, args, func(p printed) {
		// A closed pipe does not end the command: it may have changes to undo.
		_, _ = stdout.Write(p.Out)
		_, _ = stderr.Write(p.Err)
	})
}
