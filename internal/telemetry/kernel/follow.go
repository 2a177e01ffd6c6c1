package kernel

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
)

// follower knows the control groups of the server.
type follower struct {
	server func() int // the server's process id; 0 while it is not known
	pid    int        // whose groups the tree holds; 0: only plinth's own
	tree   groupTree
}

// otherGroup is the reason given when counters restart.
const otherGroup = "another control group was read before: the server was not yet known, or it was a different one"

// follow reads the server's groups when its process id changes, and reports whether they
// differ from those being read. When the server's process is no longer known, its groups
// are kept: its successor will be in them.
func (f *follower) follow() bool {
	if f.server == nil {
		return false
	}
	pid := f.server()
	if pid == 0 || pid == f.pid {
		return false
	}
	text, err := os.ReadFile(filepath.Join(f.tree.root, "proc", strconv.Itoa(pid), "cgroup"))
	if err != nil {
		return false // it has exited; the next one has another id
	}
	before := cmp.Or(f.tree.server, f.tree.own)
	f.pid, f.tree.server = pid, string(text)
	return f.tree.server != before
}
