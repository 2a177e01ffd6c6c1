package volume

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/emulator"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/journal/journaltest"
	"plinth/internal/unit"
)

var errEnough = errors.New("that is enough")

// endsWith fails the test unless do returns soon after its context has ended, which happens when
// stop returns.
func endsWith(t *testing.T, stop func() error, do func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	done, stopped := make(chan error, 1), make(chan error, 1)
	go func() { done <- do(ctx) }()
	go func() {
		stopped <- stop()
		cancel(errEnough)
	}()
	select {
	case err := <-done:
		// A stopped emulator loses its nbd device at once, so do may return earlier.
		if byNBD := os.Getenv(emulator.FormVariable) == string(emulator.NBD); !errors.Is(err, errEnough) && (!byNBD || err == nil) {
			t.Errorf("error is %v", err)
		}
	case <-time.After(patience):
		t.Error("it does not return")
	}
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
}

// stopWorking waits until a disk has completed n operations, and then stops its emulator.
func stopWorking(device string, n, pid int) error {
	limit, tick := time.After(patience), time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for operations(device) < n {
		select {
		case <-tick.C:
		case <-limit:
			return fmt.Errorf("%s has done %d operations only", device, operations(device))
		}
	}
	return stopOne(pid)
}

// operations returns the number of completed reads and writes of a disk.
func operations(device string) int {
	done := strings.Fields(finished(readWord(filepath.Join(sysBlock, sysName(device), "stat"))))
	reads, _ := strconv.Atoi(done[0])
	writes, _ := strconv.Atoi(done[1])
	return reads + writes
}

// TestAProofOfAStoppedEmulatorEnds checks that a verification ends when its emulator is stopped.
func TestAProofOfAStoppedEmulatorEnds(t *testing.T) {
	withoutMeasuring(t)
	impatient(t)
	v, dir, before := makeEmulated(t, journaltest.Open(t, Undoers()), "ext4")
	pid, device := v.Emulators()[0].PID(), v.disks[0].path
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) }) // if the test fails
	count := operations(device)
	endsWith(t, func() error { return stopWorking(device, count+10, pid) }, func(ctx context.Context) error {
		_, err := v.Calibrate(ctx)
		return err
	})
	if err := v.Remove(t.Context()); err != nil {
		t.Error(err)
	}
	awaitAll(t, dir, before)
}

// TestMakingOnAStoppedEmulatorEnds does the same while the path is measured, and when a
// filesystem has just been created.
func TestMakingOnAStoppedEmulatorEnds(t *testing.T) {
	asRoot(t)
	impatient(t)
	for name, measure := range map[string]func(context.Context, string, int64) (emulator.PathCost, error){
		"measured": emulator.MeasurePath, "mounted": quickPath,
	} {
		t.Run(name, func(t *testing.T) {
			found := make(chan int, 1) // the emulator's PID, once its disk exists
			stop := func() error { return stopOne(<-found) }
			if name == "mounted" {
				stop = stopAfterMkfs(t, found)
			}
			dir, j := hosttest.OpenDir(t), journaltest.Open(t, Undoers())
			withMeasure(t, func(ctx context.Context, path string, size int64) (emulator.PathCost, error) {
				found <- emulatorOf(t, dir)
				return measure(ctx, path, size)
			})
			before := allOf(t, dir)
			o := Options{Journal: j, Launcher: launch.NewLocal(), Owner: serverUser(t), Name: "x"}
			endsWith(t, stop, func(ctx context.Context) error {
				_, err := Make(ctx, o, partOf(experiment.Volume{Disk: emulatedDisk(dir)}))
				return err
			})
			if left := j.Entries(); len(left) != 0 {
				t.Errorf("left in the journal: %v", left)
			}
			awaitAll(t, dir, before)
		})
	}
}

// impatient shortens the timeouts for emulators that never respond again, and disables the stall
// timeout.
func impatient(t *testing.T) {
	t.Helper()
	before := waits
	waits.answer, waits.hurry, waits.stall = 200*time.Millisecond, 200*time.Millisecond, time.Hour
	t.Cleanup(func() { waits = before })
}

