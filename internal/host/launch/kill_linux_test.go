package launch

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/host"
)

// tree is a plinth that started a program: its process, the guard and the program.
type tree struct {
	plinth         *exec.Cmd
	guard, program int
}

// grow starts a plinth that starts the helper program.
func grow(t testing.TB, program string, grace time.Duration) tree {
	t.Helper()
	c := helper(t, "plinth", "PROGRAM="+program, "GRACE="+grace.String())
	plinth := &exec.Cmd{Path: c.Path, Args: []string{c.Path}, Env: c.Env}
	out, err := plinth.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := plinth.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = plinth.Process.Kill(); _ = plinth.Wait() })
	tr := tree{plinth: plinth}
	lines := bufio.NewScanner(out)
	for ready := false; !ready || tr.program == 0; {
		if !lines.Scan() {
			t.Fatal("the helper ended too early")
		}
		if pid, found := strings.CutPrefix(lines.Text(), "pid "); found {
			tr.program = atoi(t, pid)
		} else {
			ready = true
		}
	}
	s, err := host.ReadProcess(tr.program)
	if err != nil {
		t.Fatal(err)
	}
	tr.guard = s.Parent
	t.Cleanup(func() { _ = syscall.Kill(tr.program, syscall.SIGKILL) })
	return tr
}

func kill(t testing.TB, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// graceOf returns the grace of a program: a willing one ends without it; a stubborn one uses
// all of it.
func graceOf(program string) time.Duration {
	if program == "willing" {
		return time.Hour
	}
	return 100 * time.Millisecond
}

func TestNothingSurvivesAKill(t *testing.T) {
	for _, tc := range []struct{ victim, program string }{
		{"plinth", "willing"}, {"plinth", "stubborn"}, {"guard", "willing"}, {"guard", "stubborn"}, {"both", "willing"},
	} {
		t.Run(tc.victim+" of a "+tc.program, func(t *testing.T) {
			t.Parallel()
			tr := grow(t, tc.program, graceOf(tc.program))
			began := time.Now()
			if tc.victim != "guard" {
				kill(t, tr.plinth.Process.Pid)
			}
			if tc.victim != "plinth" {
				kill(t, tr.guard)
			}
			waitFor(t, "the program and the guard to end", func() bool {
				return !alive(tr.program) && !alive(tr.guard)
			})
			if took, grace := time.Since(began), graceOf(tc.program); tc.program == "stubborn" && took < grace {
				t.Errorf("it took %v, and the program has a grace of %v", took, grace)
			}
		})
	}
}

// TestKilledWhileStarting kills plinth at random moments around the start of a guard and its
// program, when some of the three do not exist yet.
func TestKilledWhileStarting(t *testing.T) {
	c := helper(t, "plinth", "PROGRAM=willing", "GRACE=1s")
	mark := fmt.Sprintf("PLINTH_TEST_MARK=%d-%d", os.Getpid(), time.Now().UnixNano())
	for range 30 {
		plinth := &exec.Cmd{Path: c.Path, Args: []string{c.Path}, Env: append(c.Env, mark)}
		if err := plinth.Start(); err != nil {
			t.Fatal(err)
		}
		moment := time.NewTimer(time.Duration(rand.IntN(15000)) * time.Microsecond)
		<-moment.C
		_ = plinth.Process.Kill()
		_ = plinth.Wait()
		waitFor(t, "all processes to end", func() bool { return len(marked(mark)) == 0 })
	}
}

// marked returns the living processes with this line in their environment.
func marked(mark string) (pids []string) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		environ, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err == nil && strings.Contains(string(environ), mark) {
			pids = append(pids, e.Name())
		}
	}
	return pids
}

func TestGuardKilled(t *testing.T) {
	for _, program := range []string{"willing", "stubborn"} {
		c := helper(t, program)
		var out lineSignal
		c.Stdout, c.Grace = out.init(), graceOf(program)
		p := start(t, c)
		<-out.line
		began := time.Now()
		kill(t, p.guard.Process.Pid)
		_, err := p.Wait()
		if err == nil || !strings.Contains(err.Error(), "supervised") {
			t.Errorf("%s: error is %v", program, err)
		}
		if alive(p.PID()) {
			t.Errorf("%s: the program runs on", program)
		}
		if took := time.Since(began); program == "stubborn" && took < c.Grace {
			t.Errorf("%s: took %v, and has a grace of %v", program, took, c.Grace)
		}
		if err := p.Stop(); err != nil {
			t.Errorf("%s: stop says %v", program, err)
		}
	}
}
