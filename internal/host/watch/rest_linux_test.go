package watch

import (
	"testing"

	"plinth/internal/host/proc"

	"pgregory.net/rapid"
)

// processesOf builds a reading; children follow from the parents.
func processesOf(all map[int]processUse) *Processes {
	p := &Processes{all, map[int][]int{}}
	for pid, use := range all {
		p.children[use.parent] = append(p.children[use.parent], pid)
	}
	return p
}

// use is a process that began with its id as the time; 1 tick is 10 ms.
func use(pid, parent int, cpu, io int64) processUse {
	return processUse{parent: parent, started: uint64(pid), cpu: cpu, io: io}
}

func TestTree(t *testing.T) {
	p := processesOf(map[int]processUse{
		1: use(1, 0, 1000, 1), 10: use(10, 1, 100, 2), 11: use(11, 10, 10, 4), 12: use(12, 11, 1, 8),
		20: use(20, 1, 5000, 16), 30: use(30, 1, 7, -1), 31: use(31, 30, 3, 32), 40: use(40, 1, 1, -1),
	})
	for pid, want := range map[int]Tree{
		10: {CPU: 1.11, IO: 14},
		12: {CPU: 0.01, IO: 8},
		30: {CPU: 0.1, IO: 32, Hidden: 1},
		40: {CPU: 0.01, IO: -1, Hidden: 1},
		99: {IO: -1},
	} {
		if got := p.Tree(pid); got != want {
			t.Errorf("tree of %d: %+v, want %+v", pid, got, want)
		}
	}
}

