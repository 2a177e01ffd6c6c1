package limit

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/host/watch"
	"plinth/internal/journal/journaltest"
)

// An ordinary user is told at once, and what would allow it.
func TestOrdinaryUser(t *testing.T) {
	needController(t, cpuController)
	failed := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with its goroutine
		const nobody = 65534
		// Of this thread alone; syscall.Setresuid would be that of all.
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, nobody, nobody, nobody); errno != 0 {
			failed <- errno
			return
		}
		failed <- Check(experiment.Limits{CPUQuota: 0.5})
	}()
	err := <-failed
	// Of version 1 the directory is what is refused, of version 2 the controllers come first.
	if err == nil || !strings.Contains(err.Error(), "plinth is not allowed") || !strings.Contains(hint.Of(err), "root") {
		t.Errorf("as nobody: %v (hint %q)", err, hint.Of(err))
	}
}

// What a quota held back is found by the server's process id, in its own group; the
// quota that was asked for is not plinth's own.
func TestThrottledIsFoundByProcess(t *testing.T) {
	needController(t, cpuController)
	g := makeHere(t, journaltest.Open(t, Undoers()), experiment.Limits{CPUQuota: leastQuota})
	begin := time.Now()
	p, err := launch.NewLocal().Start(launch.Command{Path: "/bin/sh", Args: []string{"-c", "while :; do :; done"}, Groups: g.Directories()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop() })
	server, own := watch.New(p.PID(), 50*time.Millisecond), watch.New(unix.Getpid(), 50*time.Millisecond)
	t.Cleanup(func() { server.Stop(); own.Stop() })
	hosttest.WaitFor(t, "the server to be held back", func() bool {
		of, err := server.Between(begin, time.Now())
		ours, failed := own.Between(begin, time.Now()) // a container has a quota of its own
		return err == nil && failed == nil && of.Throttled > ours.Throttled+0.1
	})
}
