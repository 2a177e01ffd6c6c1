package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/record"
	"plinth/internal/record/index"
)

const killExperiment = `
name: kill
dataset: {scale: 1}
workloads: [tpcb-like]
clients: 2
transactions: 200
warmup: 0s
repeats: 400
seed: 1
environments: {one: {}, two: {}}
`

// TestKill kills plinth, a guard or a server with SIGKILL at random moments, repeatedly, and
// resumes each time. Nothing may survive, and no finished run may be lost. PLINTH_KILLS sets the
// number of kills; make kill does a hundred.
func TestKill(t *testing.T) {
	kills := 4
	if text := os.Getenv("PLINTH_KILLS"); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	t.Parallel()
	w := newKillWorld(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var before map[string]bool
	for n := range kills {
		victim := []string{"plinth", "plinth", "guard", "server"}[random.IntN(4)]
		w.begin(n > 0)
		w.strike(victim, time.Duration(random.Int64N(int64(4*time.Second))))
		w.nothingRuns()
		before = w.keeps(before)
	}
	w.plinth("clean")
	w.nothingIsLeft()
	t.Logf("%d kills, %d finished runs, none lost", kills, len(before))
}

// patience ends tests that hang. No test result depends on it: a busy machine may be slow.
const patience = 3 * time.Minute

// killWorld is a directory in which plinth is killed.
type killWorld struct {
	*testing.T
	dir  string
	mark string // in the environment of every process that plinth starts
	cmd  *exec.Cmd
	out  bytes.Buffer
	shm  map[string]bool // POSIX shared memory files before the test
	env  []string        // for plinth, in addition to the test's own
}

func newKillWorld(t *testing.T) *killWorld {
	t.Helper()
	dir, err := os.MkdirTemp("", "plinth-kill-")
	if err != nil {
		t.Fatal(err)
	}
	w := &killWorld{T: t, dir: dir, mark: "PLINTH_TEST_MARK=" + filepath.Base(dir)}
	t.Cleanup(func() {
		if t.Failed() {
			w.tell()
			return
		}
		os.RemoveAll(dir)
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "kill.yaml"), []byte(killExperiment), 0o644); err != nil {
		t.Fatal(err)
	}
	w.shm = sharedMemory()
	return w
}

// tell logs details of a failed test: the machine's load, and the evidence of each run. The
// directory is kept.
func (w *killWorld) tell() {
	load, _ := os.ReadFile("/proc/loadavg")
	w.Logf("kept: %s; load of the machine: %s", w.dir, bytes.TrimSpace(load))
	path, err := index.Find(filepath.Join(w.dir, "results"), "latest")
	if err != nil {
		return // plinth created no record
	}
	rec, err := record.Open(path)
	if err != nil {
		w.Logf("its record: %v", err)
		return
	}
	for _, run := range rec.Runs {
		evidence, _ := json.Marshal(run.Evidence)
		w.Logf("%s is %s: %+v, evidence %s", run.Path(), run.Status, run.Reasons, evidence)
	}
}

func (w *killWorld) command(args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Args[0] = "plinth"
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "PLINTH_TEST_MAIN=1", "PLINTH_STATE="+filepath.Join(w.dir, "state"), w.mark)
	cmd.Env = append(cmd.Env, w.env...)
	cmd.Stdout, cmd.Stderr = &w.out, &w.out
	return cmd
}

// begin starts the experiment, or resumes the existing record.
func (w *killWorld) begin(resume bool) {
	args := []string{"run", "kill.yaml"}
	if _, err := index.Find(filepath.Join(w.dir, "results"), "latest"); resume && err == nil {
		args = append(args, "--resume", "latest")
	}
	w.out.Reset()
	w.cmd = w.command(args...)
	if err := w.cmd.Start(); err != nil {
		w.Fatal(err)
	}
}

