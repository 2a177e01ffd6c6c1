// Package hold is process 1 of plinth's pods. It waits, and ends the container with the exit code that
// another process of the container sends: an agent that plinth starts in a pod is not process 1, so its
// exit code is not the container's.
//
// The processes talk over a Unix socket in the container's directory of temporary files. When process 1
// ends, the kernel kills every other process of the container, so this package kills none. In a
// pod that shares the node's processes, such as the privileged reader, the container runtime kills them.
package hold

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"plinth/internal/hint"
)

// Options says when Wait gives up. The zero value never does.
type Options struct {
	Silence time.Duration // without a heartbeat; 0 for ever
	Then    int           // the exit code after the silence
}

// Outcome is how a wait has ended.
type Outcome struct {
	Code int    // for the container
	Why  string // for its log
}

// path returns where the socket is. Every process of a container has the same TMPDIR.
func path() string { return filepath.Join(os.TempDir(), "plinth-hold") }

// parts is how often Wait looks for heartbeats during the silence after which it gives up. It counts the
// times that it has looked, not the time that has passed: after the machine was suspended, heartbeats
// have the time to arrive.
const parts = 10

// Wait waits until another process of the container ends it, or the silence or the context does. It reaps
// the processes that the kernel gives to process 1 because their parents have ended.
func Wait(ctx context.Context, o Options) (Outcome, error) {
	var ticks <-chan time.Time
	if o.Silence > 0 {
		ticker := time.NewTicker(max(o.Silence/parts, 1))
		defer ticker.Stop()
		ticks = ticker.C
	}
	return wait(ctx, o, ticks)
}

func wait(ctx context.Context, o Options, ticks <-chan time.Time) (Outcome, error) {
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	defer signal.Stop(children)
	reap() // those that ended before Notify
	socket, err := listen()
	if err != nil {
		return Outcome{}, fmt.Errorf("cannot wait for the end of the pod: %w", err)
	}
	defer socket.Close() //nolint:errcheck // the process ends
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	heard := make(chan message)
	go accept(ctx, socket, heard)
	guests := map[net.Conn]Outcome{} // what is true when they leave
	for quiet := 0; ; {
		select {
		case <-ctx.Done():
			return Outcome{}, ctx.Err()
		case <-children:
			reap()
		case m := <-heard:
			if last, guest := guests[m.from]; guest && m.left {
				return last, nil
			}
			if m.end != nil {
				guests[m.from] = *m.end
			}
			if !m.left {
				quiet = 0
			}
		case <-ticks:
			// A guest is no sign of life of plinth, but notices by itself when plinth is silent.
			if quiet++; len(guests) > 0 {
				quiet = 0
			}
			if quiet >= parts {
				return Outcome{o.Then, fmt.Sprintf("plinth has been silent for %s", o.Silence)}, nil
			}
		}
	}
}

// reap takes the exit codes of all children that have ended, so that no zombies remain.
func reap() {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if pid <= 0 && !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

func listen() (net.Listener, error) {
	socket, err := net.Listen("unix", path())
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, hint.Wrap(err, "another plinth hold waits there; delete the socket if none does")
	case err != nil:
		return nil, err
	}
	if err := os.Chmod(path(), 0o600); err != nil { // other users may not end the container
		return nil, errors.Join(err, socket.Close())
	}
	return socket, nil
}

// message is a line of a process, or its leaving. Without an end, a line is a heartbeat.
type message struct {
	from net.Conn
	end  *Outcome
	left bool
}

// The lines that processes send: a heartbeat, or "end CODE WHY". The answer to each is an empty line, once
// it has taken effect.
const (
	beat   = "beat"
	end    = "end "
	answer = "\n"
)

func accept(ctx context.Context, socket net.Listener, heard chan<- message) {
	for {
		conn, err := socket.Accept()
		if err != nil {
			return // the wait has ended
		}
		go listenTo(ctx, conn, heard)
	}
}

func listenTo(ctx context.Context, conn net.Conn, heard chan<- message) {
	defer conn.Close()                                      //nolint:errcheck // each answer was sent at once
	defer context.AfterFunc(ctx, func() { conn.Close() })() //nolint:errcheck // ends a Read
	say := func(m message) {
		select {
		case heard <- m:
		case <-ctx.Done():
		}
	}
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		m := message{from: conn}
		if rest, is := strings.CutPrefix(lines.Text(), end); is {
			code, why, _ := strings.Cut(rest, " ")
			number, err := strconv.Atoi(code)
			if err != nil {
				break
			}
			m.end = &Outcome{number, why}
		}
		say(m)
		if _, err := io.WriteString(conn, answer); err != nil {
			break
		}
	}
	say(message{from: conn, left: true})
}
