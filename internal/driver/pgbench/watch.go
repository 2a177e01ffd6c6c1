package pgbench

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"plinth/internal/host/launch"
)

// watch waits for pgbench's end and brings it about when the window is over. It
// returns once pgbench has ended or was told to.
func (r *run) watch(ctx context.Context, p launch.Process) error {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	aborted, changed := r.aborted, r.horizon.changed
	for {
		select {
		case <-p.Done():
			return nil
		case <-ctx.Done():
			return errors.Join(ctx.Err(), p.Stop())
		case <-changed:
			timer.Reset(r.horizon.left())
		case <-aborted: // the other clients would go on to no avail
			aborted, changed = nil, nil
			_ = alarm(p)
			timer.Reset(lastWords)
		case <-timer.C:
			switch {
			case aborted == nil:
				return p.Stop()
			case r.alarmed:
				return errors.Join(errNoEnd, p.Stop())
			}
			changed = nil
			r.alarmed = alarm(p) == nil
			timer.Reset(drainTime)
		}
	}
}

// alarm tells pgbench that its time is up. Its -T is an alarm(2), whose handler
// has every client finish its transaction; the summary follows as usual.
func alarm(p launch.Process) error { return p.Signal(syscall.SIGALRM) }

const (
	// drainTime is how long the last transactions may take to end.
	drainTime = 5 * time.Minute

	// lastWords is how long the clients that are left may take once one of them
	// was aborted: theirs may be the better explanation.
	lastWords = 2 * time.Second
)

var errNoEnd = fmt.Errorf("cannot finish the run: transactions did not end within %s after the measurement", drainTime)
