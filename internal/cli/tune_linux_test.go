package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"plinth/internal/cli/base"
	"plinth/internal/host/hosttest"
)

// TestTuneScripts runs plinth tune as users do: testdata/tune/*.txt.
func TestTuneScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "tune"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			for dir := env.WorkDir; dir != filepath.Dir(dir) && dir != os.TempDir(); dir = filepath.Dir(dir) {
				if err := os.Chmod(dir, 0o755); err != nil {
					return err
				}
			}
			env.Setenv("PLINTH_STATE", filepath.Join(env.WorkDir, "state"))
			env.Setenv("BOOT", bootID())
			for _, name := range []string{"PLINTH_PG_BIN", "PLINTH_TEST_PG_BIN", "GORACE"} {
				env.Setenv(name, os.Getenv(name))
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "server": server, "sql": sql, "kernel": holdKernel, "reads": reads, "fill": fill, "domain": defineDomain, "redis": redisServer,
		},
		Condition: condition,
	})
}

func bootID() string {
	text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text))
}

// holdKernel keeps other tests from changing the kernel's knobs until the script ends, and then
// restores the named file, whatever plinth did: kernel FILE.
func holdKernel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: kernel FILE")
	}
	lock, err := hosttest.HoldKernel()
	ts.Check(err)
	ts.Defer(func() { _ = lock.Close() })
	before, err := os.ReadFile(args[0])
	ts.Check(err)
	ts.Setenv("WAS", strings.TrimSpace(string(before)))
	ts.Defer(func() {
		if now, err := os.ReadFile(args[0]); err == nil && string(now) != string(before) {
			_ = os.WriteFile(args[0], before, 0)
		}
	})
}

// reads checks the content of a kernel file: reads FILE VALUE.
func reads(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: reads FILE VALUE")
	}
	text, err := os.ReadFile(args[0])
	ts.Check(err)
	if got := strings.TrimSpace(string(text)); got != args[1] {
		ts.Fatalf("%s has %q, want %q", args[0], got, args[1])
	}
}

// fill writes a file with the script's variables expanded: fill FROM TO.
func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fill FROM TO")
	}
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[1])), 0o700))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}

const writeback = "/proc/sys/vm/dirty_writeback_centisecs"

func writebackNow(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(writeback)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// TestTuneKilled kills plinth while a command runs with a tuning, and during an apply. plinth
// clean restores all values.
func TestTuneKilled(t *testing.T) {
	hosttest.NeedRoot(t)
	hosttest.LockKernel(t)
	before := writebackNow(t)
	t.Cleanup(func() {
		if writebackNow(t) != before {
			_ = os.WriteFile(writeback, []byte(before), 0)
		}
	})
	set := "vm.dirty_writeback_centisecs=" + before + "1"
	for name, tc := range map[string]struct {
		args []string
		when func() bool
	}{
		"command": {[]string{"tune", "apply", "--set", set, "--host", "--", "sleep", "60"}, func() bool { return writebackNow(t) != before }},
		"apply":   {[]string{"tune", "apply", "--set", set, "--set", "vm.vfs_cache_pressure=100", "--host", "--until", "rollback"}, func() bool { return writebackNow(t) != before }},
	} {
		w := newTuneWorld(t)
		cmd := w.command(tc.args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		deadline := time.Now().Add(patience)
		for !tc.when() && time.Now().Before(deadline) {
			time.Sleep(200 * time.Microsecond)
		}
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait()
		changed := writebackNow(t) != before
		w.nothingRuns()
		w.plinth("clean")
		if name == "apply" && writebackNow(t) != before { // the apply had completed
			w.plinth("tune", "rollback")
		}
		if now := writebackNow(t); now != before || !changed {
			t.Errorf("%s: it was changed %v, and is %s after clean, and was %s:\n%s", name, changed, now, before, w.out.String())
		}
		if left, _ := filepath.Glob(filepath.Join(w.dir, "state", "tune", "*.journal")); len(left) > 0 {
			t.Errorf("%s: left %v", name, left)
		}
	}
}

// newTuneWorld is a killWorld for a test that does not run in parallel.
func newTuneWorld(t *testing.T) *killWorld {
	t.Helper()
	dir, err := os.MkdirTemp("", "plinth-tune-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return &killWorld{T: t, dir: dir, mark: fmt.Sprintf("PLINTH_TEST_MARK=%s", filepath.Base(dir))}
}

// TestTuneInterrupted checks that Ctrl-C ends the command, and that the tuning is undone.
func TestTuneInterrupted(t *testing.T) {
	hosttest.NeedRoot(t)
	hosttest.LockKernel(t)
	before := writebackNow(t)
	w := newTuneWorld(t)
	cmd := w.command("tune", "apply", "--set", "vm.dirty_writeback_centisecs="+before+"1", "--host", "--", "sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); writebackNow(t) == before && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait()
	w.nothingRuns()
	if now := writebackNow(t); now != before || cmd.ProcessState.ExitCode() != base.ExitInterrupted {
		_ = os.WriteFile(writeback, []byte(before), 0)
		t.Errorf("exit code %d, it is %s and was %s:\n%s", cmd.ProcessState.ExitCode(), now, before, w.out.String())
	}
}
