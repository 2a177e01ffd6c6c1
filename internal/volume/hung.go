package volume

import (
	"time"

	"plinth/internal/emulator"
	"plinth/internal/hint"
)

// answerLimit is how long an emulator may take to answer a question that needs no
// I/O; a busy one takes milliseconds.
const answerLimit = 2 * time.Second

// Tests wait less long.
var (
	// stallLimit is how long an unmount may go on while no operation of its disk
	// comes to an end. How long it takes in all nobody knows: many gigabytes may be
	// dirty, and the disk slow.
	stallLimit = time.Minute
	// abortLimit is how long the kernel may take to give up once nobody answers.
	abortLimit = 10 * time.Second
)

// freeHung ends the connection of an emulator that does not answer, because it is
// stopped or hung: whatever waits for it, in the kernel, would wait for good. mount
// is its place, "" where nothing is emulated.
func freeHung(mount string) {
	if mount != "" && !answers(mount) {
		_ = emulator.Abort(mount) // what cannot be ended is met again, with a limit, by what comes next
	}
}

// answers says whether the emulator answers at all: an error is an answer.
func answers(mount string) bool {
	done := make(chan struct{})
	go func() {
		_ = emulator.Ping(mount)
		close(done)
	}()
	timer := time.NewTimer(answerLimit)
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
	done := make(chan error, 1)
	go func() { done <- do() }()
	tick := time.NewTicker(min(answerLimit, stallLimit/4))
	defer tick.Stop()
	disk := watchWork(source)
	for {
		select {
		case err := <-done:
			return err
		case <-tick.C:
		}
		for _, mount := range emulators {
			freeHung(mount)
		}
		if disk.rested() > stallLimit {
			return aborted(what, emulators, done)
		}
	}
}

// aborted ends all connections, and waits for what waited for them.
func aborted(what string, emulators []string, done <-chan error) error {
	for _, mount := range emulators {
		_ = emulator.Abort(mount)
	}
	limit := time.NewTimer(abortLimit)
	defer limit.Stop()
	select {
	case err := <-done:
		return err
	case <-limit.C:
		return hint.Errorf("look at the kernel's log (dmesg), and run plinth clean again", "cannot %s: its device does not answer", what)
	}
}
