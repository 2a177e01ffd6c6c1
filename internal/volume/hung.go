package volume

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"plinth/internal/emulator"
	"plinth/internal/hint"
	"plinth/internal/host/proc"
)

// limits are how long is waited for what may hang.
type limits struct {
	// answer is how long an emulator may take to answer a question that needs no I/O: a
	// busy one takes milliseconds, one on a machine that is overrun some seconds.
	answer time.Duration
	// hurry is how long an emulator is asked to pass through before the volume is
	// removed; one that is gone is not waited for.
	hurry time.Duration
	// stall is how long an unmount may go on while no operation of its disk comes to an
	// end. How long it takes in all nobody knows: many gigabytes may be dirty, and the
	// disk slow.
	stall time.Duration
	// abort is how long the kernel may take to give up once nobody answers.
	abort time.Duration
}

// waits are the limits of this process. Tests wait less long.
var waits = limits{answer: 10 * time.Second, hurry: 2 * time.Second, stall: time.Minute, abort: 10 * time.Second}

// freeHung ends the connection of an emulator that does not answer, because it is
// stopped or hung: whatever waits for it, in the kernel, would wait for good. mount
// is its place, "" where nothing is emulated.
func freeHung(mount string, limit time.Duration) {
	if mount != "" && !answers(mount, limit) {
		_ = emulator.Abort(mount) // what cannot be ended is met again, with a limit, by what comes next
	}
}

// answers says whether the emulator answers at all: an error is an answer.
func answers(mount string, limit time.Duration) bool {
	done := make(chan struct{})
	go func() {
		_ = emulator.Ping(mount)
		close(done)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// orAbort does what may hang on a disk, source, and on emulators that are mounted
// there. The connection of one that answers no more is ended, and those of all when
// the disk has stopped working: then it fails or goes on.
func orAbort(what, source string, emulators []string, do func() error) error {
	tick := time.NewTicker(min(waits.answer, waits.stall/4))
	defer tick.Stop()
	return abortWhere(what, emulators, tick.C, watchWork(source).rested, do)
}

// abortWhere is orAbort that looks at each tick for how long the disk has rested.
func abortWhere(what string, emulators []string, tick <-chan time.Time, rested func() time.Duration, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	for {
		select {
		case err := <-done:
			return err
		case <-tick:
		}
		for _, mount := range emulators {
			freeHung(mount, waits.answer)
		}
		if rested() > waits.stall {
			return aborted(what, emulators, done)
		}
	}
}

// aborted ends all connections, and waits for what waited for them.
func aborted(what string, emulators []string, done <-chan error) error {
	for _, mount := range emulators {
		_ = emulator.Abort(mount)
	}
	limit := time.NewTimer(waits.abort)
	defer limit.Stop()
	select {
	case err := <-done:
		return err
	case <-limit.C:
		return hint.Errorf("look at the kernel's log (dmesg), and run plinth clean again", "cannot %s: its device does not answer", what)
	}
}

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

// work watches whether a disk works.
type work struct {
	files []string // of the kernel's counters
	count string
	since time.Time // when count was new
}

// watchWork watches a block device; all of them where source is none, but a pool.
func watchWork(source string) *work {
	files := []string{filepath.Join(sysBlock, sysNameOf(source), "stat")}
	if readWord(files[0]) == "" {
		files, _ = filepath.Glob("/sys/block/*/stat")
	}
	w := &work{files: files}
	w.rested()
	return w
}

// rested is for how long no operation has come to its end, as far as it was asked.
func (w *work) rested() time.Duration {
	var count strings.Builder
	for _, file := range w.files {
		count.WriteString(finished(readWord(file)) + "\n")
	}
	if now := count.String(); now != w.count {
		w.count, w.since = now, time.Now()
	}
	return time.Since(w.since)
}

// finished are the reads, writes, discards and flushes that have come to their end,
// out of a disk's counters (Documentation/block/stat.rst). The times in it go on
// while the disk hangs.
func finished(stat string) string {
	var n proc.Disk
	known := proc.CutNumbers([]byte(stat), n[:])
	var found []string
	for _, at := range []int{0, 4, 11, 15} {
		if at < known {
			found = append(found, strconv.FormatUint(n[at], 10))
		}
	}
	return strings.Join(found, " ")
}
