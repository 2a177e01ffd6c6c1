package kernel

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"

	"plinth/internal/telemetry"
)

// otherGroup is why counters began anew.
const otherGroup = "another control group was read until then: the server was not known yet, or was another"

// follow learns the groups of the server when it is another process than before, and
// says whether these may be others than those that are read. Who is known no more
// leaves its groups behind: the one that is started in its place will be in them.
func (c *cgroup) follow() bool {
	if c.server == nil {
		return false
	}
	pid := c.server()
	if pid == 0 || pid == c.pid {
		return false
	}
	text, err := os.ReadFile(filepath.Join(c.tree.root, "proc", strconv.Itoa(pid), "cgroup"))
	if err != nil {
		return false // it has ended; the next one has another id
	}
	before := cmp.Or(c.tree.server, c.tree.own)
	c.pid, c.tree.server = pid, string(text)
	return c.tree.server != before
}

// move goes on with the groups that the tree knows by now. Where a column is not
// there any more it has never been: it would be that of two groups.
func (c *cgroup) move(b *telemetry.Board) {
	c.close()
	for _, a := range c.absent {
		a.tell(b, "")
	}
	c.open()
	b.Anew(otherGroup)
}
