package emulator

import (
	"bytes"
	"errors"
	"strings"
	"sync"

	"plinth/internal/hint"
)

// What an emulator says before the path of what it serves, once it does, and before
// what the user can do about an error, each on a line of its own.
const (
	readyWord  = "ready "
	hintPrefix = "hint: "
)

// output is what an emulator has said: that it is ready, or at the end why not.
type output struct {
	ready chan struct{} // closed when it serves

	mu    sync.Mutex
	text  bytes.Buffer
	path  string // of what it serves
	known bool   // ready is closed
}

// outputLimit bounds what is kept: a crash of Go says more than anybody reads.
const outputLimit = 16 << 10

// Write never fails: a full buffer forgets.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if room := outputLimit - o.text.Len(); room > 0 {
		o.text.Write(p[:min(room, len(p))])
	}
	first, rest, found := strings.Cut(o.text.String(), "\n")
	if path, ready := strings.CutPrefix(first, readyWord); found && ready && !o.known {
		o.known, o.path = true, path
		close(o.ready)
		o.text.Reset()
		o.text.WriteString(rest)
	}
	return len(p), nil
}

// image is the path of what it serves, once it is ready.
func (o *output) image() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.path
}

// last is what it said, but for being ready: the first lines of it.
func (o *output) last() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.TrimSpace(o.text.String())
}

// err is what it said as an error, with the hint that came with it.
func (o *output) err() error {
	said, advice, _ := strings.Cut(o.last(), "\n"+hintPrefix)
	if first, _, found := strings.Cut(said, "\n"); found && strings.HasPrefix(said, "panic") {
		said = first // not the stacks
	}
	if advice == "" {
		return errors.New(said)
	}
	return hint.Wrap(errors.New(said), advice)
}
