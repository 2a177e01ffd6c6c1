package hold

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	"plinth/internal/hint"
)

// Guest is the connection of a process to the plinth hold of its container.
type Guest struct{ conn net.Conn }

// How long Join tries to connect, and how often: a container is "running" before its process 1 listens.
const (
	joinWithin = 10 * time.Second
	joinEvery  = 20 * time.Millisecond
)

// Join connects to the plinth hold of this container.
func Join(ctx context.Context) (*Guest, error) { return join(ctx, joinWithin) }

func join(ctx context.Context, within time.Duration) (*Guest, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path())
		if err == nil {
			return &Guest{conn}, nil
		}
		if !errors.Is(err, syscall.ENOENT) && !errors.Is(err, syscall.ECONNREFUSED) {
			return nil, cannotJoin(err)
		}
		select {
		case <-time.After(joinEvery):
		case <-ctx.Done():
			return nil, cannotJoin(err)
		}
	}
}

func cannotJoin(err error) error {
	return hint.Wrap(fmt.Errorf("cannot reach plinth hold: %w", err), "it is the command of plinth's pods: run this inside one")
}

// Beat says that plinth is there.
func (g *Guest) Beat() error { return g.say(beat) }

// End says with which exit code the container ends when this process leaves: closes g, or ends in any
// way. The last code counts. A process whose result the container waits for says early what is true if it
// is killed. While such a process is there, no heartbeats are needed.
func (g *Guest) End(o Outcome) error {
	return g.say(fmt.Sprintf("%s%d %s", end, o.Code, strings.ReplaceAll(o.Why, "\n", " ")))
}

// Close leaves.
func (g *Guest) Close() error { return g.conn.Close() }

// say returns once the line has taken effect.
func (g *Guest) say(line string) error {
	_, err := io.WriteString(g.conn, line+"\n")
	if err == nil {
		_, err = io.ReadFull(g.conn, make([]byte, len(answer)))
	}
	if err != nil {
		return cannotJoin(err)
	}
	return nil
}

// Beats says that plinth is there, once, and then whenever it reads something, until the input ends. It
// writes one byte for each heartbeat, so that the other end knows that heartbeats arrive.
func Beats(ctx context.Context, in io.Reader, out io.Writer) error {
	g, err := Join(ctx)
	if err != nil {
		return err
	}
	defer g.Close() //nolint:errcheck // each line was answered
	for data := make([]byte, 512); ; {
		if err := g.Beat(); err != nil {
			return err
		}
		if _, err := io.WriteString(out, "\n"); err != nil {
			return fmt.Errorf("cannot acknowledge a heartbeat: %w", err)
		}
		switch _, err := in.Read(data); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("cannot read heartbeats: %w", err)
		}
	}
}
