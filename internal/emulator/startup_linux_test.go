package emulator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/device"
	"plinth/internal/host/launch"
)

// otherThread names the environment variable that makes emulators start on a thread other than
// the first of their process, as Go's scheduler may do.
const otherThread = "PLINTH_TEST_OTHER_THREAD"

// mainOnThread calls Main, on another thread if the test requests that.
func mainOnThread() {
	if os.Getenv(otherThread) == "" {
		Main()
		return
	}
	runtime.LockOSThread()
	ended := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		Main()
		close(ended)
	}()
	<-ended
	runtime.UnlockOSThread()
}

// parentOf returns the parent PID of a process.
func parentOf(t testing.TB, pid int) (parent int) {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	var state string
	if _, err := fmt.Sscan(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), &state, &parent); err != nil {
		t.Fatal(err)
	}
	return parent
}

// ends waits for a process to exit, and kills it after a timeout.
func ends(t testing.TB, pidfd int) {
	t.Helper()
	for end := time.Now().Add(patience); ; {
		left := max(time.Until(end), 0)
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, int(left.Milliseconds()))
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case n == 0:
			t.Errorf("it is still there after %s", patience)
			_ = unix.PidfdSendSignal(pidfd, unix.SIGKILL, nil, 0)
		}
		return
	}
}

// TestNoEmulatorWithoutAGuard checks that an emulator exits when its guard is killed, whichever
// thread it started on.
func TestNoEmulatorWithoutAGuard(t *testing.T) {
	for _, thread := range []string{"", "another"} {
		t.Run(thread, func(t *testing.T) {
			if thread != "" {
				t.Setenv(otherThread, thread)
			}
			e := begin(t, device.Device{})
			pidfd, err := unix.PidfdOpen(e.PID(), 0)
			if err != nil {
				t.Fatal(err)
			}
			defer unix.Close(pidfd)
			if err := syscall.Kill(parentOf(t, e.PID()), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			ends(t, pidfd)
		})
	}
}

// TestEndedWhileItStarts ends emulators at various moments of their first 100 ms, by killing the
// guard or gracefully. None may survive.
func TestEndedWhileItStarts(t *testing.T) {
	backing := backingFileAsRoot(t)
	dir := filepath.Dir(backing)
	c := Config{Form: testForm, Mount: filepath.Join(dir, "mount"), Backing: backing, Size: testSize, Socket: filepath.Join(dir, "control")}
	config, err := json.Marshal(c)
	if err := errors.Join(err, os.Mkdir(c.Mount, 0o700)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := End(context.Background(), c.Place()); err != nil {
			t.Error(err)
		}
	})
	for i, after := range []time.Duration{0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 30, 50, 100} {
		p, err := launch.NewLocal().Start(launch.Command{Path: selfPath, Args: []string{processName, string(config)}, Dir: "/",
			Stop: stopSignal, Grace: stopGrace})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Stop() })
		pidfd, err := unix.PidfdOpen(p.PID(), 0)
		if err != nil {
			t.Fatal(err)
		}
		_ = sleeps(after*time.Millisecond)(nil, 0)
		if i%2 == 0 {
			err = syscall.Kill(parentOf(t, p.PID()), syscall.SIGKILL)
		} else {
			err = p.Stop()
		}
		if err != nil {
			t.Errorf("after %d ms: %v", after, err)
		}
		ends(t, pidfd)
		_ = unix.Close(pidfd)
		if err := End(t.Context(), c.Place()); err != nil {
			t.Error(err)
		}
	}
}

// TestNotReady checks that a process that does not become ready in time is described.
func TestNotReady(t *testing.T) {
	program, err := launch.FindProgram("sleep")
	if err != nil {
		t.Fatal(err)
	}
	p, err := launch.NewLocal().Start(launch.Command{Path: program, Args: []string{"1000"}, Dir: "/", Stop: stopSignal, Grace: stopGrace})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop() })
	e := &Emulator{process: p, output: &output{ready: make(chan struct{})}}
	err = e.awaitReady(t.Context(), 10*time.Millisecond)
	if want := regexp.MustCompile(`^its process \d+ is not ready after 10ms; threads: 1 [A-Z] \S+$`); err == nil || !want.MatchString(err.Error()) {
		t.Errorf("the error is %v", err)
	}
}

// TestThreadsTakeTurns checks that no thread of an emulator keeps a CPU from another one, and that garbage collection is
// off from the beginning.
func TestThreadsTakeTurns(t *testing.T) {
	e := begin(t, device.Device{})
	permitted := realTimePermitted()
	process := fmt.Sprintf("/proc/%d/", e.PID())
	tasks, err := os.ReadDir(process + "task")
	if err != nil || len(tasks) < 2 {
		t.Fatalf("%d threads: %v", len(tasks), err)
	}
	for _, task := range tasks {
		thread, err := strconv.Atoi(task.Name())
		if err != nil {
			t.Fatal(err)
		}
		attr, err := unix.SchedGetAttr(thread, 0)
		if err != nil || attr.Policy == unix.SCHED_FIFO || permitted && attr.Policy != unix.SCHED_RR {
			t.Errorf("thread %d has policy %d: %v", thread, attr.Policy, err)
		}
	}
	environ, err := os.ReadFile(process + "environ")
	if err != nil || !slices.Contains(strings.Split(string(environ), "\x00"), "GOGC=off") {
		t.Errorf("the environment is %q: %v", environ, err)
	}
}

// realTimePermitted reports whether threads of this process may have a real-time priority. It asks with one that ends.
func realTimePermitted() bool {
	permitted := make(chan bool)
	go func() {
		runtime.LockOSThread() // and never unlocks it: the thread ends with the goroutine
		turns := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: 1}
		permitted <- unix.SchedSetAttr(0, &turns, 0) == nil
	}()
	return <-permitted
}
