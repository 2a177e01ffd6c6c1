//go:build linux

package postgres

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/engine/postgres/leftover"
	"plinth/internal/record"
)

// TestTwoServersOfTheSame checks that two identical servers have no differences. One of them is
// then lost together with its plinth, and undoing its journal leaves nothing of it.
func TestTwoServersOfTheSame(t *testing.T) {
	t.Parallel()
	var all []record.Environment
	var own *Own
	for range 2 {
		own = startOwn(t, ownConfig(t, oneInstalled(t)))
		e, err := own.Describe(t.Context())
		must(t, err)
		all = append(all, e)
	}
	all[1].RoundTrip = all[0].RoundTrip // a busy machine may make it differ
	if notes := (Kind{}).Parity(all[0], all[1]); len(notes) > 0 {
		t.Errorf("named: %+v", notes)
	}

	traces := ownTraces(t, own)
	killPostmaster(t, own)
	must(t, own.Journal.PutBack(t.Context(), Kind{}.Undoers()))
	if left := traces(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestInterruptedInitdb kills initdb, which runs a server that leaves as much behind as any
// other.
func TestInterruptedInitdb(t *testing.T) {
	t.Parallel()
	config := ownConfig(t, oneInstalled(t))
	config.Launcher = local
	config.Programs.Initdb = slowInitdb(t, config.Programs.Initdb)
	own := newServer(t, config)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error)
	go func() { ended <- own.Start(ctx) }()
	lock := stopInitdb(t, own)
	for _, pid := range leftover.ProcessesIn(own.DataDir) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Start gave %v", err)
	}
	must(t, own.Remove(t.Context()))
	var dir syscall.Stat_t
	must(t, syscall.Stat(own.DataDir, &dir))
	if header, err := leftover.ReadSegment(lock.Segment); err == nil && header.Inode == dir.Ino {
		t.Errorf("the segment %+v is left", header)
	}
	if left := leftover.ProcessesIn(own.DataDir); len(left) > 0 {
		t.Errorf("the processes %v are left", left)
	}
}

// slowInitdb is an initdb with the lowest priority, so that it is seen at work.
func slowInitdb(t *testing.T, initdb string) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(testDir(t)), "initdb")
	must(t, os.WriteFile(path, []byte("#!/bin/sh\nexec nice -n 19 '"+initdb+"' \"$@\"\n"), 0o755))
	must(t, os.Chmod(path, 0o755))
	return path
}

// stopInitdb stops the server that initdb runs while it holds shared memory.
func stopInitdb(t *testing.T, own *Own) (lock leftover.Lock) {
	t.Helper()
	holds := func() bool {
		var err error
		lock, err = leftover.ReadLock(own.DataDir)
		return err == nil && lock.Segment >= 0
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if !holds() {
			continue
		}
		stopped := leftover.ProcessesIn(own.DataDir)
		for _, pid := range stopped {
			_ = syscall.Kill(pid, syscall.SIGSTOP)
		}
		if len(stopped) > 0 && holds() { // it has not ended meanwhile
			return lock
		}
		for _, pid := range stopped {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	}
	t.Fatalf("initdb has run no server with shared memory within %s", patience)
	return lock
}

func TestUndoOfADatabase(t *testing.T) {
	s := startStranger(t)
	connect := "postgresql://loader:" + strangerPasswordURI + "@127.0.0.1:" + itoa(s.port) + "/postgres"
	c := newConnected(t, connect)
	must(t, c.Load(t.Context(), nil))
	c.close()
	if strings.Contains(string(c.note.Args), "s3cr") {
		t.Fatalf("the journal holds the password: %s", c.note.Args)
	}
	// Another plinth with the same name must not take it for its own.
	mustRefuse(t, newConnected(t, connect).Load(t.Context(), nil), "it already exists", "")

	t.Setenv("PGPASSFILE", "/dev/null")
	mustRefuse(t, c.Journal.PutBack(t.Context(), Kind{}.Undoers()), "cannot drop database plinth_test1 at 127.0.0.1", "PGPASSWORD")
	t.Setenv("PGPASSWORD", strangerPassword)
	must(t, c.Journal.PutBack(t.Context(), Kind{}.Undoers()))
	if left := s.databases(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	s.exec(t, "CREATE DATABASE precious")
	err := undoDatabase(t.Context(), []byte(`{"conninfo": "host=`+s.socketDir+` user=boss", "database": "precious"}`))
	mustRefuse(t, err, "the journal entry does not identify the database", "")
}
