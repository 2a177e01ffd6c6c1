package watch

// Rest returns what all processes outside the trees of roots used between two readings. It
// underestimates: the usage of a process that ended is lost unless its parent waited for it.
// A process that started in between counts from zero.
//
// Roots must exist at both readings (plinth's own process does): what a root that ends
// leaves to its parent counts as the parent's. Kernel threads, which write and flush on
// behalf of all processes, are not counted.
func (earlier *Processes) Rest(later *Processes, roots ...int) Tree {
	p := pair{earlier, later, earlier.family(roots...), later.family(roots...)}
	growth := p.growth()
	p.takeBack(growth)
	var sum useSum
	for _, g := range growth {
		sum.add(g)
	}
	return sum.tree()
}

// pair holds two readings and the set of our own processes at each.
type pair struct {
	earlier, later *Processes
	oursThen, ours map[int]bool
}

// stayed reports whether pid is the same process at both readings.
func (p pair) stayed(pid int) bool {
	then, was := p.earlier.byPID[pid]
	now, is := p.later.byPID[pid]
	return was && is && then.started == now.started
}

// growth is the increase in usage of each process, including that of children that it
// waited for.
type growth map[int]processUse

// growth returns the growth of all processes that are not ours. A process of ours remains
// ours when its parent ends.
func (p pair) growth() growth {
	all := growth{}
	for pid, now := range p.later.byPID {
		stayed := p.stayed(pid)
		switch {
		case now.kernel || p.ours[pid] || stayed && p.oursThen[pid]:
		case stayed:
			all[pid] = now.since(p.earlier.byPID[pid])
		default:
			all[pid] = now
		}
	}
	return all
}

// takeBack subtracts what ended processes had used before the earlier reading from the
// process that inherited it: the parent. If the parent ended as well, the heir is an unknown
// ancestor: the usage is taken from the nearest one up to its growth, then from the next. A
// process that was not waited for has no heir; subtracting its usage nevertheless
// underestimates by at most the heir's growth.
func (p pair) takeBack(growth growth) {
	var orphans []processUse
	for pid, then := range p.earlier.byPID {
		switch {
		case p.stayed(pid) || p.oursThen[pid] || then.kernel:
		case p.stayed(then.parent):
			growth.take(then.parent, then)
		default:
			orphans = append(orphans, then)
		}
	}
	for _, orphan := range orphans {
		for _, heir := range p.ancestors(orphan) {
			orphan = growth.take(heir, orphan)
		}
	}
}

// ancestors returns the remaining ancestors of a process, nearest first. The kernel gives
// orphans to one of them (find_new_reaper: a subreaper or init).
func (p pair) ancestors(of processUse) (all []int) {
	for range p.earlier.byPID { // no circle, even if ids were reused while they were read
		if p.stayed(of.parent) {
			all = append(all, of.parent)
		}
		of = p.earlier.byPID[of.parent]
	}
	return all
}

// take subtracts use from the growth of heir and returns the remainder. The heir of a
// process with unknown I/O may have inherited any amount, so its own becomes unknown.
func (g growth) take(heir int, use processUse) (left processUse) {
	grown, there := g[heir]
	if !there {
		return use
	}
	cpu, io := min(grown.cpu, use.cpu), min(grown.io, use.io)
	grown.cpu, use.cpu = grown.cpu-cpu, use.cpu-cpu
	if io < 0 {
		grown.io = -1
	} else {
		grown.io, use.io = grown.io-io, use.io-io
	}
	g[heir] = grown
	return use
}

// since returns u minus then.
func (u processUse) since(then processUse) processUse {
	u.cpu = max(0, u.cpu-then.cpu)
	if u.io < 0 || then.io < 0 {
		u.io = -1
	} else {
		u.io = max(0, u.io-then.io)
	}
	return u
}
