package pgbench

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
)

// gated accepts a write each time the gate opens.
type gated struct {
	gate chan error
	got  bytes.Buffer
}

func (g *gated) Write(p []byte) (int, error) {
	if err := <-g.gate; err != nil {
		return 0, err
	}
	return g.got.Write(p)
}

func TestBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := &gated{gate: make(chan error)}
		b := newBehind(file, 8)
		write := func(s string) {
			if n, err := b.Write([]byte(s)); n != len(s) || err != nil {
				t.Errorf("%d, %v", n, err)
			}
		}
		write("one ")
		synctest.Wait() // the first is being written
		write("two ")
		write("3456")
		var through bool
		go func() {
			write("seven and more than fits")
			through = true
		}()
		synctest.Wait()
		if through {
			t.Error("more waits than the limit allows")
		}
		close(file.gate)
		if synctest.Wait(); !through {
			t.Error("it waits for ever")
		}
		if err := errors.Join(b.Close(), b.Close()); err != nil {
			t.Error(err)
		}
		if got := file.got.String(); got != "one two 3456seven and more than fits" {
			t.Errorf("wrote %q", got)
		}
	})
}

func TestBehindFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := &gated{gate: make(chan error, 1)}
		file.gate <- errors.New("no space left")
		b := newBehind(file, 8)
		if _, err := b.Write([]byte("x")); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		for range 2 {
			if _, err := b.Write([]byte(strings.Repeat("x", 9))); err == nil || err.Error() != "no space left" {
				t.Errorf("got %v", err)
			}
		}
		if err := b.Close(); err == nil {
			t.Error("closed without a word")
		}
	})
}