// plinth is 10 with its server 11; 1 is init, 20 a shell of somebody else.
func TestRest(t *testing.T) {
	type all = map[int]processUse
	then := all{
		1: use(1, 0, 1000, 100), 2: {started: 2, kernel: true, cpu: 500, io: -1},
		10: use(10, 1, 100, 100), 11: use(11, 10, 100, 100), 20: use(20, 1, 300, 300),
	}
	for name, c := range map[string]struct {
		then, now all // what is beyond the common processes; a cpu of -1 is one that went
		want      Tree
	}{
		"nothing happens":                   {nil, nil, Tree{}},
		"somebody else works":               {nil, all{20: use(20, 1, 350, 400)}, Tree{CPU: 0.5, IO: 100}},
		"only plinth works":                 {nil, all{10: use(10, 1, 900, 900), 11: use(11, 10, 900, 900)}, Tree{}},
		"the kernel works":                  {nil, all{2: {started: 2, kernel: true, cpu: 9000, io: 9000}}, Tree{}},
		"one comes":                         {nil, all{21: use(21, 20, 40, 50)}, Tree{CPU: 0.4, IO: 50}},
		"plinth starts one":                 {nil, all{12: use(12, 11, 40, 50)}, Tree{}},
		"one comes and goes, waited for":    {nil, all{20: use(20, 1, 340, 350)}, Tree{CPU: 0.4, IO: 50}},
		"one goes and was waited for":       {all{21: use(21, 20, 40, 50)}, all{21: {cpu: -1}, 20: use(20, 1, 350, 360)}, Tree{CPU: 0.1, IO: 10}},
		"one goes, not waited for":          {all{21: use(21, 20, 40, 50)}, all{21: {cpu: -1}}, Tree{}},
		"that hides nobody else's work":     {all{21: use(21, 20, 4000, 5000)}, all{21: {cpu: -1}, 1: use(1, 0, 1030, 120)}, Tree{CPU: 0.3, IO: 20}},
		"a family goes, to init":            {all{21: use(21, 20, 40, 50), 22: use(22, 21, 60, 70)}, all{21: {cpu: -1}, 22: {cpu: -1}, 1: use(1, 0, 1065, 175), 20: use(20, 1, 350, 360)}, Tree{CPU: 0.15, IO: 15}},
		"a family vanishes, others work":    {all{21: use(21, 1, 4000, 5000), 22: use(22, 21, 6000, 7000)}, all{21: {cpu: -1}, 22: {cpu: -1}, 20: use(20, 1, 330, 330)}, Tree{CPU: 0.3, IO: 30}},
		"a hidden orphan hides its heirs":   {all{21: use(21, 20, 1, 1), 22: use(22, 21, 10, -1)}, all{21: {cpu: -1}, 22: {cpu: -1}, 1: use(1, 0, 1016, 999), 20: use(20, 1, 300, 999)}, Tree{CPU: 0.06, IO: -1, Hidden: 2}},
		"an id is used again":               {all{21: use(21, 20, 4000, 5000)}, all{21: {parent: 1, started: 99, cpu: 30, io: 20}}, Tree{CPU: 0.3, IO: 20}},
		"one of ours loses its parent":      {all{12: use(12, 11, 10, 10)}, all{11: {cpu: -1}, 12: use(12, 1, 990, 990)}, Tree{}},
		"one of ours goes, waited for":      {all{12: use(12, 11, 10, 10)}, all{12: {cpu: -1}, 11: use(11, 10, 130, 130), 20: use(20, 1, 305, 320)}, Tree{CPU: 0.05, IO: 20}},
		"one that hides, works":             {all{21: use(21, 20, 10, -1)}, all{21: use(21, 20, 20, -1), 20: use(20, 1, 300, 330)}, Tree{CPU: 0.1, IO: 30, Hidden: 1}},
		"one that hid goes, and hides more": {all{21: use(21, 20, 10, -1)}, all{21: {cpu: -1}, 20: use(20, 1, 315, 999)}, Tree{CPU: 0.05, IO: 0, Hidden: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := merge(then, c.then).Rest(merge(then, c.then, c.now), 10); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func merge(layers ...map[int]processUse) *Processes {
	all := map[int]processUse{}
	for _, layer := range layers {
		for pid, u := range layer {
			all[pid] = u
			if u.cpu < 0 {
				delete(all, pid)
			}
		}
	}
	return processesOf(all)
}

// Whatever processes do, come, go, are waited for or left to init: Rest is never
// more than was done.
func TestRestErrsOnTheLowSide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := world{map[int]processUse{1: use(1, 0, 5, 5)}, map[int]bool{1: true}, 2, 0}
		w.live(t, "work", "fork")
		earlier := merge(w.all)
		w.done = 0
		if rapid.Bool().Draw(t, "all are waited for") {
			w.live(t, "end", "end", "end", "work", "fork")
		} else {
			w.live(t, "end", "vanish", "work", "fork")
		}
		got := earlier.Rest(merge(w.all))
		if want := float64(w.done) / proc.Ticks; got.CPU > want+1e-9 || got.IO > w.done {
			t.Fatalf("%+v of %d ticks", got, w.done)
		}
	})
}

// world is a machine in which every tick of CPU time is a byte of io, too.
type world struct {
	all        map[int]processUse
	subreapers map[int]bool
	next       int
	done       int64 // ticks
}

func (w *world) live(t *rapid.T, events ...string) {
	for range rapid.IntRange(0, 20).Draw(t, "many") {
		pid := rapid.SampledFrom(w.pids()).Draw(t, "pid")
		switch rapid.SampledFrom(events).Draw(t, "event") {
		case "work":
			n := rapid.Int64Range(1, 50).Draw(t, "ticks")
			w.give(pid, n)
			w.done += n
		case "fork":
			w.all[w.next] = use(w.next, pid, 0, 0)
			w.subreapers[w.next] = rapid.Bool().Draw(t, "subreaper")
			w.next++
		case "end":
			w.end(pid, true)
		case "vanish":
			w.end(pid, false)
		}
	}
}

func (w *world) give(pid int, n int64) {
	u := w.all[pid]
	u.cpu, u.io = u.cpu+n, u.io+n
	w.all[pid] = u
}

// end leaves the children to the nearest subreaper, and the use to the parent
// that waits.
func (w *world) end(pid int, waited bool) {
	if pid == 1 {
		return
	}
	gone := w.all[pid]
	delete(w.all, pid)
	reaper := gone.parent
	for !w.subreapers[reaper] {
		reaper = w.all[reaper].parent
	}
	for child, u := range w.all {
		if u.parent == pid {
			u.parent = reaper
			w.all[child] = u
		}
	}
	if waited {
		w.give(gone.parent, gone.cpu)
	}
}

func (w *world) pids() (pids []int) {
	for pid := 1; pid < w.next; pid++ {
		if _, there := w.all[pid]; there {
			pids = append(pids, pid)
		}
	}
	return pids
}
