package volume

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"plinth/internal/emulator"
)

// freeAtEnd is for what does I/O on emulators, which nothing can interrupt. From the
// end of ctx on the connections of those that do not answer are ended, and those of
// all after the limit of an abort: then the I/O fails, and who does it returns. To do the I/O
// beside the caller and leave it behind would be no way: it holds the filesystem.
func freeAtEnd(ctx context.Context, emulators []string) (stop func()) {
	done, l := make(chan struct{}), waits
	go func() {
		select {
		case <-done:
		case <-ctx.Done():
			freeUntil(done, emulators, l)
		}
	}()
	return sync.OnceFunc(func() { close(done) })
}

func freeUntil(done <-chan struct{}, emulators []string, l limits) {
	tick, limit := time.NewTicker(l.answer), time.After(l.abort)
	defer tick.Stop()
	for {
		for _, mount := range emulators {
			freeHung(mount, l.answer)
		}
		select {
		case <-tick.C:
			continue
		case <-done:
			return
		case <-limit:
		}
		for _, mount := range emulators {
			_ = emulator.Abort(mount) // there is nobody to tell: the I/O will
		}
		return
	}
}

// endedBy says that an error came after the end of ctx: then that is the reason.
func endedBy(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}
