package kernel

import (
	"os"
	"slices"

	"plinth/internal/host/proc"
	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// ownerCounter is a counter metric of an owner.
type ownerCounter struct {
	metric.Metric
	of     int // index into use
	factor float64
}

var ownerCounters = []ownerCounter{
	ownerRate("cpu", "s/s", useCPU, 1e-9, "CPU time of all processes of the owner (server, generator or plinth), including those that exited; to the nanosecond for single-threaded processes, otherwise in steps of 10 ms"),
	ownerRate("user", "s/s", useUser, 1.0/proc.Ticks, "the part of the CPU time spent in user mode; in steps of 10 ms per process"),
	ownerRate("system", "s/s", useSystem, 1.0/proc.Ticks, "the part of the CPU time spent in the kernel; in steps of 10 ms per process"),
	ownerRate("minor_faults", "1/s", useMinor, 1, "page faults that needed no disk read"),
	ownerRate("major_faults", "1/s", useMajor, 1, "page faults that waited for a disk read"),
	ownerRate("read_bytes", "bytes/s", useRead, 1, "bytes read from disks"),
	ownerRate("write_bytes", "bytes/s", useWritten, 1, "bytes of pages dirtied, plus bytes written with direct I/O"),
	ownerRate("run_delay", "s/s", useDelay, 1e-9, "time that the owner's threads were ready to run and waited for a CPU; a wait is counted when it ends"),
}

// ownerGauges are in the order of tree.
var ownerGauges = []metric.Metric{
	ownerGauge("rss_private", "bytes", "private memory, summed over the owner's processes"),
	ownerGauge("rss_shared", "bytes", "shared memory and file pages in memory, of the process that has the most: the owner's processes share these pages, so they are not summed"),
	ownerGauge("processes", "1", "number of processes"),
	ownerGauge("threads", "1", "number of threads, over all processes"),
}

var othersCPU = metric.Metric{Name: "process.others.cpu", Kind: metric.Rate, Unit: "s/s",
	Help: "CPU time that none of the owners used, including that of kernel threads, without steal"}

var processMetrics = from("/proc/PID/stat, schedstat, io, statm", "proc_pid_stat(5), proc_pid_io(5)", ownerMetrics()...)

func ownerMetrics() (all []metric.Metric) {
	for _, c := range ownerCounters {
		all = append(all, c.Metric)
	}
	return append(append(append(all, ownerGauges...), partMetrics...), othersCPU)
}

func ownerRate(name, unit string, of int, factor float64, help string) ownerCounter {
	return ownerCounter{metric.Metric{Name: "process.{owner}." + name, Kind: metric.Rate, Unit: unit, Help: help}, of, factor}
}

func ownerGauge(name, unit, help string) metric.Metric {
	return metric.Metric{Name: "process.{owner}." + name, Kind: metric.Gauge, Unit: unit, Help: help}
}

// owner is a process tree that uses the machine.
type owner struct {
	name     string
	find     func() int
	silent   bool // its time is subtracted from that of others, and not reported
	root     int  // its process id; 0 if there is none
	ended    bool // the root is gone; its id may have been reused
	seen     bool // it has had processes
	old      bool // some processes first seen in this reading had existed before
	total    use  // since the first reading
	counters []telemetry.Slot
	gauges   []telemetry.Slot
	tree
}

// tree is the state of an owner's processes at one moment.
type tree struct {
	private, shared    uint64 // pages
	processes, threads int
	hidden             bool // the I/O counters of some may not be read
	untimed            bool // the kernel does not count how long some wait for a CPU
}

// count adds a process to the tree.
func (t *tree) count(p *process) {
	if p.state == 'Z' {
		return
	}
	t.private += p.private
	t.shared = max(t.shared, p.shared)
	t.processes++
	t.threads += p.threads
	t.hidden = t.hidden || p.hidden
	t.untimed = t.untimed || p.untimed
}

// Reasons why an owner's columns have no value.
const (
	noOwner    = "none of its processes was found"
	firstSight = "its processes existed before they were found"
	notOurs    = "only root can read this for processes of other users"
	notTimed   = "this kernel does not count it, or a process has too many threads"
)

func (o *owner) bind(b *telemetry.Board) {
	for _, c := range ownerCounters {
		o.counters = append(o.counters, b.Column(c.Metric, o.name))
	}
	for _, m := range ownerGauges {
		o.gauges = append(o.gauges, b.Column(m, o.name))
	}
	o.tell(b, noOwner)
}

// tell reports why the owner is missing, or "" when it exists.
func (o *owner) tell(b *telemetry.Board, why string) {
	for _, m := range processMetrics[:len(ownerCounters)+len(ownerGauges)] {
		b.Absent(m, why, o.name)
	}
}

// put puts zeros while no processes exist, because what starts later has used nothing
// before; an owner that never has a process is reported as absent. A non-empty reason is
// put in place of the value: unknownBytes for the byte counters, unknown for the others.
func (o *owner) put(b *telemetry.Board, unknown, unknownBytes string) {
	if o.counters == nil {
		o.bind(b)
	}
	if !o.seen && o.processes > 0 {
		o.seen = true
		o.tell(b, "")
	}
	for i, c := range ownerCounters {
		why := unknown
		switch {
		case c.of == useRead || c.of == useWritten:
			why = unknownBytes
		case c.of == useDelay && o.untimed:
			why = notTimed
		}
		if why != "" {
			b.Unknown(o.counters[i], why)
			continue
		}
		b.Put(o.counters[i], float64(o.total[c.of])*c.factor)
	}
	page := float64(os.Getpagesize())
	b.Put(o.gauges[0], float64(o.private)*page)
	b.Put(o.gauges[1], float64(o.shared)*page)
	b.Put(o.gauges[2], float64(o.processes))
	b.Put(o.gauges[3], float64(o.threads))
}

// adopt makes members of newcomers that are an owner's root, or below one.
func (s *processes) adopt() {
	first := len(s.members)
	for again := true; again; {
		again = false
		s.finder.news = slices.DeleteFunc(s.finder.news, func(n newcomer) bool {
			ours := s.byPID[n.parent] != nil || s.rooted(n.pid) != nil
			if ours {
				s.join(n)
				again = true // its children may precede it in the list
			}
			return ours
		})
	}
	// The others are treated as strangers for a while. Their re-checks are spread over
	// several readings.
	for _, n := range s.finder.news {
		s.finder.strangers[n.pid] = s.finder.looks + strangerFor/2 + n.pid%strangerFor
	}
	for _, p := range s.members[first:] {
		p.old = s.isOld(p)
	}
}

func (s *processes) join(n newcomer) {
	p := newProcess(s.root, n.pid, s.held < s.most, s.buffer)
	p.parent, p.owner = n.parent, s.rooted(n.pid)
	if p.owner == nil {
		p.owner = s.byPID[n.parent].owner
	}
	if p.keep {
		s.held++
	}
	s.byPID[n.pid] = p
	s.members = append(s.members, p)
}

// rooted returns the owner whose root is that process.
func (s *processes) rooted(pid int) *owner {
	for _, o := range s.owners {
		if o.root == pid && !o.ended {
			return o
		}
	}
	return nil
}

// ownerOf returns the owner whose root is the nearest ancestor of a member. A member that
// has lost its parent keeps its owner.
func (s *processes) ownerOf(p *process) *owner {
	for range s.members { // bounded: reused ids could form a cycle
		if o := s.rooted(p.pid); o != nil {
			return o
		}
		parent := s.byPID[p.parent]
		if parent == nil || parent == p {
			break
		}
		p = parent
	}
	return p.owner
}

// isOld reports whether a new member may have existed for long: not so if an ancestor among
// the members was read before.
func (s *processes) isOld(p *process) bool {
	for range s.members {
		parent := s.byPID[p.parent]
		if parent == nil {
			return true
		}
		if parent.known {
			return false
		}
		p = parent
	}
	return true
}

// others is the CPU time of the machine that no owner used.
type others struct {
	used    float64 // by the machine at the last reading, seconds
	begun   bool
	balance float64 // CPU time of the machine minus that of the owners, seconds
	most    float64 // maximum of the balance so far
	owned   uint64  // by all owners at the last reading, nanoseconds
	slot    telemetry.Slot
	bound   bool
}

// put puts the maximum of the balance. The machine counts ticks and owners count
// nanoseconds, so the balance fluctuates by some ticks around the true value; adding up
// only its growth in each second would add up the fluctuations.
func (o *others) put(b *telemetry.Board, machine *stat, owners []*owner, unseen string) {
	if !o.bound {
		o.slot, o.bound = b.Column(othersCPU), true
	}
	if unseen != "" {
		b.Unknown(o.slot, unseen)
		return
	}
	used, known := machine.used()
	if !known {
		b.Unknown(o.slot, "the CPU use of the machine is unknown")
		return
	}
	owned := uint64(0)
	for _, owner := range owners {
		owned += owner.total[useCPU]
	}
	if o.begun {
		o.balance += max(0, used-o.used) - float64(owned-o.owned)/1e9
	}
	o.used, o.owned, o.begun = used, owned, true
	o.most = max(o.most, o.balance)
	b.Put(o.slot, o.most)
}
