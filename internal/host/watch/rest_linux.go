package watch

// Rest is what all processes outside of the trees of roots used between two
// readings. It errs on the low side: a process that came in between counts from
// zero, and the use of one that went is lost unless its parent waited for it.
//
// Roots must be there at both readings (plinth's own process id is): what one
// that ends leaves to its parent counts as the parent's. The kernel's own
// threads, which write and flush for everybody, count nowhere.
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

// pair is two readings, and whose processes are ours at each.
type pair struct {
	earlier, later *Processes
	oursThen, ours map[int]bool
}

// stayed says whether pid is the same process at both readings.
func (p pair) stayed(pid int) bool {
	then, was := p.earlier.byPID[pid]
	now, is := p.later.byPID[pid]
	return was && is && then.started == now.started
}

// growth is by how much the use of each process has grown, what it got from
// children that it waited for included.
type growth map[int]processUse

// growth is that of the rest. One of ours stays ours when it loses its parent.
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

// takeBack takes what those who went had used before the earlier reading from
// those who got it. That is the parent. Who lost the parent as well, left it to
// an ancestor, and nobody can tell which: it is taken from the nearest as far as
// that has grown, then from the next. Who was not waited for left it to nobody;
// taking it all the same errs on the low side, by no more than the heir's growth.
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

// ancestors are those of a process that are still there, nearest first. The
// kernel gives orphans to one of them (find_new_reaper: a subreaper or init).
func (p pair) ancestors(of processUse) (all []int) {
	for range p.earlier.byPID { // no circle, even if ids were reused while they were read
		if p.stayed(of.parent) {
			all = append(all, of.parent)
		}
		of = p.earlier.byPID[of.parent]
	}
	return all
}

// take takes use from what heir has grown, and returns what it could not. An heir
// of who was hidden may have got anything, and is hidden from then on.
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

// since is the use beyond then.
func (u processUse) since(then processUse) processUse {
	u.cpu = max(0, u.cpu-then.cpu)
	if u.io < 0 || then.io < 0 {
		u.io = -1
	} else {
		u.io = max(0, u.io-then.io)
	}
	return u
}