func withMeasure(t *testing.T, measure func(context.Context, string, int64) (emulator.PathCost, error)) {
	t.Helper()
	withoutMeasuring(t)
	measurePath = measure
}

// stopAfterMkfs makes mkfs.ext4 wait, when it is done, until the emulator is stopped.
func stopAfterMkfs(t *testing.T, found <-chan int) func() error {
	t.Helper()
	path, err := launch.FindProgram("mkfs.ext4")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	done, goOn := filepath.Join(dir, "done"), filepath.Join(dir, "go-on")
	if err := errors.Join(syscall.Mkfifo(done, 0o600), syscall.Mkfifo(goOn, 0o600)); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\n%s \"$@\"\necho >%s\nread line <%s\nexit 0\n", path, done, goOn)
	if err := os.WriteFile(filepath.Join(dir, "mkfs.ext4"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return func() error {
		_, err := os.ReadFile(done)
		return errors.Join(err, stopOne(<-found), os.WriteFile(goOn, []byte("\n"), 0))
	}
}

func stopOne(pid int) error {
	if pid <= 0 {
		return fmt.Errorf("%d is no process", pid)
	}
	return syscall.Kill(pid, syscall.SIGSTOP)
}

// emulatorOf returns the PID of the emulator whose data are in dir, or 0.
func emulatorOf(t *testing.T, dir string) int {
	t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		words := strings.Split(readWord(file), "\x00")
		if len(words) > 2 && words[1] == "plinth-emulator" && strings.Contains(words[2], dir) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			return pid
		}
	}
	t.Errorf("nobody emulates in %s", dir)
	return 0
}

// TestADiskThatWorksIsWaitedFor checks that an unmount may take any time while its disk makes
// progress.
func TestADiskThatWorksIsWaitedFor(t *testing.T) {
	tick, ended := make(chan time.Time), errors.New("it ended")
	looks := 0
	rested := func() time.Duration {
		looks++
		return waits.stall
	}
	err := abortWhere("unmount it", nil, tick, rested, func() error {
		for range 100 { // hours, in which each check finds recent progress
			tick <- time.Time{}
		}
		return ended
	})
	if !errors.Is(err, ended) || looks != 100 {
		t.Errorf("after %d looks: %v", looks, err)
	}
}

// TestADiskThatHangsIsGivenUp checks that a stalled disk is given up, even if other disks work.
func TestADiskThatHangsIsGivenUp(t *testing.T) {
	asRoot(t)
	before := waits
	waits.stall, waits.abort = 200*time.Millisecond, 200*time.Millisecond
	t.Cleanup(func() { waits = before })
	hung := make(chan struct{})
	defer close(hung)
	err := orAbort("unmount it", testLoop(t, unit.MiB), nil, func() error { <-hung; return nil })
	if err == nil || !strings.Contains(err.Error(), "cannot unmount it: its device does not answer") || hint.Of(err) == "" {
		t.Errorf("error is %v", err)
	}
}

// TestRested checks that a completed operation counts as progress.
func TestRested(t *testing.T) {
	asRoot(t)
	device := testLoop(t, unit.MiB)
	disk := watchWork(device)
	atFirst := disk.since
	if disk.rested(); disk.since != atFirst {
		t.Error("nothing was asked of it, and it worked")
	}
	f, err := os.OpenFile(device, os.O_WRONLY|unix.O_SYNC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(make([]byte, 4096), 0); err != nil {
		t.Fatal(err)
	}
	if took := disk.rested(); !disk.since.After(atFirst) || took > time.Since(atFirst) {
		t.Errorf("it has written, and rested for %v", took)
	}
}

// TestFinished checks that operations in flight do not count: the kernel keeps increasing their
// time.
func TestFinished(t *testing.T) {
	const stat = "  10 2 300 4  50 6 700 8  9 1000 1100  12 13 1400 15  16 17"
	if got := finished(stat); got != "10 50 12 16" {
		t.Errorf("got %q", got)
	}
	if got := finished("10 2 300 4 50 6 700 8 9 1000 1100"); got != "10 50" { // before Linux 4.18
		t.Errorf("got %q", got)
	}
}
