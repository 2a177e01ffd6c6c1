//go:build linux

package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPartOfTitle(t *testing.T) {
	for title, want := range map[string]part{
		"postgres bench [local] idle":                            backends,
		"alice orders 192.0.2.1(50412) SELECT":                   backends,
		"main: alice orders ::1(50412) idle in transaction":      backends,
		"alice orders fe80::1%eth0(50412) UPDATE waiting":        backends,
		"postgres bench [local] authentication":                  backends,
		"parallel worker for PID 4711 ":                          backends,
		"checkpointer ":                                          background,
		"main: background writer ":                               background,
		"walwriter ":                                             background,
		"autovacuum launcher ":                                   background,
		"autovacuum worker bench":                                background,
		"logical replication launcher ":                          background,
		"archiver last was 000000010000000000000003":             archiver,
		"main: archiver archiving 000000010000000000000003":      archiver,
		"autovacuum worker archiver":                             background, // a database
		"archiver: walwriter ":                                   background, // cluster_name
		"archiver orders 192.0.2.1(50412) SELECT":                backends,
		"walsender replica 192.0.2.1(50412) streaming 0/3000060": background,
		"walsender replica [local] START_REPLICATION":            background,
		"walreceiver streaming 0/3000060":                        background,
		"startup recovering 000000010000000000000003":            background,
		"io worker 0":                    background,
		"stats collector ":               background,
		"archiver failed on 00000001(x)": archiver,
		"":                               background,
	} {
		if got := partOf([]byte(title)); got != want {
			t.Errorf("%q is of the part %q, want %q", title, partNames[got], partNames[want])
		}
	}
}

// titled sets a process with its title and run delay, in nanoseconds.
func (f *fakeTree) titled(pid, parent int, title string, ran, delay uint64) {
	f.t.Helper()
	f.is(pid, parent, 0, 0)
	put(f.t, f.root, fmt.Sprintf("proc/%d/cmdline", pid), title+"\x00")
	put(f.t, f.root, fmt.Sprintf("proc/%d/schedstat", pid), fmt.Sprintf("%d %d 1\n", ran, delay))
}

func TestPartsOfAServer(t *testing.T) {
	server := 10
	f := newTree(t, t.TempDir(), map[string]*int{"server": &server})
	const second = 1e9
	f.titled(10, 1, "/usr/lib/postgresql/15/bin/postgres\x00-D\x00data", second, 0)
	f.titled(11, 10, "postgres: checkpointer ", second, second)
	f.titled(12, 10, "postgres: alice orders [local] idle", second, second)
	f.mustRead()
	f.titled(11, 10, "postgres: checkpointer ", 1.25*second, 1.5*second)
	f.titled(12, 10, "postgres: alice orders [local] UPDATE", 1.5*second, 3*second)
	f.titled(13, 10, "/usr/lib/postgresql/15/bin/postgres\x00-D\x00data", second/8, second/16) // not titled yet
	f.mustRead()
	f.titled(13, 10, "postgres: background writer ", 2*second/8, 2*second/16)
	f.mustRead()

	columns, gaps := f.cut()
	expect(t, columns, "process.server.backends.cpu", 0.5+0.125, 0)
	expect(t, columns, "process.server.background.cpu", 0.25, 0.125)
	expect(t, columns, "process.server.backends.run_delay", 2+0.0625, 0)
	expect(t, columns, "process.server.background.run_delay", 0.5, 0.0625)
	expect(t, columns, "process.server.run_delay", 2.5625, 0.0625)
	if len(gaps) > 0 && reasonOf(gaps, "process.server.run_delay", 0) != "" {
		t.Error(gaps)
	}
}

