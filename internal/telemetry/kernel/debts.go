package kernel

// debts are what a process is going to get, or has got, from members of the trees
// that ended: the kernel adds what they used to whoever waits for them
// (wait_task_zombie). It has been counted once, as theirs, so it must be taken from
// what the heir gets, whenever that comes: the heir may have been read before it
// waited.
type debts struct {
	owed  use // from the reading before
	fresh use // of those that are gone since the last reading
	heirs *owner
}

// inherit tells of a member that is gone.
func (d *debts) inherit(from *process, by *owner) {
	d.fresh.add(from.self)
	d.fresh.add(from.waited)
	d.fresh.add(from.owed)
	if from.owner != by {
		// More than the debt is then the end of somebody else's child, such as that
		// of the server under its guard.
		d.heirs = from.owner
	}
}

// settle is how much of what was got is new, and whose it is. A debt that is not
// paid by the second reading never is: nobody waited.
func (d *debts) settle(got use, own *owner) (use, *owner) {
	debt, whose := d.owed, own
	debt.add(d.fresh)
	if d.heirs != nil {
		whose = d.heirs
	}
	paid := debt.least(got)
	left := debt.since(paid)
	d.owed, d.fresh = left.least(d.fresh), use{}
	if d.owed == (use{}) {
		d.heirs = nil
	}
	return got.since(paid), whose
}
