package kernel

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"plinth/internal/telemetry"
)

// processes is the source of what owners use.
type processes struct {
	root   string
	stat   *stat
	owners []*owner

	members []*process // of all owners
	byPID   map[int]*process
	finder  finder
	buffer  []byte // for the files of all
	held    int    // how many processes have files that are held open
	most    int    // how many may

	others   others
	noBytes  string // why bytes are told of nobody; "" when they are
	readings int
}

// mostHeld is how many processes have their four files held open; those of more
// are opened for each reading, which costs about three times as much.
const mostHeld = 256

func openProcesses(m *machine) (reader, error) {
	s := &processes{
		root: m.Root, stat: m.stat, byPID: map[int]*process{}, buffer: make([]byte, 4096),
		most: mostHeld, finder: newFinder(m.Root),
	}
	if _, err := os.Stat(filepath.Join(m.Root, "proc/self/io")); err != nil {
		s.noBytes = "this kernel does not count what processes read and write"
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err == nil {
		s.most = int(min(mostHeld, limit.Cur/16)) // a quarter of what may be open, at four files each
	}
	for _, name := range slices.Sorted(maps.Keys(m.Owners)) {
		s.owners = append(s.owners, &owner{name: name, find: m.Owners[name]})
	}
	if len(m.Idle) > 0 { // a process below plinth's that is no use of the machine
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
	}
	s.bury()
	s.sum()
	for _, o := range s.owners {
		if o.silent {
			continue
		}
		growth, bytes := s.whyNot(o)
		o.put(b, growth, bytes)
	}
	s.others.put(b, s.stat, s.owners)
	s.readings++
	return nil
}

// whyNot is why the growth of an owner's counters is not known this time, and why
// that of bytes is not; "" where it is.
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

// bury tells heirs of members that are gone, and forgets those.
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
		if p.gone {
			s.forget(p)
		}
		return p.gone
	})
}

// heir is the nearest member above that is still there: it waits for all below.
func (s *processes) heir(of *process) *process {
	for range s.members { // no circle, even if ids were used again
		p, member := s.byPID[of.parent]
		if !member || !p.gone {
			return p
		}
		of = p
	}
	return nil
}

func (s *processes) forget(p *process) {
	delete(s.byPID, p.pid)
	p.close()
	if p.keep {
		s.held--
	}
}

// sum adds what members used since the last reading to their owners. One that is
// new counts from its beginning, unless it may have been there before.
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
			o.total.add(p.self.since(p.then.self))
			more, whose := p.settle(p.waited.since(p.then.waited), o)
			whose.total.add(more)
		}
		p.known = true
	}
}
