package perf

import (
	"errors"
	"fmt"
	"syscall"
)

// Set counts events of all processes on some CPUs, summed up over the CPUs.
type Set struct {
	kernel  kernel
	groups  []group
	counts  map[string]*Count
	missing map[string]*Error
	buffer  []byte
}

// kernel opens and reads events. Handles are file descriptors.
type kernel interface {
	// open opens an event on a CPU, in the group of another one or, with leader -1, as the leader
	// of a new group, which does not count yet.
	open(e Event, cpu, leader int) (handle int, err error)
	// start starts a group.
	start(leader int) error
	read(leader int, buffer []byte) (n int, err error)
	close(handle int)
}

// Open starts to count events on CPUs, of which there is at least one. The events of a group are
// counted at the same time, if the processor can do that, so that a ratio of two of them is exact. An
// event that cannot be counted on each of the CPUs is missing (see Missing). If none can be counted,
// the error is an *Error with the first reason.
func Open(cpus []int, groups ...[]Event) (*Set, error) {
	k, err := openKernel()
	if err != nil {
		return nil, err
	}
	return openSet(k, cpus, groups)
}

func openSet(k kernel, cpus []int, groups [][]Event) (*Set, error) {
	missing := map[string]*Error{}
	var first *Error
	for { // each time without the events that failed on a CPU
		s := &Set{kernel: k, counts: map[string]*Count{}, missing: missing}
		failed, err := s.open(cpus, groups)
		if err != nil {
			s.Close()
			return nil, err
		}
		if failed == nil && len(s.counts) > 0 {
			s.buffer = make([]byte, header+8*len(s.counts))
			return s, nil
		}
		s.Close()
		switch {
		case failed != nil:
		case first != nil:
			return nil, &Error{"events of the processor", first.CPU, first.Err}
		default:
			return nil, errors.New("there is no event to count, or no CPU to count it on")
		}
		for _, e := range failed {
			if first == nil {
				first = e
			}
			missing[e.Event] = e
		}
	}
}

// open opens all events that are not missing, CPU by CPU, and returns the failures of the first CPU
// that has any.
func (s *Set) open(cpus []int, groups [][]Event) (failed []*Error, err error) {
	for _, cpu := range cpus {
		for _, events := range groups {
			failed = append(failed, s.openGroup(cpu, events)...)
		}
		if failed != nil {
			return failed, nil
		}
	}
	for i := range s.groups {
		if err := s.kernel.start(s.groups[i].leader()); err != nil {
			return nil, fmt.Errorf("cannot start counting events of the processor: %w", err)
		}
	}
	return nil, nil
}

// openGroup opens events on a CPU as one group, or, where that does not fit into the counters, as
// several.
func (s *Set) openGroup(cpu int, events []Event) (failed []*Error) {
	var g group
	for _, e := range events {
		if s.missing[e.Name] != nil {
			continue
		}
		leader := -1
		if len(g.handles) > 0 {
			leader = g.handles[0]
		}
		handle, err := s.kernel.open(e, cpu, leader)
		if errors.Is(err, syscall.EINVAL) && leader >= 0 { // the group does not fit
			if handle, err = s.kernel.open(e, cpu, -1); err == nil {
				s.add(g)
				g = group{}
			}
		}
		if err != nil {
			failed = append(failed, &Error{e.Name, cpu, err})
			continue
		}
		if s.counts[e.Name] == nil {
			s.counts[e.Name] = &Count{}
		}
		g.handles = append(g.handles, handle)
		g.members = append(g.members, member{count: s.counts[e.Name]})
	}
	s.add(g)
	return failed
}

func (s *Set) add(g group) {
	if len(g.handles) > 0 {
		g.values = make([]uint64, len(g.handles))
		s.groups = append(s.groups, g)
	}
}

// Missing returns why an event is not counted; nil if it is.
func (s *Set) Missing(e Event) *Error { return s.missing[e.Name] }

// Read takes a reading of all events. On an error, counts are those of earlier readings.
func (s *Set) Read() error {
	for _, c := range s.counts {
		c.begin()
	}
	for i := range s.groups {
		g := &s.groups[i]
		n, err := s.kernel.read(g.leader(), s.buffer)
		if err == nil && n == 0 {
			err = errStopped
		}
		if err != nil {
			return fmt.Errorf("cannot read events of the processor: %w", err)
		}
		if err := g.take(s.buffer[:n]); err != nil {
			return err
		}
	}
	for _, c := range s.counts {
		c.end()
	}
	return nil
}

// Count returns the last reading of an event that is not missing.
func (s *Set) Count(e Event) Count { return *s.counts[e.Name] }

// errStopped is the error of an event that the kernel disabled: read(2) then returns 0 bytes.
var errStopped = errors.New("the kernel no longer counts them")

// Close stops counting.
func (s *Set) Close() {
	for _, g := range s.groups {
		for i := len(g.handles); i > 0; i-- { // the leader last: its group ends with it
			s.kernel.close(g.handles[i-1])
		}
	}
	s.groups = nil
}

// group is events that are counted together on one CPU. Their handles begin with the leader's.
type group struct {
	handles []int
	members []member
	values  []uint64
}

// member is an event of a group.
type member struct {
	meter
	count *Count // its sum over all CPUs
}

func (g *group) leader() int { return g.handles[0] }

// take adds a reading to the counts.
func (g *group) take(data []byte) error {
	times, err := Decode(data, g.values)
	if err != nil {
		return err
	}
	for i := range g.members {
		m := &g.members[i]
		waiting, back := m.add(sample{g.values[i], times})
		m.count.add(m.total, times, waiting, back)
	}
	return nil
}
