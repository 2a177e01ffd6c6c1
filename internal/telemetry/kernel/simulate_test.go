//go:build linux

package kernel

import (
	"maps"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// kin is a process of a simulated tree, as the kernel keeps it.
type kin struct {
	parent      int
	own, waited uint64
	zombie      bool
}

// simulation is a tree in which processes start, work, exit and are reaped.
type simulation struct {
	*fakeTree
	r    *rapid.T
	all  map[int]*kin
	next int
	used uint64 // by all, reaped processes included
	sums map[string]float64
}

func (s *simulation) pick(what string, ok func(pid int, k *kin) bool) int {
	var pids []int
	for _, pid := range slices.Sorted(maps.Keys(s.all)) {
		if ok(pid, s.all[pid]) {
			pids = append(pids, pid)
		}
	}
	if len(pids) == 0 {
		return 0
	}
	return rapid.SampledFrom(pids).Draw(s.r, what)
}

func alive(_ int, k *kin) bool { return !k.zombie }

func (s *simulation) childless(pid int, k *kin) bool {
	for _, other := range s.all {
		if other.parent == pid {
			return false
		}
	}
	return pid != 10 && !k.zombie
}

func (s *simulation) fork() {
	if parent := s.pick("parent", alive); len(s.all) < 8 {
		s.all[s.next] = &kin{parent: parent}
		s.next++
	}
}

func (s *simulation) work() {
	n := rapid.Uint64Range(1, 50).Draw(s.r, "ticks")
	s.all[s.pick("worker", alive)].own += n
	s.used += n
}

func (s *simulation) end() {
	if pid := s.pick("end", s.childless); pid != 0 {
		s.all[pid].zombie = true
	}
}

func (s *simulation) wait() {
	pid := s.pick("wait", func(_ int, k *kin) bool { return k.zombie })
	if pid == 0 {
		return
	}
	dead := s.all[pid]
	s.all[dead.parent].waited += dead.own + dead.waited
	delete(s.all, pid)
	s.gone(pid)
}

// look reads, and checks that what owners used is what was used, to the tick.
func (s *simulation) look() {
	for pid, k := range s.all {
		s.is(pid, k.parent, k.own, k.waited)
	}
	s.mustRead()
	sum := uint64(0)
	for _, o := range s.source.owners {
		sum += o.total[useCPU]
		if now := float64(o.total[useCPU]); now < s.sums[o.name] {
			s.r.Fatalf("%s went back from %v to %v", o.name, s.sums[o.name], now)
		} else {
			s.sums[o.name] = now
		}
	}
	if sum != s.used*tick {
		s.r.Fatalf("owners used %d ticks, and %d were used", sum/tick, s.used)
	}
}

// TestNothingIsLost checks that whatever processes do, no use is lost or counted twice.
func TestNothingIsLost(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		root, err := os.MkdirTemp(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		plinth, server := 10, 12
		f := newTree(t, root, map[string]*int{"plinth": &plinth, "server": &server})
		s := &simulation{f, r, map[int]*kin{10: {own: 5, waited: 9}, 11: {parent: 10, own: 3}, 12: {parent: 11, own: 4, waited: 1}}, 13, 0, map[string]float64{}}
		s.all[10].parent = 1
		s.look()
		r.Repeat(map[string]func(*rapid.T){
			"fork": func(*rapid.T) { s.fork() }, "work": func(*rapid.T) { s.work() },
			"end": func(*rapid.T) { s.end() }, "wait": func(*rapid.T) { s.wait() }, "look": func(*rapid.T) { s.look() },
		})
		s.look()
	})
}
