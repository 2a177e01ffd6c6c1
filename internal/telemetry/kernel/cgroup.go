package kernel

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// cgroup is the source of a control group's resource use. Each controller may be in either
// of two hierarchies, so each part finds its own.
type cgroup struct {
	server func() int // the server's process id; 0 while it is not known
	pid    int        // whose groups the tree holds; 0: only plinth's own
	tree   groupTree
	idle   idlers
	parts  []reader  // one controller each
	absent []absence // what could not be opened
	told   bool      // the first reading has reported what is absent
}

// absence is a set of columns that are missing, and why.
type absence struct {
	metrics []metric.Metric
	labels  []string
	why     string
}

var errNoGroup = errors.New("neither plinth's control group nor the server's has counters")

func openCgroup(m *machine) (reader, error) {
	tree, err := readGroupTree(m.Root)
	if err != nil {
		return nil, err
	}
	c := &cgroup{server: m.Owners["server"], tree: tree, idle: newIdlers(m.Root, m.Idle)}
	c.follow()
	if m.Apart && !c.tree.sees() {
		return nil, errors.New("the server's control group is not visible from here")
	}
	c.open()
	if len(c.parts) == 0 {
		return nil, errNoGroup
	}
	return c, nil
}

// open opens the parts for the current groups of the tree.
func (c *cgroup) open() {
	c.parts, c.absent, c.told = nil, nil, false
	cpu, err := openGroupCPU(c.tree, c.idle)
	c.add(cpu, err, []metric.Metric{groupUsage, groupThrottled, groupNrThrottled})
	memory, err := openGroupMemory(c.tree)
	c.add(memory, err, []metric.Metric{groupMemory, groupLimit})
	io, err := openGroupIO(c.tree)
	c.add(io, err, groupIO)
	for _, resource := range resources { // version 1 has none; a hybrid system has them in its version 2 hierarchy
		f, err := c.tree.nearest(c.tree.unified(), resource+".pressure")
		awake := err == nil && resource == "cpu" && len(c.idle.in(c.tree.holds("", f))) > 0
		c.add(&pressureFile{file: f, resource: resource, metrics: groupPressure, awake: awake}, err, groupPressure, resource)
	}
}

// add adds a part, or records why it is missing.
func (c *cgroup) add(part reader, err error, metrics []metric.Metric, labels ...string) {
	if err != nil {
		c.absent = append(c.absent, absence{metrics, labels, why(err)})
		return
	}
	c.parts = append(c.parts, part)
}

func (c *cgroup) close() {
	c.idle.close()
	for _, part := range c.parts {
		part.close()
	}
}

// readTo fails only if no part could be read: the group was removed.
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

// tell reports missing columns once.
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

// otherGroup is the reason given when counters restart.
const otherGroup = "another control group was read before: the server was not yet known, or it was a different one"

// follow reads the server's groups when its process id changes, and reports whether they
// differ from those being read. When the server's process is no longer known, its groups
// are kept: its successor will be in them.
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
		return false // it has exited; the next one has another id
	}
	before := cmp.Or(c.tree.server, c.tree.own)
	c.pid, c.tree = pid, c.tree.seeing(string(text))
	return c.tree.server != before
}

// move switches to the groups that the tree holds now. A column that is missing there is
// reported as always missing: otherwise it would mix two groups.
func (c *cgroup) move(b *telemetry.Board) {
	c.close()
	for _, a := range c.absent {
		a.tell(b, "")
	}
	c.open()
	b.Anew(otherGroup)
}

// The metrics of the server's control groups. For a controller in which the server has no
// separate group they are those of plinth's group, which includes the processes plinth
// starts.
var (
	groupUsage       = groupRate("cpu.usage", "s/s", "CPU time of the group, without plinth's threads that keep CPUs awake; in version 1, this is the group in the cpuacct controller, which can differ from the one in the cpu controller")
	groupThrottled   = groupRate("cpu.throttled", "s/s", "time for which CPU quotas throttled the group or one of its ancestors, summed over CPUs")
	groupNrThrottled = groupRate("cpu.nr_throttled", "1/s", "periods in which the group or one of its ancestors used up its CPU quota")
	groupMemory      = metric.Metric{Name: "cgroup.memory.current", Kind: metric.Gauge, Unit: "bytes",
		Help: "memory of the group, including its page cache" + whoseGroup}
	groupLimit = metric.Metric{Name: "cgroup.memory.limit", Kind: metric.Gauge, Unit: "bytes",
		Help: "the lowest memory limit of the group and its ancestors" + whoseGroup}
	groupIO = []metric.Metric{ // in the order of ioSum
		groupRate("io.read_bytes", "bytes/s", "bytes that the group read from disks; of stacked devices, only the lowest counts; if the group has no I/O counters, those of its nearest ancestor that has them"),
		groupRate("io.write_bytes", "bytes/s", "bytes that the group wrote; in version 1, without later write-back from the page cache"),
		groupRate("io.reads", "1/s", "read operations of the group"),
		groupRate("io.writes", "1/s", "write operations of the group"),
	}
	groupPressure = from("cgroup v2: {cpu,io,memory}.pressure", "Documentation/admin-guide/cgroup-v2.rst",
		groupRate("pressure.{resource}.some", "s/s", "time that at least one thread of the group waited for the resource: cpu, io, memory"),
		groupRate("pressure.{resource}.full", "s/s", "time that all non-idle threads of the group waited for the resource at once"),
	)
	cgroupMetrics = slices.Concat(
		from("cgroup v2: cpu.stat; v1: cpuacct.usage, cpu.stat", "cgroups(7)", groupUsage, groupThrottled, groupNrThrottled),
		from("cgroup v2: memory.current, memory.max; v1: memory.usage_in_bytes, memory.limit_in_bytes", "cgroups(7)", groupMemory, groupLimit),
		from("cgroup v2: io.stat; v1: blkio.throttle.io_service_bytes, io_serviced", "cgroups(7)", groupIO...),
		groupPressure,
	)
)

func groupRate(name, unit, help string) metric.Metric {
	return metric.Metric{Name: "cgroup." + name, Kind: metric.Rate, Unit: unit, Help: help + whoseGroup}
}

// whoseGroup is the end of the help text of each metric above.
const whoseGroup = " (the group is the server's, or plinth's own if the server has none)"
