package watch

import (
	"io/fs"
	"os"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"plinth/internal/host/hosttest"
)

// The program that burned CPU between the two snapshots is the busiest.
func TestBusiestOfCapturedServer(t *testing.T) {
	first, later := hosttest.Machine(t, "numa-md")
	before, err := readProcesses(capturedProcesses(t, first))
	if err != nil {
		t.Fatal(err)
	}
	after, err := readProcesses(capturedProcesses(t, later))
	if err != nil {
		t.Fatal(err)
	}
	burner, err := fs.ReadLink(later, "run/process/burner")
	if err != nil {
		t.Fatal(err)
	}
	all := Busiest(before, after, time.Second, -1)
	if len(all) == 0 || strconv.Itoa(all[0].PID) != path.Base(burner) {
		t.Errorf("busiest are %v, want %s first", all, path.Base(burner))
	}
}

// capturedProcesses is a directory with the files of a machine's processes.
func capturedProcesses(t testing.TB, machine fstest.MapFS) string {
	t.Helper()
	some := fstest.MapFS{}
	for name, file := range machine {
		if base := path.Base(name); strings.HasPrefix(name, "proc/") && strings.Count(name, "/") == 2 && (base == "stat" || base == "io") {
			some[name] = file
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, some); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A program that somebody else runs is told with its name; plinth and what it
// runs are not.
func TestBusiest(t *testing.T) {
	before := &Processes{byPID: map[int]processUse{
		1: {own: 100, started: 1, command: "init"},
		2: {parent: 1, own: 50, started: 2, command: "hog"},
		3: {parent: 1, own: 50, started: 3, command: "plinth"},
		6: {own: 900, started: 4, command: "gone"},
	}}
	after := &Processes{
		byPID: map[int]processUse{
			1: {own: 102, cpu: 900, started: 1, command: "init"}, // what it got from its children is not its own
			2: {parent: 1, own: 100, started: 2, command: "hog"},
			3: {parent: 1, own: 90, started: 3, command: "plinth"},
			4: {parent: 3, own: 40, started: 9, command: "postgres"},
			5: {parent: 1, own: 20, started: 9, command: "new"},
			6: {own: 30, started: 9, command: "another 6"},
			7: {parent: 2, own: 20, started: 9, command: "kworker/0", kernel: true},
		},
		children: map[int][]int{1: {2, 3, 5}, 3: {4}, 2: {7}},
	}
	want := []BusyProcess{{2, "hog", 1}, {6, "another 6", 0.6}, {5, "new", 0.4}, {7, "kworker/0", 0.4}}
	if got := Busiest(before, after, 500*time.Millisecond, 3); !reflect.DeepEqual(got, want) {
		t.Errorf("busiest are %v, want %v", got, want)
	}
	for pid := 10; pid < 20; pid++ {
		after.byPID[pid] = processUse{own: int64(pid), started: 9}
	}
	if got := Busiest(before, after, 500*time.Millisecond, 3); len(got) != mostBusy || !slices.Equal(got[:2], want[:2]) {
		t.Errorf("busiest of many are %v", got)
	}
}

// Two readings of the real machine show what this test burns, from outside of it.
func TestBusiestSeesBurner(t *testing.T) {
	burner := startHelper(t, "burner", "THREADS=1")
	before := readAll(t)
	hosttest.WaitFor(t, "a tenth of a second of CPU time", func() bool {
		return readAll(t).Tree(burner.PID()).CPU > before.Tree(burner.PID()).CPU+0.1
	})
	// Others may be busier, and the burner may have to wait for its CPU.
	all := Busiest(before.only(burner.PID()), readAll(t).only(burner.PID()), time.Second, -1)
	if !slices.ContainsFunc(all, func(b BusyProcess) bool { return b.PID == burner.PID() && b.CPU >= leastBusy && b.Command != "" }) {
		t.Errorf("busiest are %v, without %d", all, burner.PID())
	}
	if all = Busiest(before, readAll(t), time.Second, os.Getpid()); slices.ContainsFunc(all, func(b BusyProcess) bool { return b.PID == burner.PID() }) {
		t.Errorf("a program of plinth's own is among %v", all)
	}
}
