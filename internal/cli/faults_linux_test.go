package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/record"
	"plinth/internal/record/index"
)

// faultsExperiment fits into a tmpfs and ends soon.
const faultsExperiment = `
dataset: {scale: 1}
workloads: [tpcb-like]
duration: 1s
warmup: 0s
settle: 200ms
repeats: 1
seed: 1
settings: {max_wal_size: 64MB, min_wal_size: 32MB, shared_buffers: 16MB}
environments: {one: {}, two: {}}
`

// faultWorld is a directory in which something fails while plinth runs.
type faultWorld struct {
	*killWorld
	said *transcript
	end  chan struct{}
}

func newFaultWorld(t *testing.T) *faultWorld {
	t.Helper()
	t.Parallel()
	return faultWorldOf(t)
}

// faultWorldOf returns a world for a test that runs alone on the machine.
func faultWorldOf(t *testing.T) *faultWorld {
	t.Helper()
	w := &faultWorld{killWorld: newKillWorld(t)}
	alone := strings.NewReplacer("repeats: 1", "repeats: 2", ", two: {}", "").Replace(faultsExperiment)
	for name, text := range map[string]string{"faults.yaml": faultsExperiment, "alone.yaml": alone} {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// start starts plinth and returns once it has printed words.
func (w *faultWorld) start(words string, args ...string) {
	w.Helper()
	w.launch(w.command(args...))
	w.await(words)
}

// launch starts a command in the background.
func (w *faultWorld) launch(cmd *exec.Cmd) {
	w.Helper()
	w.cmd, w.said, w.end = cmd, newTranscript(), make(chan struct{})
	w.cmd.Stdout, w.cmd.Stderr = w.said, w.said
	if err := w.cmd.Start(); err != nil {
		w.Fatal(err)
	}
	go func(cmd *exec.Cmd, end chan struct{}) {
		_ = cmd.Wait() // the test checks the exit code
		close(end)
	}(w.cmd, w.end)
	w.Cleanup(func() { _ = w.cmd.Process.Kill(); <-w.end })
}

func (w *faultWorld) await(words string) {
	w.Helper()
	if !w.said.await(words, w.end, patience) {
		w.Fatalf("plinth did not say %q:\n%s", words, w.said)
	}
}

// exits waits for plinth's end and checks its exit code.
func (w *faultWorld) exits(code int) {
	w.Helper()
	select {
	case <-w.end:
	case <-time.After(patience):
		w.Fatalf("plinth does not end:\n%s", w.said)
	}
	if got := w.cmd.ProcessState.ExitCode(); got != code {
		w.Errorf("exit code %d, want %d:\n%s", got, code, w.said)
	}
	w.nothingRuns()
	if left, _ := filepath.Glob(filepath.Join(w.dir, "plinth-*")); len(left) > 0 {
		w.Errorf("left behind: %v\n%s", left, w.said)
	}
	if left, _ := filepath.Glob(filepath.Join(w.dir, "state", "*.journal")); len(left) > 0 {
		w.Errorf("journals left: %v\n%s", left, w.said)
	}
}

// signal sends a signal to one process whose command line matches.
func (w *faultWorld) signal(sig syscall.Signal, matches func(cmdline string) bool) (pid int) {
	w.Helper()
	for deadline, ended := time.Now().Add(patience), false; !ended && time.Now().Before(deadline); {
		for _, pid := range w.below(w.cmd.Process.Pid) {
			cmdline, _ := os.ReadFile(filepath.Join("/proc", itoa(pid), "cmdline"))
			if matches(string(bytes.ReplaceAll(cmdline, []byte{0}, []byte{' '}))) && syscall.Kill(pid, sig) == nil {
				return pid
			}
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-w.end:
			ended = true
		}
	}
	w.Fatalf("there is no such process:\n%s", w.said)
	return 0
}

// below returns all descendants of a process (proc_pid_task_children(5)).
func (w *faultWorld) below(pid int) (all []int) {
	files, _ := filepath.Glob(filepath.Join("/proc", itoa(pid), "task/*/children"))
	for _, file := range files {
		text, _ := os.ReadFile(file)
		for field := range strings.FieldsSeq(string(text)) {
			child := atoi(field)
			all = append(append(all, child), w.below(child)...)
		}
	}
	return all
}

func (w *faultWorld) record() *record.Record {
	w.Helper()
	path, err := index.Find(filepath.Join(w.dir, "results"), "latest")
	if err != nil {
		w.Fatalf("%v; plinth said:\n%s", err, w.said)
	}
	rec, err := record.Open(path)
	if err != nil {
		w.Fatal(err)
	}
	return rec
}

// oneFailed checks that one run failed with words in its reason, that its whole block was
// repeated, and that show reports it.
func (w *faultWorld) oneFailed(words string) {
	w.Helper()
	rec := w.record()
	var statuses []string
	for _, run := range rec.Runs {
		statuses = append(statuses, string(run.Status))
		if run.Status == record.Failed && !strings.Contains(run.Reasons[0].Text, words) {
			w.Errorf("the reason is %q, want %q", run.Reasons[0].Text, words)
		}
	}
	slices.Sort(statuses)
	if got := strings.Join(statuses, " "); got != "failed valid valid valid" || rec.Summary.State != record.Complete {
		w.Errorf("runs are %s, the record is %s:\n%s", got, rec.Summary.State, w.said)
	}
	w.plinth("show", "latest")
	shown := strings.Join(strings.Fields(w.out.String()), " ")
	if !strings.Contains(shown, words) {
		w.Errorf("show does not tell %q:\n%s", words, w.out.String())
	}
}

func TestServerIsKilled(t *testing.T) {
	w := newFaultWorld(t)
	w.start("run 1 of 2", "run", "faults.yaml", "--set", "duration=4s")
	w.signal(syscall.SIGKILL, func(c string) bool {
		return strings.Contains(c, "postgres -D "+w.dir) && strings.Contains(c, "-one/data")
	})
	w.exits(0)
	w.oneFailed("the server has ended: it was terminated by a signal (killed)")
}

func TestBackendIsKilled(t *testing.T) {
	w := newFaultWorld(t)
	w.start("run 1 of 2", "run", "faults.yaml", "--set", "duration=4s")
	w.signal(syscall.SIGKILL, backend)
	w.exits(0)
	w.oneFailed("was terminated by signal 9: Killed")
}

// A stopped server fails the run, and is continued for the next one.
func TestServerIsStopped(t *testing.T) {
	w := newFaultWorld(t)
	w.start("run 1 of 2", "run", "faults.yaml", "--set", "duration=4s")
	w.signal(syscall.SIGCONT, backend) // now the clients are connected
	w.signal(syscall.SIGSTOP, func(c string) bool {
		return strings.Contains(c, "postgres -D "+w.dir) && strings.Contains(c, "-one/data")
	})
	w.exits(0)
	w.oneFailed("the server was stopped by a signal (SIGSTOP)")
}

// A stopped backend would otherwise hold its client until the last transactions have to end.
func TestBackendIsStopped(t *testing.T) {
	w := newFaultWorld(t)
	w.start("run 1 of 2", "run", "faults.yaml", "--set", "duration=4s")
	w.signal(syscall.SIGSTOP, backend)
	w.exits(0)
	w.oneFailed("of the server was stopped by a signal (SIGSTOP)")
}

// backend recognises a server process that serves a load generator.
func backend(cmdline string) bool {
	return strings.HasPrefix(cmdline, "postgres: ") && strings.Contains(cmdline, " plinth ") &&
		(strings.Contains(cmdline, "UPDATE") || strings.Contains(cmdline, "COMMIT") || strings.Contains(cmdline, "INSERT"))
}

func loadGenerator(cmdline string) bool {
	return strings.Contains(cmdline, "/pgbench ") && !strings.Contains(cmdline, " -i")
}

func TestPgbenchIsKilled(t *testing.T) {
	w := newFaultWorld(t)
	w.start("run 1 of 2", "run", "faults.yaml", "--set", "duration=4s")
	w.signal(syscall.SIGKILL, loadGenerator)
	w.exits(0)
	w.oneFailed("pgbench was terminated by a signal: killed")
}

// A stopped load generator is continued, and no process stays behind.
func TestPgbenchIsStopped(t *testing.T) {
	w := newFaultWorld(t)
	w.start("run 1 of 2", "run", "alone.yaml")
	w.signal(syscall.SIGSTOP, loadGenerator)
	w.signal(syscall.SIGCONT, loadGenerator)
	w.exits(0)
	if rec := w.record(); len(rec.Runs) != 2 || rec.Runs[0].Status != record.Valid || rec.Runs[1].Status != record.Valid {
		t.Errorf("runs: %v\n%s", rec.Runs, w.said)
	}
}

// tmpfs mounts a small filesystem in the world.
func (w *faultWorld) tmpfs(name, size string) string {
	w.Helper()
	dir := filepath.Join(w.dir, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		w.Fatal(err)
	}
	if err := unix.Mount("plinth-test", dir, "tmpfs", 0, "mode=755,size="+size); err != nil {
		if os.Getenv("CI") == "" && os.Geteuid() != 0 {
			w.Skip("mounting needs root")
		}
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// fill uses up all space in dir, until the returned function is called.
func (w *faultWorld) fill(dir string) (empty func()) {
	w.Helper()
	path := filepath.Join(dir, "fill")
	file, err := os.Create(path)
	if err != nil {
		w.Fatal(err)
	}
	defer file.Close()
	for _, size := range []int{1 << 16, 1 << 10} {
		for err = nil; err == nil; {
			_, err = file.Write(make([]byte, size))
		}
	}
	return func() { _ = os.Remove(path) }
}

func TestDiskFillsUp(t *testing.T) {
	w := newFaultWorld(t)
	disk := w.tmpfs("disk", "300m")
	// Filling it takes a while on a busy machine, and has to end within the run.
	w.start("run 1 of 2", "run", "faults.yaml", "--set", "environments.one.storage.data="+disk, "--set", "duration=8s")
	w.signal(syscall.SIGCONT, backend) // now the second run is in progress
	empty := w.fill(disk)
	w.await("No space left on device")
	empty()
	w.exits(0)
	w.oneFailed("No space left on device")
}

func TestStoreFillsUp(t *testing.T) {
	w := newFaultWorld(t)
	disk := w.tmpfs("results", "400k")
	w.start("run 1 of 2", "run", "alone.yaml")
	empty := w.fill(disk)
	w.exits(1)
	w.await("no space left on device\nhint: free space on the record's filesystem, then resume the record")
	w.plinth("show", "latest")
	if rec := w.record(); len(rec.Runs) != 1 {
		t.Errorf("%d runs, want the one that was finished", len(rec.Runs))
	}
	empty()
	w.start("run 2 of 2", "run", "--resume", "latest")
	w.exits(0)
	if rec := w.record(); rec.Summary.State != record.Complete {
		t.Errorf("the record is %s", rec.Summary.State)
	}
}

func TestRecordIsRemoved(t *testing.T) {
	w := newFaultWorld(t)
	w.start("run 1 of 2", "run", "alone.yaml", "--set", "duration=4s")
	for os.RemoveAll(filepath.Join(w.dir, "results")) != nil { // plinth adds to it meanwhile
		if t.Context().Err() != nil {
			t.Fatal(t.Context().Err())
		}
	}
	w.exits(1)
	w.await("hint: check whether the record was moved or removed")
}

// transcript collects the output of a program; a test can wait for words in it.
type transcript struct {
	mu    sync.Mutex
	text  []byte
	grown chan struct{}
}

func newTranscript() *transcript { return &transcript{grown: make(chan struct{})} }

func (s *transcript) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, p...)
	close(s.grown)
	s.grown = make(chan struct{})
	return len(p), nil
}

func (s *transcript) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.text)
}

// await waits until words have been printed; it returns false if the program ended without them.
func (s *transcript) await(words string, end <-chan struct{}, limit time.Duration) bool {
	timeout := time.After(limit)
	for {
		s.mu.Lock()
		there, grown := bytes.Contains(s.text, []byte(words)), s.grown
		s.mu.Unlock()
		if there {
			return true
		}
		select {
		case <-grown:
		case <-end:
			return strings.Contains(s.String(), words)
		case <-timeout:
			return false
		}
	}
}
