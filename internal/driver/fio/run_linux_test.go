package fio

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

func found(t *testing.T) Program {
	t.Helper()
	p, err := Find(t.Context(), launch.NewLocal())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// target returns a file of 8 MiB with a name that fio could parse as two files.
func target(t *testing.T) Target {
	t.Helper()
	path := filepath.Join(t.TempDir(), "one:two.dat")
	if err := os.WriteFile(path, make([]byte, 8<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	return Target{Path: path, Size: 8 << 20, Seed: 1}
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	jobs := []Job{
		{Name: "commit", Pattern: Write, Block: 8192, Depth: 1, Time: 50 * time.Millisecond, Durable: true, Buffered: true},
		{Name: "many", Pattern: RandomRead, Block: 4096, Depth: 3, Time: 1600 * time.Millisecond, Buffered: true, Seconds: filepath.Join(dir, "many")},
		{Name: "timed", Pattern: RandomRead, Block: 8192, Depth: 1, Time: time.Second, Buffered: true, Clock: filepath.Join(dir, "timed")},
		{Name: "deep", Pattern: RandomMixed, Block: 8192, Depth: 8, Reads: 70, Time: 50 * time.Millisecond, Buffered: true},
	}
	to := target(t)
	begin := time.Now()
	results, err := found(t).Run(t.Context(), launch.NewLocal(), dir, to, jobs)
	if err != nil {
		t.Fatal(err)
	}
	end := time.Now()
	for i, r := range results {
		if r.Name != jobs[i].Name || r.Read.Operations+r.Write.Operations == 0 {
			t.Errorf("%s: %d reads, %d writes", r.Name, r.Read.Operations, r.Write.Operations)
		}
	}
	if n := results[0].Sync.Count(); n == 0 || n < results[0].Write.Operations-1 {
		t.Errorf("%d writes with %d syncs", results[0].Write.Operations, n)
	}
	seconds, err := ReadSeconds(jobs[1].Seconds)
	if err != nil || len(seconds) == 0 || seconds[0] <= 0 {
		t.Errorf("seconds %v, %v", seconds, err)
	}
	from, until, err := ReadClock(jobs[2].Clock)
	if err != nil || from.Before(begin.Add(-time.Millisecond)) || until.After(end.Add(time.Millisecond)) {
		t.Errorf("between %s and %s a job ran from %s to %s, %v", begin, end, from, until, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(to.Path), "*")); len(left) != 1 {
		t.Errorf("fio has left %v", left)
	}
}

func TestRunErrors(t *testing.T) {
	p, to := found(t), target(t)
	job := []Job{{Name: "x", Pattern: Read, Block: 4096, Depth: 1, Time: 50 * time.Millisecond, Buffered: true}}
	gone := to
	gone.Path += ".gone"
	if _, err := p.Run(t.Context(), launch.NewLocal(), t.TempDir(), gone, job); err == nil || !strings.HasPrefix(err.Error(), "cannot measure with fio: ") {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := os.Stat(gone.Path); err == nil {
		t.Error("fio has made a file")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	job[0].Time = time.Hour // it does not end on its own
	if _, err := p.Run(ctx, launch.NewLocal(), t.TempDir(), to, job); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestFindErrors(t *testing.T) {
	for name, try := range map[string]struct{ script, want, hint string }{
		"none":   {"", "there is no program fio", "install it: apt install fio, dnf install fio, apk add fio"},
		"other":  {"#!/bin/sh\necho something else\n", "is not fio", "install it: apt install fio, dnf install fio, apk add fio"},
		"old":    {"#!/bin/sh\necho fio-2.16\n", "too old", "install fio 3.16 or later"},
		"broken": {"#!/bin/sh\nexit 3\n", "does not run: exit code 3", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("PATH", dir)
			if try.script != "" {
				if err := os.WriteFile(filepath.Join(dir, "fio"), []byte(try.script), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Find(t.Context(), launch.NewLocal())
			if err == nil || !strings.Contains(err.Error(), try.want) || hint.Of(err) != try.hint {
				t.Errorf("got %v, hint %q", err, hint.Of(err))
			}
		})
	}
}
