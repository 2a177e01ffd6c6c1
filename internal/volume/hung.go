package volume

import (
	"time"

	"plinth/internal/emulator"
	"plinth/internal/hint"
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
