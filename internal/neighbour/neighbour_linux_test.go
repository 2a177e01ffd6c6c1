package neighbour

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/unit"
)

// bytesOf are the bytes that the kernel counted for a process: read from and written
// to disks.
func bytesOf(t testing.TB, pid int) (read, written float64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		n, _ := strconv.ParseFloat(value, 64)
		switch name {
		case "read_bytes":
			read = n
		case "write_bytes":
			written = n
		}
	}
	return read, written
}

// takesDirect says whether the files of a directory can be used past the page cache:
// only then does the kernel count each byte at once.
func takesDirect(t testing.TB, dir string) bool {
	f, err := openFile(filepath.Join(dir, "direct"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return f.direct
}

// TestRate asks a load for what it did since its beginning, and the kernel for the same.
// It is never quicker than its rate, and tells of nothing that the kernel has not seen.
func TestRate(t *testing.T) {
	t.Parallel()
	dir := hosttest.OpenDir(t)
	o := Options{Directory: dir, Write: unit.Rate(12 * unit.MiB), Read: unit.Rate(5 * unit.MiB)}
	direct := takesDirect(t, dir)
	load := startHere(t, o)
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("its file has a name: %v, %v", left, err)
	}
	const least = 1 << 20
	hosttest.WaitFor(t, "a MiB each way", func() bool {
		now := load.output.latest()
		return now.Written >= least && now.Read >= least
	})
	told := load.output.latest()
	readBytes, writtenBytes := bytesOf(t, load.PID())
	hosttest.WaitFor(t, "the next report", func() bool { return load.output.latest().At > told.At })
	// The blocks of a report are counted after its time, and before that of the next.
	within := load.output.latest().At.Seconds()
	for name, tc := range map[string]struct{ got, counted, rate float64 }{
		"write": {float64(told.Written), writtenBytes - float64(told.Size), float64(o.Write)},
		"read":  {float64(told.Read), readBytes, float64(o.Read)},
	} {
		if most := tc.rate*within + float64(blockSize); tc.got > most {
			t.Errorf("%s: %.0f bytes within %v s, want at most %.0f", name, tc.got, within, most)
		}
		if direct && tc.counted < tc.got {
			t.Errorf("%s: the kernel counted %.0f bytes of %.0f", name, tc.counted, tc.got)
		}
	}
	if reached := load.Reached(); reached.Write <= 0 || reached.Read <= 0 {
		t.Errorf("it reached %+v", reached)
	}
	if load.Size() > int64(mostSize) || load.Size() < int64(leastSize) || load.Err() != nil {
		t.Errorf("of %d bytes: %v", load.Size(), load.Err())
	}
}

func TestStop(t *testing.T) {
	load := startHere(t, Options{Directory: hosttest.OpenDir(t), Read: unit.Rate(unit.MiB)})
	for range 2 {
		if err := load.Stop(); err != nil {
			t.Error(err)
		}
	}
	if reached := load.Reached(); reached.Write != 0 {
		t.Errorf("it wrote %v", reached.Write)
	}
	if reached := load.Reached(); reached != (Reached{}) || load.Err() != nil {
		t.Errorf("without news: %+v, %v", reached, load.Err())
	}
}

func TestStartErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		o    Options
		text string
		hint string
	}{
		"nothing":      {Options{}, "no load configured", "50MiB/s"},
		"no memory":    {Options{Memory: -1}, "-1 is not an amount of memory", ""},
		"no CPUs":      {Options{CPU: -1}, "-1 is not a number of CPUs", ""},
		"negative":     {Options{Write: -1}, "-1 is not a rate", ""},
		"not a number": {Options{Write: unit.Rate(math.NaN())}, "NaN is not a rate", ""},
		"endless":      {Options{Read: unit.Rate(math.Inf(1))}, "+Inf is not a rate", ""},
		"no directory": {Options{Directory: t.TempDir() + "/gone", Read: 1e6}, "/gone: no such file", ""},
	} {
		_, err := Start(t.Context(), launch.NewLocal(), tc.o)
		if err == nil || !strings.Contains(err.Error(), tc.text) || !strings.Contains(hint.Of(err), tc.hint) {
			t.Errorf("%s: %v (hint %q), want %q", name, err, hint.Of(err), tc.text)
		}
	}
}

func TestNoRoom(t *testing.T) {
	hosttest.NeedRoot(t)
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	_, err := Start(t.Context(), launch.NewLocal(), Options{Directory: dir, Write: 1e6})
	if err == nil || !strings.Contains(err.Error(), "no space for its file: 4MiB is free") || hint.Of(err) == "" {
		t.Errorf("4 MiB are enough: %v", err)
	}
}

// TestWithoutDirect opens a file where the kernel knows no direct I/O.
func TestWithoutDirect(t *testing.T) {
	hosttest.NeedRoot(t)
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "ramfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	f, err := openFile(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	block, err := newBlock()
	if err != nil {
		t.Fatal(err)
	}
	again := make([]byte, len(block))
	if err := errors.Join(f.writeBlock(block, int64(blockSize)), f.readBlock(again, int64(blockSize))); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); f.direct || string(again) != string(block) || len(left) > 0 {
		t.Errorf("direct: %v; the same is read: %v; left: %v", f.direct, string(again) == string(block), left)
	}
}

// TestDiskFails shuts a filesystem down under a load: the load ends, and says why.
func TestDiskFails(t *testing.T) {
	hosttest.NeedRoot(t)
	dir := t.TempDir()
	image := filepath.Join(hosttest.OpenDir(t), "image")
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, 64<<20)); err != nil {
		t.Fatal(err)
	}
	for _, argv := range [][]string{{"mkfs.ext4", "-q", image}, {"mount", "-o", "loop", image, dir}} {
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", argv, err, out)
		}
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	load := startHere(t, Options{Directory: dir, Write: unit.Rate(4 * unit.MiB)})
	root, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	const shutDown, withoutFlush = 0x8004587d, 2 // EXT4_IOC_SHUTDOWN
	err = unix.IoctlSetPointerInt(int(root.Fd()), shutDown, withoutFlush)
	if err := errors.Join(err, root.Close()); err != nil {
		t.Fatal(err)
	}
	select {
	case <-load.Done():
	case <-time.After(time.Minute):
		t.Fatal("it goes on")
	}
	if err := load.Err(); err == nil || !strings.HasPrefix(err.Error(), "cannot write: ") {
		t.Errorf("it ended with %v", err)
	}
	if load.Stop() != nil || load.Err() == nil {
		t.Error("after it was stopped as well it has no error")
	}
}

// TestKilled kills the load, and then a plinth that has one.
func TestKilled(t *testing.T) {
	load := startHere(t, Options{Directory: hosttest.OpenDir(t), Read: unit.Rate(unit.MiB)})
	if err := syscall.Kill(load.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-load.Done()
	if err := load.Err(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("a load that was killed: %v", err)
	}

	dir := hosttest.OpenDir(t)
	plinth := exec.Command(os.Args[0])
	plinth.Env = append(os.Environ(), "PLINTH_TEST_DIRECTORY="+dir)
	out, err := plinth.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := plinth.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = plinth.Process.Kill(); _ = plinth.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	pid, failed := strconv.Atoi(strings.TrimSpace(line))
	if err := errors.Join(err, failed); err != nil {
		t.Fatalf("the helper says %q: %v", line, err)
	}
	_ = plinth.Process.Kill()
	hosttest.WaitFor(t, "the load to end with its plinth", func() bool {
		_, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH)
	})
}
