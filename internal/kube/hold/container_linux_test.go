package hold

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/host/hosttest"
)

const roleOf = "PLINTH_TEST_HELPER"

// roles are what this test binary does in a container.
var roles = map[string]func(context.Context) error{
	"hold": func(ctx context.Context) error {
		outcome, err := Wait(ctx, Options{})
		if err == nil {
			os.Exit(outcome.Code)
		}
		return err
	},
	"end": func(ctx context.Context) error {
		g, err := Join(ctx)
		if err != nil {
			return err
		}
		return g.End(Outcome{7, "told"})
	},
	"agent": func(ctx context.Context) error {
		g, err := Join(ctx)
		if err != nil {
			return err
		}
		if err := g.End(Outcome{9, "killed"}); err != nil {
			return err
		}
		fmt.Fprintln(os.Stdout, "ready")
		<-ctx.Done()
		return nil
	},
	"parent": func(context.Context) error {
		cmd := as("linger")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return cmd.Start()
	},
	"linger": func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	},
}

func TestMain(m *testing.M) {
	role, is := roles[os.Getenv(roleOf)]
	if !is {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := role(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(130)
	}
	os.Exit(0)
}

// as returns this test binary in a role.
func as(role string, before ...string) *exec.Cmd {
	self, err := filepath.Abs(os.Args[0]) // /proc shows no processes of the container
	if err != nil {
		panic(err)
	}
	words := append(before, self)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(os.Environ(), roleOf+"="+role)
	return cmd
}

// container is a process namespace, of which a hold is process 1.
type container struct {
	*testing.T
	init *exec.Cmd
}

func newContainer(t *testing.T) *container {
	t.Helper()
	hosttest.NeedRoot(t)
	t.Setenv("TMPDIR", hosttest.OpenDir(t))
	c := &container{t, as("hold")}
	c.init.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID, Pdeathsig: syscall.SIGKILL}
	c.init.Stderr = os.Stderr
	if err := c.init.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.init.Process.Kill()
		_ = c.init.Wait()
	})
	return c
}

// exec returns a command that runs in the container, as an exec in a pod does: its parent is outside.
func (c *container) exec(role string) *exec.Cmd {
	cmd := as(role, "nsenter", "--target", strconv.Itoa(c.init.Process.Pid), "--pid", "--")
	cmd.Stderr = os.Stderr
	return cmd
}

// children returns the processes that process 1 has to care for, by their numbers outside. Zombies are
// among them.
func (c *container) children() []int {
	c.Helper()
	var pids []int
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", c.init.Process.Pid))
	if err != nil {
		c.Fatal(err)
	}
	for _, task := range tasks {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", c.init.Process.Pid, task.Name()))
		if err != nil {
			continue // the thread has ended
		}
		for _, word := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(word)
			if err != nil {
				c.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	return pids
}

// ends waits for the container's end.
func (c *container) ends(code int) {
	c.Helper()
	ended := make(chan struct{})
	go func() {
		_ = c.init.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(patience):
		c.Fatal("the container does not end")
	}
	if got := c.init.ProcessState.ExitCode(); got != code {
		c.Errorf("%s, want exit code %d", c.init.ProcessState, code)
	}
}

// orphan leaves a process in the container whose parent has ended, and returns its number outside.
func (c *container) orphan() int {
	c.Helper()
	if err := c.exec("parent").Run(); err != nil {
		c.Fatal(err)
	}
	var pids []int
	hosttest.WaitFor(c, "process 1 has the orphan", func() bool { pids = c.children(); return len(pids) == 1 })
	return pids[0]
}

func (c *container) agent() *exec.Cmd {
	c.Helper()
	cmd := c.exec("agent")
	out, err := cmd.StdoutPipe()
	if err != nil {
		c.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		c.Fatalf("the agent said %q: %v", line, err)
	}
	return cmd
}

// gone reports whether a process has ended.
func gone(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(text), ") Z ")
}

func TestOrphansAreReaped(t *testing.T) {
	c := newContainer(t)
	for range 2 {
		if err := syscall.Kill(c.orphan(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		hosttest.WaitFor(t, "no zombie is left", func() bool { return len(c.children()) == 0 })
	}
}

// The end that a process tells ends all processes of the container: the kernel kills them.
func TestTheContainerEnds(t *testing.T) {
	c := newContainer(t)
	orphan, agent := c.orphan(), c.agent()
	if err := c.exec("end").Run(); err != nil {
		t.Error(err)
	}
	c.ends(7)
	if err := agent.Wait(); err == nil {
		t.Error("the agent has ended by itself")
	}
	hosttest.WaitFor(t, "the orphan is gone", func() bool { return gone(orphan) })
}

func TestAKilledAgentEndsTheContainer(t *testing.T) {
	c := newContainer(t)
	agent, pid := c.agent(), 0
	hosttest.WaitFor(t, "the agent is there", func() bool { pid = childOf(agent.Process.Pid); return pid != 0 })
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = agent.Wait()
	c.ends(9)
}

// childOf returns the process that nsenter has started; 0 if none.
func childOf(pid int) (child int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	_, _ = fmt.Sscan(string(text), &child)
	return child
}

// A pod that is deleted gets SIGTERM, which process 1 would ignore if it had no handler for it.
func TestAPodThatIsDeleted(t *testing.T) {
	c := newContainer(t)
	agent := c.agent()
	if err := c.init.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	c.ends(130)
	_ = agent.Wait()
}
