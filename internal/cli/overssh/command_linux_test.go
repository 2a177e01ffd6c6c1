package overssh

import (
	"strings"
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