// strike kills the victim after a delay; if that was not plinth itself, plinth continues for a
// moment and is killed then.
func (w *killWorld) strike(victim string, after time.Duration) {
	ended := make(chan struct{})
	go func() {
		_ = w.cmd.Wait() // it was killed
		close(ended)
	}()
	for i, name := range []string{victim, "plinth"} {
		select {
		case <-time.After(after):
		case <-ended:
			if code := w.cmd.ProcessState.ExitCode(); i == 0 && code > 0 {
				w.Fatalf("plinth ended by itself (exit code %d):\n%s", code, w.out.String())
			}
			return
		}
		for _, pid := range w.processes() {
			if name == w.kind(pid) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
				break
			}
		}
		after = 300 * time.Millisecond
	}
	<-ended
}

// processes returns all processes that have the mark in their environment or the directory in
// their command line.
func (w *killWorld) processes() []int {
	var pids []int
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		environ, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
		cmdline, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline"))
		if bytes.Contains(environ, []byte(w.mark)) || bytes.Contains(cmdline, []byte(w.dir)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (w *killWorld) kind(pid int) string {
	cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	name, _, _ := strings.Cut(string(cmdline), "\x00")
	switch {
	case name == "plinth":
		return "plinth"
	case name == "plinth-guard":
		return "guard"
	case strings.HasSuffix(name, "/postgres"):
		return "server"
	default:
		return name
	}
}

// nothingRuns waits until all processes that plinth started have ended.
func (w *killWorld) nothingRuns() {
	w.Helper()
	deadline := time.Now().Add(patience)
	for {
		left := w.processes()
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			for _, pid := range left {
				cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
				w.Errorf("still there: %d %q", pid, cmdline)
			}
			w.Fatalf("plinth was killed; it had said:\n%s", w.out.String())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// keeps opens the record and checks that every earlier run still exists.
func (w *killWorld) keeps(before map[string]bool) map[string]bool {
	w.Helper()
	path, err := index.Find(filepath.Join(w.dir, "results"), "latest")
	if err != nil {
		return before // killed before the record was created
	}
	rec, err := record.Open(path)
	if err != nil {
		w.Fatalf("after a kill: %v", err)
	}
	now := map[string]bool{}
	for _, run := range rec.Runs {
		now[run.Path()] = true
	}
	for run := range before {
		if !now[run] {
			w.Errorf("lost: %s", run)
		}
	}
	return now
}

func (w *killWorld) plinth(args ...string) {
	w.Helper()
	w.out.Reset()
	if err := w.command(args...).Run(); err != nil {
		w.Fatalf("plinth %v: %v\n%s", args, err, w.out.String())
	}
}

// nothingIsLeft checks that plinth left nothing except records.
func (w *killWorld) nothingIsLeft() {
	w.Helper()
	left, _ := filepath.Glob(filepath.Join(w.dir, "plinth-*"))
	journals, _ := filepath.Glob(filepath.Join(w.dir, "state", "*.journal"))
	if len(left)+len(journals) > 0 {
		w.Errorf("left behind: %v %v", left, journals)
	}
	w.noSharedMemory()
	if live, _ := filepath.Glob(filepath.Join(w.dir, "results", "*", "running")); len(live) > 1 {
		w.Errorf("unfinished runs: %v", live)
	}
}

// noSharedMemory waits until a process uses each new file of POSIX shared memory; files of other
// tests come and go.
func (w *killWorld) noSharedMemory() {
	w.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		var lost []string
		for path := range sharedMemory() {
			if !w.shm[path] && !mapped(path) {
				lost = append(lost, path)
			}
		}
		if len(lost) == 0 {
			return
		}
		if time.Now().After(deadline) {
			w.Errorf("shared memory that nobody uses: %v", lost)
			return
		}
	}
}

func sharedMemory() map[string]bool {
	files, _ := filepath.Glob("/dev/shm/PostgreSQL.*")
	set := map[string]bool{}
	for _, file := range files {
		set[file] = true
	}
	return set
}

func mapped(path string) bool {
	maps, _ := filepath.Glob("/proc/[0-9]*/maps")
	for _, file := range maps {
		if text, _ := os.ReadFile(file); bytes.Contains(text, []byte(path)) {
			return true
		}
	}
	return false
}
