package host

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
	orphaned := p.takeBack(growth)
	var sum useSum
	for _, g := range growth {
		sum.add(g)
	}
	sum.cpu -= orphaned.cpu
	sum.io -= orphaned.io
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

// growth is what each process of the rest that is there now has used since, and
// all that it got from children that it waited for. One of ours stays ours when
// it loses its parent.
func (p pair) growth() map[int]processUse {
	all := map[int]processUse{}
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
// their parents, who got it. Who lost the parent, too, left it to an ancestor or
// to init: nobody can tell, and it is returned to be taken from the sum.
func (p pair) takeBack(growth map[int]processUse) (orphaned useSum) {
	for pid, then := range p.earlier.byPID {
		if p.stayed(pid) || p.oursThen[pid] || then.kernel {
			continue
		}
		heir, there := growth[then.parent]
		if there && p.stayed(then.parent) {
			growth[then.parent] = heir.since(then)
		} else {
			orphaned.add(then)
		}
	}
	return orphaned
}

// since is the use beyond then, and no less than none: a parent that does not
// wait for its children gets nothing from them.
func (u processUse) since(then processUse) processUse {
	u.cpu = max(0, u.cpu-then.cpu)
	if u.io < 0 || then.io < 0 {
		u.io = -1
	} else {
		u.io = max(0, u.io-then.io)
	}
	return u
}
