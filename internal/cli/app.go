// Package base has what all commands of plinth share: output, progress, flags, errors and exit codes.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// app holds what every command needs: the output streams and plinth's version.
type app struct {
	stdout, stderr io.Writer
	version        string
	store          string
	hurry          <-chan struct{} // closed at the second Ctrl-C
	// stopping replaces the message at the first Ctrl-C, for commands that run no experiment.
	stopping atomic.Pointer[string]
	args     []string // as given
}

// interruptible returns a context that is cancelled at the first Ctrl-C (or SIGTERM or SIGHUP).
// At the second, a.hurry is closed: the cleanup is the same, but waits less for a server that
// does not answer.
func (a *app) interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	hurry := make(chan struct{})
	a.hurry = hurry
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		if _, open := <-signals; !open {
			return
		}
		text := "the run in progress is discarded, and everything is restored"
		if other := a.stopping.Load(); other != nil {
			text = *other
		}
		fmt.Fprintln(a.stderr, "\nstopping: "+text)
		cancel()
		if _, open := <-signals; open {
			close(hurry)
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		cancel()
	}
}

// onStop sets the message at the first Ctrl-C; "" is that of an experiment.
func (a *app) onStop(text string) {
	if text == "" {
		a.stopping.Store(nil)
		return
	}
	a.stopping.Store(&text)
}

// endAtOnce makes Ctrl-C end plinth immediately, for commands that only read: they hold nothing that
// would have to be undone.
func endAtOnce() { signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) }

// stopLooking is the message at Ctrl-C for a command that changes nothing.
const stopLooking = "nothing was changed"
