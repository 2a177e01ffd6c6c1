package kernel

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"plinth/internal/host/proc"
	"plinth/internal/telemetry"
)

// processes is the source of the owners' resource use.
type processes struct {
	root   string
	apart  bool // plinth did not start the server
	stat   *stat
	owners []*owner

	members []*process // of all owners
	byPID   map[int]*process
	finder  finder
	buffer  []byte // for the files of all processes
	held    int    // how many processes have open files
	most    int    // the limit of held

	parts    parts
	others   others
	noBytes  string // why bytes are not reported for any owner; "" if they are
	readings int
}

// mostHeld is how many processes have their four files kept open; the files of others are
// opened for each reading, which costs about three times as much.
const mostHeld = 256

// serverName is the owner that is the database server.
const serverName = "server"

func openProcesses(m *machine) (reader, error) {
	s := &processes{
		root: m.Root, apart: m.Apart, stat: m.stat, byPID: map[int]*process{}, buffer: make([]byte, 4096),
		most: mostHeld,
		finder: finder{
			root: m.Root, proc: newFile(m.Root, "proc"), entries: make([]byte, 32<<10), strangers: map[int]int{},
		},
	}
	if _, err := os.Stat(filepath.Join(m.Root, "proc/self/io")); err != nil {
		s.noBytes = "this kernel does not count what processes read and write"
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err == nil {
		s.most = int(min(mostHeld, limit.Cur/16)) // a quarter of the file descriptor limit, at four files each
	}
	for _, name := range slices.Sorted(maps.Keys(m.Owners)) {
		s.owners = append(s.owners, &owner{name: name, find: m.Owners[name]})
	}
	if len(m.Idle) > 0 { // a process below plinth's that does not count as use of the machine
		s.owners = append(s.owners, &owner{name: "idle", find: func() int { return m.Idle[0].Process }, silent: true})
	}
	return s, nil
}

func (s *processes) close() {
	s.finder.close()
	for _, p := range s.members {
		p.close()
	}
}

func (s *processes) readTo(b *telemetry.Board) error {
	if err := s.find(); err != nil {
		return err
	}
	for _, p := range s.members {
		p.read()
		if p.owner.name == serverName {
			s.parts.sort(p, s.byPID[p.parent], s.root, s.buffer)
		}
	}
	s.bury()
	s.sum()
	for _, o := range s.owners {
		if o.silent {
			continue
		}
		growth, bytes := s.whyNot(o)
		o.put(b, growth, bytes)
		if o.name == serverName {
			s.parts.put(b, o, growth, bytes)
		}
	}
	s.others.put(b, s.stat, s.owners, s.unseen())
	s.readings++
	return nil
}

// unseen returns why the server's CPU time cannot be distinguished from that of others; "" if it can be.
func (s *processes) unseen() string {
	if s.apart && !slices.ContainsFunc(s.owners, func(o *owner) bool { return o.name == serverName && o.seen }) {
		return "the server's processes are not visible from here"
	}
	return ""
}

// whyNot returns why the growth of an owner's counters is unknown this time, and why that
// of its bytes is; "" if known.
func (s *processes) whyNot(o *owner) (growth, bytes string) {
	if o.old && s.readings > 0 {
		growth = firstSight
	}
	switch {
	case s.noBytes != "":
		bytes = s.noBytes
	case o.hidden:
		bytes = notOurs
	default:
		bytes = growth
	}
	return growth, bytes
}

// bury passes the use of members that are gone to their heirs, and removes them.
func (s *processes) bury() {
	for _, p := range s.members {
		if !p.gone {
			continue
		}
		if p.pid == p.owner.root {
			p.owner.ended = true
		}
		if heir := s.heir(p); heir != nil {
			heir.inherit(p, heir.owner)
		}
	}
	s.members = slices.DeleteFunc(s.members, func(p *process) bool {
		if !p.gone {
			return false
		}
		delete(s.byPID, p.pid)
		p.close()
		if p.keep {
			s.held--
		}
		return true
	})
}

// heir returns the nearest ancestor among the members that still exists: it reaps all
// below.
func (s *processes) heir(of *process) *process {
	for range s.members { // bounded: reused ids could form a cycle
		p, member := s.byPID[of.parent]
		if !member || !p.gone {
			return p
		}
		of = p
	}
	return nil
}

// sum adds what members used since the last reading to their owners. A new member counts
// from its start, unless it may have existed before.
func (s *processes) sum() {
	for _, o := range s.owners {
		o.tree, o.old = tree{}, false
	}
	for _, p := range s.members {
		o := p.owner
		o.count(p)
		switch {
		case !p.known && p.old:
			o.old = true
		default:
			grown := p.self.since(p.then.self)
			o.total.add(grown)
			more, whose := p.settle(p.waited.since(p.then.waited), o)
			whose.total.add(more)
			if o.name == serverName {
				s.parts.add(p, grown, more)
			}
		}
		p.known = true
	}
}

// finder finds new processes by listing /proc. (The alternative, /proc/PID/task/*/children,
// has to be read for each thread of each process, does not exist in every kernel, and omits
// children when others exit, proc_tid_children(5). Listing all of /proc takes 0.6 us a
// process, and is needed only after a fork.)
type finder struct {
	root      string
	proc      file // the directory
	entries   []byte
	forks     uint64      // processes and threads started, at the last listing
	looked    bool        // /proc was listed with forks known
	looks     int         // how many listings
	strangers map[int]int // unrelated processes, and the listing until which they are skipped
	news      []newcomer  // of this listing
}

// newcomer is a process that is not yet known.
type newcomer struct{ pid, parent int }

// strangerFor determines after how many listings a stranger is checked again, because its
// id may have been reused: between half and one and a half times this number.
const strangerFor = 64

func (f *finder) close() { f.proc.close() }

// look lists processes that are neither members nor strangers.
func (f *finder) look(members map[int]*process) error {
	if err := f.proc.open(); err != nil {
		return err
	}
	f.looks++
	f.news = f.news[:0]
	all := 0
	err := list(f.proc.fd, f.entries, func(name []byte) {
		pid, ok := proc.Number(name)
		if !ok || pid > proc.MostID {
			return
		}
		all++
		if members[int(pid)] == nil && f.strangers[int(pid)] < f.looks {
			f.news = append(f.news, newcomer{pid: int(pid)})
		}
	})
	if err != nil {
		return f.proc.failed("list", err)
	}
	if len(f.strangers) > 2*all {
		clear(f.strangers) // most have exited
	}
	f.readParents()
	return nil
}

// readParents sets the parents of the newcomers. One that has exited meanwhile has none,
// and is a stranger.
func (f *finder) readParents() {
	for i := range f.news {
		stat := newFile(f.root, path.Join("proc", strconv.Itoa(f.news[i].pid), "stat"))
		if text, err := stat.readShort(); err == nil {
			if s, err := parseProcessStat(text); err == nil {
				f.news[i].parent = s.parent
			}
		}
		stat.close()
	}
}

// find adopts processes that have started since the last reading.
func (s *processes) find() error {
	changed, owned := false, len(s.members) > 0
	for _, o := range s.owners {
		if root := o.find(); root != o.root {
			o.root, o.ended, changed = root, false, true
		}
		owned = owned || o.root != 0
	}
	if !owned {
		return nil
	}
	f := &s.finder
	forks, known := s.stat.forks()
	if f.looked && known && forks == f.forks && !changed {
		return nil // nothing was forked
	}
	if changed { // a stranger may belong to an owner now
		clear(f.strangers)
	}
	if err := f.look(s.byPID); err != nil {
		return err
	}
	f.forks, f.looked = forks, known
	s.adopt()
	if changed { // a process first counted as a child of plinth may now be known to be a server
		for _, p := range s.members {
			p.owner = s.ownerOf(p)
		}
	}
	return nil
}
