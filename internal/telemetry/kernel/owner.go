package kernel

import (
	"os"
	"slices"

	"plinth/internal/host/proc"
	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// ownerCounter is a metric of an owner that is a counter.
type ownerCounter struct {
	metric.Metric
	of     int // of use
	factor float64
}

var ownerCounters = []ownerCounter{
	ownerRate("cpu", "s/s", useCPU, 1e-9, "CPU time of all its processes, those that ended included; to the nanosecond for processes of one thread, else in steps of 10 ms"),
	ownerRate("user", "s/s", useUser, 1.0/proc.Ticks, "of that in programs; steps of 10 ms of each process"),
	ownerRate("system", "s/s", useSystem, 1.0/proc.Ticks, "of that in the kernel; steps of 10 ms of each process"),
	ownerRate("minor_faults", "1/s", useMinor, 1, "page faults that needed no disk"),
	ownerRate("major_faults", "1/s", useMajor, 1, "page faults that waited for a disk"),
	ownerRate("read_bytes", "bytes/s", useRead, 1, "bytes read from disks"),
	ownerRate("write_bytes", "bytes/s", useWritten, 1, "bytes of pages made dirty, and written past the page cache"),
}

// ownerGauges are in the order of tree.
var ownerGauges = []metric.Metric{
	ownerGauge("rss_private", "bytes", "memory that its processes share with nobody, summed up"),
	ownerGauge("rss_shared", "bytes", "shared memory and files in memory, of the process that has most: its processes have the same ones"),
	ownerGauge("processes", "1", "its processes"),
	ownerGauge("threads", "1", "threads of all its processes"),
}

var othersCPU = metric.Metric{Name: "process.others.cpu", Kind: metric.Rate, Unit: "s/s",
	Help: "CPU time of the machine that none of the owners used, the kernel's own threads included, without steal"}

var processMetrics = from("/proc/PID/stat, schedstat, io, statm", "proc_pid_stat(5), proc_pid_io(5)", ownerMetrics()...)

func ownerMetrics() (all []metric.Metric) {
	for _, c := range ownerCounters {
		all = append(all, c.Metric)
	}
	return append(append(all, ownerGauges...), othersCPU)
}

func ownerRate(name, unit string, of int, factor float64, help string) ownerCounter {
	return ownerCounter{metric.Metric{Name: "process.{owner}." + name, Kind: metric.Rate, Unit: unit, Help: help}, of, factor}
}

func ownerGauge(name, unit, help string) metric.Metric {
	return metric.Metric{Name: "process.{owner}." + name, Kind: metric.Gauge, Unit: unit, Help: help}
}

// owner is who uses the machine: a tree of processes.
type owner struct {
	name     string
	find     func() int
	silent   bool // its time is taken out of that of others, and told nowhere
	root     int  // its process id; 0 while there is none
	ended    bool // the root is gone; the id may be another's by now
	seen     bool // it has had processes
	old      bool // some that are new in this reading had been there before
	total    use  // since the first reading
	counters []telemetry.Slot
	gauges   []telemetry.Slot
	tree
}

// tree is how an owner's processes are at one moment.
type tree struct {
	private, shared    uint64 // pages
	processes, threads int
	hidden             bool // what some read and write may not be looked at
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
}

// Why an owner's columns have no value.
const (
	noOwner    = "none of its processes was found"
	firstSight = "its processes were there before they were found"
	notOurs    = "processes of other users may be looked at by root only"
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

// tell says why the owner is not there, or "" when it is.
func (o *owner) tell(b *telemetry.Board, why string) {
	for _, m := range processMetrics[:len(processMetrics)-1] {
		b.Absent(m, why, o.name)
	}
}

// put puts zeros while there are no processes, because what begins later has used
// nothing before; but an owner that never has any is told to be absent. Where there
// is a reason why something is not known, that is told: of bytes, and of the rest.
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
		if c.of == useRead || c.of == useWritten {
			why = unknownBytes
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

// adopt makes members of newcomers that are below an owner's root, or are one.
func (s *processes) adopt() {
	first := len(s.members)
	for again := true; again; {
		again = false
		s.finder.news = slices.DeleteFunc(s.finder.news, func(n newcomer) bool {
			ours := s.byPID[n.parent] != nil || s.rooted(n.pid) != nil
			if ours {
				s.join(n)
				again = true // its children may have come before it in the list
			}
			return ours
		})
	}
	// The others are taken for nobody's for a while. They are not all looked at again
	// at once.
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

// rooted is the owner that a process is the root of.
func (s *processes) rooted(pid int) *owner {
	for _, o := range s.owners {
		if o.root == pid && !o.ended {
			return o
		}
	}
	return nil
}

// ownerOf is the owner whose root is nearest above a member. One that has lost its
// parent keeps its owner.
func (s *processes) ownerOf(p *process) *owner {
	for range s.members { // no circle, even if ids were used again
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

// isOld says whether a member that is new may have been there for long: what comes
// from a member that is known, or is new itself, may not.
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
	used    float64 // of the machine at the last reading, seconds
	begun   bool
	balance float64 // what the machine used less what owners did, seconds
	most    float64 // the greatest the balance has been
	owned   uint64  // of all owners at the last reading, nanoseconds
	slot    telemetry.Slot
	bound   bool
}

// put puts the most that the balance has been. The machine counts ticks, and
// owners nanoseconds, so the balance swings by some ticks around what is true; to
// add up only what it grows by in each second would add up the swings.
func (o *others) put(b *telemetry.Board, machine *stat, owners []*owner) {
	if !o.bound {
		o.slot, o.bound = b.Column(othersCPU), true
	}
	used, known := machine.used()
	if !known {
		b.Unknown(o.slot, "how busy the machine was is not known")
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
