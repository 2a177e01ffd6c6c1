package overssh

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"syscall"
	"testing"
)

// TestCommands runs single commands on another machine.
func TestCommands(t *testing.T) {
	t.Parallel()
	l := newLab(t, "db1")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"inspect", "--on", "ssh://db1", "/tmp/data"}, 0, "data is in memory (tmpfs)"},
		{[]string{"inspect", "/tmp/data", "--json", "--on=ssh://db1"}, 0, `"schema": "plinth/inspect/v1"`},
		{[]string{"inspect", "--on", "ssh://db1", "/nowhere"}, 2, "plinth: "},
		{[]string{"tune", "plan", "ebs-kernel", "--on", "ssh://db1", "--data", "/tmp/data"}, 0, "vm.dirty_ratio"},
		{[]string{"tune", "--on", "ssh://db1"}, 0, ""},
		{[]string{"probe", "--on", "ssh://db1", "--size", "16MiB", "--for", "6s", "/tmp/data"}, 0, "this is memory, not a disk"},
		{[]string{"inspect", "--on", "db1", "/tmp"}, 2, "is not an address of plinth"},
	} {
		said, code := l.plinth(c.args...)
		if code != c.code || !strings.Contains(said, c.want) || strings.Count("\n"+said, "\nplinth: ") > 1 {
			t.Errorf("%v: exit code %d: %s", c.args, code, said)
		}
	}
	l.clean("db1")
}

// TestInterruptCommand checks that Ctrl-C interrupts a command on another machine, and that what it
// prints because of that arrives.
func TestInterruptCommand(t *testing.T) {
	t.Parallel()
	l := newLab(t, "db1")
	cmd := l.command("inspect", "--on", "ssh://db1", "--for", "1h", "/tmp/data")
	var printed bytes.Buffer
	cmd.Stdout = &printed
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(said)
	for line := ""; line != "watching\n"; {
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(lines)
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(printed.String(), "data is in memory (tmpfs)") {
		t.Errorf("exit code %d: %s", code, &printed)
	}
	if want := "\nstopping: the command on ssh://db1 is interrupted\n\nstopping: the results so far follow\n"; string(rest) != want {
		t.Errorf("it says %q, want %q", rest, want)
	}
	l.clean("db1")
}
