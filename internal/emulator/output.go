package emulator

import (
	"bytes"
	"errors"
	"strings"
	"sync"

	"plinth/internal/hint"
)

// Prefixes of an emulator's output lines: readyWord precedes the path of what it serves,
// hintPrefix precedes the advice about an error.
const (
	readyWord  = "ready "
	hintPrefix = "hint: "
)

// output collects an emulator's output: that it is ready, or the error that ended it.
type output struct {
	ready chan struct{} // closed when the emulator serves

	mu    sync.Mutex
	text  bytes.Buffer
	path  string // of the block device or image file
	known bool   // ready is closed
}

// outputLimit bounds the stored output, in bytes: a Go crash can print far more.
const outputLimit = 16 << 10

// Write never fails: it drops what exceeds the limit.
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

// image returns the path of what the emulator serves, once it is ready.
func (o *output) image() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.path
}

// last returns the stored output without the ready line.
func (o *output) last() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.TrimSpace(o.text.String())
}

// err returns the output as an error, with its hint.
func (o *output) err() error {
	said, advice, _ := strings.Cut(o.last(), "\n"+hintPrefix)
	if first, _, found := strings.Cut(said, "\n"); found && strings.HasPrefix(said, "panic") {
		said = first // without the stack traces
	}
	if advice == "" {
		return errors.New(said)
	}
	return hint.Wrap(errors.New(said), advice)
}
