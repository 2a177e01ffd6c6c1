package kernel

import (
	"errors"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// cgroup is the source of what a control group uses. Controllers are in one of two
// trees each, so each part finds its own.
type cgroup struct {
	server func() int // the server's process id; 0 while it is not known
	pid    int        // whose groups the tree knows; 0: plinth's own only
	tree   groupTree
	parts  []reader  // of one controller each
	absent []absence // of what could not be opened
	told   bool      // of what is absent, which happens at the first reading
}

// absence is columns that are not there, and why.
type absence struct {
	metrics []metric.Metric
	labels  []string
	why     string
}

var errNoGroup = errors.New("plinth is in no control group that counts anything")

func openCgroup(m *machine) (reader, error) {
	tree, err := readGroupTree(m.Root)
	if err != nil {
		return nil, err
	}
	c := &cgroup{server: m.Owners["server"], tree: tree}
	c.follow()
	c.open()
	if len(c.parts) == 0 {
		return nil, errNoGroup
	}
	return c, nil
}

// open opens the parts of the groups that the tree knows.
func (c *cgroup) open() {
	c.parts, c.absent, c.told = nil, nil, false
	cpu, err := openGroupCPU(c.tree)
	c.add(cpu, err, []metric.Metric{groupUsage, groupThrottled, groupNrThrottled})
	memory, err := openGroupMemory(c.tree)
	c.add(memory, err, []metric.Metric{groupMemory, groupLimit})
	io, err := openGroupIO(c.tree)
	c.add(io, err, groupIO)
	for _, resource := range resources {
		f, err := openGroupPressure(c.tree, resource)
		c.add(f, err, groupPressure, resource)
	}
}

// add adds a part, or why it is not there.
func (c *cgroup) add(part reader, err error, metrics []metric.Metric, labels ...string) {
	if err != nil {
		c.absent = append(c.absent, absence{metrics, labels, why(err)})
		return
	}
	c.parts = append(c.parts, part)
}

func (c *cgroup) close() {
	for _, part := range c.parts {
		part.close()
	}
}

// readTo is in vain only when no part of it could be read: the group was removed.
func (c *cgroup) readTo(b *telemetry.Board) error {
	if c.follow() {
		c.move(b)
	}
	c.tell(b)
	failed := 0
	var err error
	for _, part := range c.parts {
		if e := part.readTo(b); e != nil {
			err = errors.Join(err, e)
			failed++
		}
	}
	if failed == len(c.parts) {
		return err
	}
	return nil
}

// tell tells once what is not there.
func (c *cgroup) tell(b *telemetry.Board) {
	if c.told {
		return
	}
	c.told = true
	for _, a := range c.absent {
		a.tell(b, a.why)
	}
}

func (a absence) tell(b *telemetry.Board, why string) {
	for _, m := range a.metrics {
		b.Absent(m, why, a.labels...)
	}
}

// openGroupPressure is how long work of the group waits for one resource. Version 1
// does not tell it, but on a hybrid machine the tree of version 2 does.
func openGroupPressure(tree groupTree, resource string) (*pressureFile, error) {
	f, err := tree.nearest(tree.unified(), resource+".pressure")
	return &pressureFile{file: f, resource: resource, metrics: groupPressure}, err
}
