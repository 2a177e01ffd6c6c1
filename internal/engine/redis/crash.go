package redis

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"
)

// killLimit is how long processes are waited for that were sent SIGKILL.
const (
	killLimit = time.Minute     // a busy machine takes its time to end them
	hangLimit = 3 * time.Second // of one that waits for a disk
)

// Kill ends the server and its children at once. One that waits for a disk that
// answers no more cannot end: it is left to whoever makes the disk fail.
func (o *Own) Kill(ctx context.Context) error {
	o.close()
	if o.process == nil {
		return nil
	}
	var left []member
	var stuck bool
	begun := time.Now()
	err := poll(ctx, killLimit, func() bool {
		left = members(o.process.PID(), o.place)
		kill(left)
		stuck = slices.ContainsFunc(left, func(m member) bool { return m.state == "D" })
		return len(left) == 0 || stuck && time.Since(begun) > hangLimit
	})
	if err != nil && !stuck {
		return fmt.Errorf("cannot kill the processes of the server in %s: %w", o.place, err)
	}
	if !stuck {
		select { // its guard reads what it said last
		case <-o.process.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	o.process = nil
	if err := os.Remove(o.options.Addr); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot clear up after the killed server: %w", err)
	}
	return nil
}

// Recover starts a killed server and waits until it answers, with what its files
// hold. An append-only file that ends in the middle of a command is cut there
// (aof-load-truncated); what else is wrong with a file the server says itself.
func (o *Own) Recover(ctx context.Context) (took time.Duration, err error) {
	title := o.program.Title()
	if o.running() {
		return 0, fmt.Errorf("cannot recover %s: it was not killed", title)
	}
	switch made, err := o.made(); {
	case err != nil:
		return 0, fmt.Errorf("cannot recover %s: %w", title, err)
	case !made: // Start would make another server there
		return 0, fmt.Errorf("cannot recover %s: %s is empty", title, o.dir())
	}
	begun := time.Now()
	err = o.Start(ctx)
	return time.Since(begun), err
}
