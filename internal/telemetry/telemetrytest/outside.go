// Package telemetrytest lets tests in virtual time (testing/synctest) wait for real
// servers.
package telemetrytest

import (
	"sync"
	"testing"
	"time"
)

// errands run outside of the bubbles of virtual time: in a bubble, time stands still while
// one of its goroutines waits for a server.
var errands = make(chan func())

// Serve runs errands until the tests end. TestMain calls it, outside of any bubble.
func Serve() {
	go func() {
		for do := range errands {
			go do()
		}
	}()
}

// Begin starts do in real time, and does not wait for it.
func Begin(do func()) { errands <- do }

// Outside runs do in real time, and returns when it is done.
func Outside(do func()) {
	var done sync.Mutex // not a channel: one created in a bubble cannot be used outside
	done.Lock()
	Begin(func() {
		defer done.Unlock()
		do()
	})
	done.Lock()
}

// WaitFor waits in real time until so returns true. The limit of a minute only ends a hang.
func WaitFor(t testing.TB, what string, so func() bool) {
	t.Helper()
	for range 6000 {
		if so() {
			return
		}
		Outside(func() { time.Sleep(10 * time.Millisecond) })
	}
	t.Fatalf("timed out waiting for %s", what)
}
