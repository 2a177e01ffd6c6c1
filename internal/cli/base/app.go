// Package base has what all commands of plinth share: output, progress, flags, errors and exit codes.
package base

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// App holds what every command needs: the output streams and plinth's version.
type App struct {
	Stdout, Stderr io.Writer
	Version        string
	Store          string
	Hurry          <-chan struct{} // closed at the second Ctrl-C
	// stopping replaces the message at the first Ctrl-C, for commands that run no experiment.
	stopping atomic.Pointer[string]
	Args     []string // as given
}

// Interruptible returns a context that is cancelled at the first Ctrl-C (or SIGTERM or SIGHUP).
// At the second, Hurry is closed: the cleanup is the same, but waits less for a server that
// does not answer.
func (a *App) Interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	hurry := make(chan struct{})
	a.Hurry = hurry
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
		printed := make(chan struct{})
		go func() {
			fmt.Fprintln(a.Stderr, "\nstopping: "+text)
			close(printed)
		}()
		select {
		case <-printed:
		case <-time.After(time.Second): // a reader that is stuck must not delay the cleanup
		}
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

// OnStop sets the message at the first Ctrl-C; "" is that of an experiment.
func (a *App) OnStop(text string) {
	if text == "" {
		a.stopping.Store(nil)
		return
	}
	a.stopping.Store(&text)
}

// EndAtOnce makes Ctrl-C end plinth immediately, for commands that only read: they hold nothing that
// would have to be undone.
func EndAtOnce() { signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) }

// StopLooking is the message at Ctrl-C for a command that changes nothing.
const StopLooking = "nothing was changed"
