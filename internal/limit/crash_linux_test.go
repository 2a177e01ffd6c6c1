package limit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
	"plinth/internal/journal/journaltest"
	"plinth/internal/unit"
)

// makeAndWait is a plinth that has a program in its groups, and waits to be killed.
func makeAndWait() {
	j, err := journal.Open(os.Getenv("PLINTH_TEST_STATE"), "killed")
	var g *Group
	if err == nil {
		g, err = Make(j, "killed", experiment.Limits{CPUs: 1, Memory: 256 * unit.MiB}, Where{})
	}
	if err == nil {
		_, err = launch.NewLocal().Start(launch.Command{Path: "/bin/sleep", Args: []string{"60"}, Groups: g.Directories()})
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(strings.Join(g.Directories(), " "))
	select {}
}

// TestKilled kills a plinth and puts back what its journal names, while the guard
// still ends the program that is in the groups.
func TestKilled(t *testing.T) {
	needController(t, cpusetController, memoryController)
	state := t.TempDir()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "PLINTH_TEST_HELPER=killed", "PLINTH_TEST_STATE="+state)
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	dirs := strings.Fields(line)
	if err != nil || len(dirs) == 0 || !strings.HasPrefix(dirs[0], "/") {
		t.Fatalf("the helper says %q, %v", line, err)
	}
	_ = command.Process.Kill()
	_ = command.Wait()
	leftovers, err := journal.Leftovers(state)
	if err != nil || len(leftovers) != 1 || len(leftovers[0].Entries()) < len(dirs) {
		t.Fatalf("leftovers: %v, %v", leftovers, err)
	}
	defer func() { _ = leftovers[0].Close() }()
	if err := leftovers[0].PutBack(t.Context(), Undoers()); err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", dir, err)
		}
	}
}

// A group that somebody is in is not removed, and they are named; once they have
// ended, it is.
func TestBusy(t *testing.T) {
	needController(t, cpuController)
	j := journaltest.Open(t, Undoers())
	g, err := Make(j, "busy", experiment.Limits{CPUQuota: 0.5}, Where{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := launch.NewLocal().Start(launch.Command{Path: "/bin/sleep", Args: []string{"60"}, Groups: g.Directories()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop() })
	over, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err = g.Remove(over)
	if !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), fmt.Sprint(p.PID())) || hint.Of(err) == "" {
		t.Errorf("removing it says %v (hint %q)", err, hint.Of(err))
	}
	// Of version 2 the controllers that were enabled for it are there, too.
	if e := j.Entries(); len(e) == 0 || e[len(e)-1].Kind != groupKind {
		t.Errorf("the journal holds %v", e)
	}
	go func() { _ = p.Stop() }()
	for range 2 { // a second time is fine
		if err := g.Remove(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if len(j.Entries()) != 0 {
		t.Errorf("the journal holds %v", j.Entries())
	}
}

// The journal may come from anybody who can write in the state directory, or from
// another time: nothing but groups of plinth's is removed.
func TestUndoRefuses(t *testing.T) {
	dir := t.TempDir()
	file := dir + "/plinth-file"
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir+"/plinth-empty", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		`{"path":"` + dir + `/plinth-empty"}`, `{}`, `[]`, `{"path":"plinth-x"}`, `{"path":"` + dir + `"}`, `{"path":"` + file + `"}`,
	} {
		if err := undoGroup(t.Context(), []byte(args)); err == nil {
			t.Errorf("%s was undone", args)
		}
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("a file was removed: %v", err)
	}
	for _, args := range []string{`{}`, `[]`, `{"path":"/sys/fs/cgroup"}`, `{"path":"x","controllers":["cpu"]}`} {
		if err := undoControllers(t.Context(), []byte(args)); err == nil {
			t.Errorf("%s was undone", args)
		}
	}
	if err := undoGroup(t.Context(), []byte(`{"path":"`+dir+`/plinth-gone"}`)); err != nil {
		t.Errorf("a group that is gone: %v", err)
	}
	if err := undoControllers(t.Context(), []byte(`{"path":"`+dir+`/gone","controllers":["cpu"]}`)); err != nil {
		t.Errorf("controllers of a group that is gone: %v", err)
	}
}