// TestArchiver: the processes of archive_command count as the archiver, which is one of the background processes.
func TestArchiver(t *testing.T) {
	server := 10
	f := newTree(t, t.TempDir(), map[string]*int{"server": &server})
	const second = 1e9
	f.titled(10, 1, "/usr/lib/postgresql/15/bin/postgres\x00-D\x00data", second, 0)
	f.titled(11, 10, "postgres: archiver last was 000000010000000000000003", second, 0)
	f.titled(12, 10, "postgres: checkpointer ", second, 0)
	f.mustRead()
	f.titled(12, 10, "postgres: checkpointer ", 1.5*second, 0)
	f.titled(13, 11, "sh\x00-c\x00gzip < pg_wal/000000010000000000000004", second/8, 0)
	f.titled(14, 13, "gzip\x00", second/4, 0)
	f.mustRead()
	f.titled(11, 10, "postgres: archiver archiving 000000010000000000000004", 1.125*second, 0)
	f.titled(14, 13, "gzip\x00", second, 0)
	f.mustRead()

	columns, _ := f.cut()
	expect(t, columns, "process.server.archiver.cpu", 0.375, 0.875)
	expect(t, columns, "process.server.background.cpu", 0.875, 0.875)
	expect(t, columns, "process.server.backends.cpu", 0, 0)
}

func TestRunDelayOfThreads(t *testing.T) {
	generator := 10
	f := newTree(t, t.TempDir(), map[string]*int{"generator": &generator})
	threads := func(number int, delays ...uint64) {
		put(t, f.root, "proc/10/stat", fmt.Sprintf("10 (a) S 1 1 1 0 -1 4194560 0 0 0 0 5 0 0 0 20 0 %d 0 7 0\n", number))
		put(t, f.root, "proc/10/schedstat", "1 999999999999 1\n") // of the first thread
		for i, delay := range delays {
			put(t, f.root, fmt.Sprintf("proc/10/task/%d/schedstat", 10+i), fmt.Sprintf("1 %d 1\n", delay))
		}
	}
	threads(2, 1e9, 2e9)
	f.mustRead()
	threads(2, 1.5e9, 2.25e9)
	f.mustRead()
	threads(3, 1.5e9, 2.25e9, 0.125e9) // one more
	f.mustRead()
	columns, _ := f.cut()
	expect(t, columns, "process.generator.run_delay", 0.75, 0.125)
}

// TestThreadThatIsReplaced checks that a thread is found that takes the place of another one.
func TestThreadThatIsReplaced(t *testing.T) {
	root := t.TempDir()
	all := tasks{root: root, dir: "proc/10/task", text: make([]byte, 4096)}
	defer all.close()
	put(t, root, "proc/10/task/10/schedstat", "1 1 1\n")
	put(t, root, "proc/10/task/11/schedstat", "1 20 1\n")
	want := func(sum uint64) {
		t.Helper()
		if got, counted := all.delay(2); got != sum || !counted {
			t.Errorf("the threads waited for %d, want %d; %v", got, sum, counted)
		}
	}
	want(21)
	put(t, root, "proc/10/task/11/schedstat", "") // as an open file of a thread that has ended
	if err := os.RemoveAll(filepath.Join(root, "proc/10/task/11")); err != nil {
		t.Fatal(err)
	}
	put(t, root, "proc/10/task/12/schedstat", "1 300 1\n")
	want(1)
	want(301)
	if _, counted := all.delay(mostTasks + 1); counted {
		t.Error("some of too many threads are counted")
	}
}

func TestRunDelayThatTheKernelDoesNotCount(t *testing.T) {
	server := 10
	f := newTree(t, t.TempDir(), map[string]*int{"server": &server})
	for range 2 {
		f.is(10, 1, 500, 300)
		put(t, f.root, "proc/10/schedstat", "0 0 0\n") // CONFIG_SCHED_INFO is off
		f.mustRead()
	}
	columns, gaps := f.cut()
	expect(t, columns, "process.server.run_delay", nan)
	expect(t, columns, "process.server.cpu", 0)
	if why := reasonOf(gaps, "process.server.run_delay", 0); !strings.Contains(why, "does not count") {
		t.Errorf("it is a gap because %q", why)
	}
}
