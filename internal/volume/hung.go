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

// limits holds timeouts for operations that may hang.
type limits struct {
	// answer is the timeout of a query that needs no I/O: a busy emulator takes milliseconds, one
	// on an overloaded machine some seconds.
	answer time.Duration
	// hurry is the timeout for switching an emulator to pass-through before the volume is
	// removed, in case the emulator is gone.
	hurry time.Duration
	// stall is how long an unmount may continue without its disk completing an operation. Its
	// total time is unbounded: many gigabytes may be dirty, and the disk slow.
	stall time.Duration
	// abort is how long the kernel may take to give up once connections are aborted.
	abort time.Duration
}

// waits holds the timeouts of this process. Tests shorten them.
var waits = limits{answer: 10 * time.Second, hurry: 2 * time.Second, stall: time.Minute, abort: 10 * time.Second}

// freeHung aborts the connection of an emulator that does not answer because it is stopped or
// hung: everything in the kernel that waits for it would wait forever. mount is its place, "" if
// nothing is emulated.
func freeHung(mount string, limit time.Duration) {
	if mount != "" && !answers(mount, limit) {
		_ = emulator.Abort(mount) // a failure shows in the next operation, which has a timeout
	}
}

// answers reports whether the emulator responds at all; an error counts as a response.
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

// orAbort calls do, which may hang on a disk, source, and on the emulators under it. It aborts
// the connections of emulators that do not answer, and of all of them once the disk has stalled;
// do then fails or continues.
func orAbort(what, source string, emulators []string, do func() error) error {
	tick := time.NewTicker(min(waits.answer, waits.stall/4))
	defer tick.Stop()
	return abortWhere(what, emulators, tick.C, watchWork(source).rested, do)
}

// abortWhere implements orAbort; at each tick it checks how long the disk has been idle.
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

// aborted aborts all connections and waits for the operation that depended on them.
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
		return hint.Errorf("look at the kernel's log (dmesg), then run plinth clean", "cannot %s: its device does not answer", what)
	}
}

// freeAtEnd guards I/O on emulators, which cannot be interrupted. Once ctx has ended, it aborts
// the connections of emulators that do not answer, and all of them after waits.abort: the I/O
// then fails and its caller returns. Abandoning the I/O in another goroutine is not an option: it
// keeps the filesystem busy.
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
			_ = emulator.Abort(mount) // no error is reported here: the I/O fails
		}
		return
	}
}

// endedBy adds the cause of ctx's end to an error that occurred after it.
func endedBy(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// work tracks whether a disk makes progress.
type work struct {
	files []string // the kernel's counters
	count string
	since time.Time // when count last changed
}

// watchWork watches a block device, or all of them if source is not one but a pool.
func watchWork(source string) *work {
	name := sysNameOf(source)
	files := []string{filepath.Join(sysBlock, name, "stat")}
	if readWord(files[0]) == "" {
		files, _ = filepath.Glob("/sys/block/*/stat")
	} else if begin, end := proc.NVMePaths(name); begin != "" {
		paths, _ := filepath.Glob(filepath.Join(sysBlock, begin+"*"+end, "stat"))
		files = append(files, paths...)
	}
	w := &work{files: files}
	w.rested()
	return w
}

// rested returns how long no operation has completed, as of the calls so far.
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

// finished extracts the completed reads, writes, discards and flushes from a disk's counters
// (Documentation/block/stat.rst). It omits the times, which increase while the disk hangs.
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
