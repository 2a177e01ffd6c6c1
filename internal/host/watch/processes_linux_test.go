package watch

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"plinth/internal/host/hosttest"
	"plinth/internal/host/proc"
)

// only is a reading without all but these processes: others of a busy machine come and
// go meanwhile.
func (p *Processes) only(pids ...int) *Processes {
	some := map[int]processUse{}
	for _, pid := range pids {
		if use, there := p.byPID[pid]; there {
			some[pid] = use
		}
	}
	return processesOf(some)
}

func readAll(t testing.TB) *Processes {
	t.Helper()
	p, err := ReadProcesses()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func statOf(t *testing.T, pid int) proc.Process {
	t.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	stat, err := proc.ParseProcess(text)
	if err != nil {
		t.Fatal(err)
	}
	return stat
}

// The tree of this process holds the guard, which is in a session of its own,
// and the program under it; after their end, what they have used.
func TestTreeCoversGuardAndProgram(t *testing.T) {
	self := os.Getpid()
	p := startHelper(t, "burner", "THREADS=1")
	first := readAll(t)
	program := statOf(t, p.PID())
	guard := statOf(t, program.Parent)
	if guard.Parent != self || guard.Session != program.Parent {
		t.Fatalf("the guard of %d is %+v", p.PID(), guard)
	}
	if family := first.family(self); !family[program.Parent] || !family[p.PID()] {
		t.Errorf("the family is %v, without guard %d or program %d", family, program.Parent, p.PID())
	}
	var last *Processes
	hosttest.WaitFor(t, "three tenths of a second of CPU time", func() bool {
		last = readAll(t)
		return last.Tree(p.PID()).CPU > 0.3
	})
	if last.Tree(self).CPU < last.Tree(p.PID()).CPU {
		t.Errorf("the tree used %v s, the program alone %v s", last.Tree(self).CPU, last.Tree(p.PID()).CPU)
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	after := readAll(t)
	if after.family(self)[program.Parent] || after.family(self)[p.PID()] {
		t.Fatal("the guard or the program is still there")
	}
	if after.Tree(self).CPU < last.Tree(self).CPU {
		t.Errorf("the tree used %v s, and %v s after the end of the program", last.Tree(self).CPU, after.Tree(self).CPU)
	}
}

// To a shell that is not plinth's, the same program is the rest; to plinth it
// is not.
func TestRestSeesBurner(t *testing.T) {
	p := startHelper(t, "burner", "THREADS=1")
	before := readAll(t)
	start := before.Tree(p.PID()).CPU
	var now *Processes
	hosttest.WaitFor(t, "three tenths of a second of CPU time", func() bool {
		now = readAll(t)
		return now.Tree(p.PID()).CPU > start+0.3
	})
	guard := statOf(t, p.PID()).Parent
	const unknown = 1 << 30 // no process has this id
	before, now = before.only(os.Getpid(), guard, p.PID()), now.only(os.Getpid(), guard, p.PID())
	if with, without := before.Rest(now, unknown), before.Rest(now, os.Getpid()); with.CPU < 0.3 || without.CPU != 0 {
		t.Errorf("%v s for all, %v s without this tree", with.CPU, without.CPU)
	}
}

// What a program wrote is known after it has ended, too.
func TestTreeIO(t *testing.T) {
	const size = 8 << 20
	before := readAll(t).Tree(os.Getpid())
	p := startHelper(t, "writer", "WRITE="+strconv.Itoa(size), "FILE="+filepath.Join(diskDir(t), "file"))
	if status, err := p.Wait(); err != nil || status.Code != 0 {
		t.Fatalf("%+v, %v", status, err)
	}
	after := readAll(t).Tree(os.Getpid())
	if before.IO < 0 || after.IO-before.IO < size {
		t.Errorf("%d bytes, then %d", before.IO, after.IO)
	}
}

// diskDir is a directory that is not in memory, where nothing is written to a
// block device.
func diskDir(t *testing.T) string {
	t.Helper()
	for _, parent := range []string{os.TempDir(), "/var/tmp"} {
		var on unix.Statfs_t
		if err := unix.Statfs(parent, &on); err != nil || on.Type == unix.TMPFS_MAGIC || on.Type == unix.RAMFS_MAGIC {
			continue
		}
		dir, err := os.MkdirTemp(parent, "plinth-test-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		return dir
	}
	t.Fatal("no directory on a disk")
	return ""
}

// Who may not look at others' io is told how many he did not see; CPU time is
// there for all.
func TestProcessesUnprivileged(t *testing.T) {
	user := otherUser(t)
	helper := startHelper(t, "burner", "THREADS=0") // runs as root
	var p *Processes
	var readErr error
	if err := user.Do(func() { p, readErr = ReadProcesses() }); err != nil || readErr != nil {
		t.Fatal(err, readErr)
	}
	if got := p.Tree(helper.PID()); got.IO != -1 || got.Hidden != 1 {
		t.Errorf("%+v", got)
	}
	if p.Tree(1).CPU <= 0 {
		t.Error("no CPU time of process 1")
	}
}

func TestReadProcessesWithoutProc(t *testing.T) {
	if _, err := readProcesses(t.TempDir()); err == nil {
		t.Error("no error without /proc")
	}
}

func TestReadProcessesCaptured(t *testing.T) {
	p, err := readProcesses(captured(t))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Tree(4242), (Tree{CPU: 0.98, IO: 151552}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
