package launch

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"

	"plinth/internal/host/hosttest"
)

// A long experiment starts thousands of programs: each must leave nothing.
func TestNothingStaysOfAProgram(t *testing.T) {
	dir := t.TempDir()
	one := func() {
		var out bytes.Buffer
		p, err := NewLocal().Start(Command{Path: "/bin/true", Stdout: &out, Stderr: &out, Pipes: []string{dir + "/%p"}})
		if err != nil {
			t.Error(err)
			return
		}
		if r, err := p.Pipe(0); err != nil {
			t.Error(err)
		} else {
			_ = r.Close()
		}
		if _, err := p.Wait(); err != nil {
			t.Error(err)
		}
		if _, err := NewLocal().Start(Command{Path: "/nowhere"}); err == nil {
			t.Error("a program that is not there was started")
		}
	}
	one() // what the runtime opens once
	files, routines := hosttest.OpenFiles(t), runtime.NumGoroutine()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 5 {
				one()
			}
		})
	}
	all.Wait()
	waitFor(t, "goroutines to end", func() bool { return runtime.NumGoroutine() <= routines })
	if now := hosttest.OpenFiles(t); now > files {
		t.Errorf("%d files are open, %d were", now, files)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("pipes left: %v", left)
	}
}

// The cost of the guard and the launch stage.
func BenchmarkStart(b *testing.B) {
	b.Run("guarded", func(b *testing.B) {
		for b.Loop() {
			p, err := NewLocal().Start(Command{Path: "/bin/true"})
			if err != nil {
				b.Fatal(err)
			}
			<-p.Done()
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("/bin/true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
