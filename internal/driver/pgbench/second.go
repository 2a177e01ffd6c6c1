package pgbench

// second is one second of a run while transactions for it may still arrive.
type second struct {
	parts []part // one for each script
	// frozen is set once its first latencies were moved to the attic.
	frozen bool
}

// part is one script's share of a second.
type part struct {
	sums
	tally tally
	stash []stashed // what the attic holds of it
}

// second returns or opens the second with number at, which must not precede the first open
// one.
func (l *ledger) second(at int64) (*second, error) {
	for int64(len(l.open)) <= at-l.first {
		l.open = append(l.open, l.fresh())
		if n := len(l.open) - openSeconds; n > 0 {
			if err := l.freeze(l.open[n-1]); err != nil {
				return nil, err
			}
		}
	}
	return l.open[at-l.first], nil
}

func (l *ledger) fresh() *second {
	if n := len(l.unused); n > 0 {
		s := l.unused[n-1]
		l.unused = l.unused[:n-1]
		return s
	}
	return &second{parts: make([]part, l.scripts)}
}

// freeze moves a second's latencies to the attic.
func (l *ledger) freeze(s *second) error {
	s.frozen = true
	for i := range s.parts {
		if err := l.stash(&s.parts[i]); err != nil {
			return err
		}
	}
	return nil
}

func (l *ledger) stash(p *part) error {
	l.scratch.Reset()
	p.tally.pour(l.scratch)
	if p.tally.many != nil {
		l.scratch.Merge(p.tally.many)
	}
	p.tally.release(&l.spare)
	if l.scratch.Total() == 0 {
		return nil
	}
	at, err := l.attic.put(l.scratch)
	p.stash = append(p.stash, at)
	return err
}

// lateLatencies is how many latencies for a frozen second are kept in memory before they
// move to the attic, too.
const lateLatencies = 512

// addLate counts a latency for a frozen second. It does not use a spare list: those are as
// long as a busy second.
func (l *ledger) addLate(p *part, micros uint32) error {
	p.tally.few = append(p.tally.few, micros)
	if len(p.tally.few) < lateLatencies {
		return nil
	}
	return l.stash(p)
}

// closeUntil closes the seconds that have ended by a given time of the log.
func (l *ledger) closeUntil(end int64) error {
	for len(l.open) > 0 && l.start()+(l.first+1)*micro <= end {
		if err := l.closeFirst(micro); err != nil {
			return err
		}
	}
	return nil
}

// closeFirst writes the first open second, of which length microseconds belong to the run.
func (l *ledger) closeFirst(length int64) error {
	s := l.open[0]
	l.page.open(l.first, length)
	for i := range s.parts {
		if err := l.closePart(i, &s.parts[i]); err != nil {
			return err
		}
	}
	l.page.close()
	// Only now: the page reads the percentiles of a single script from its histogram.
	for i := range s.parts {
		p := &s.parts[i]
		p.tally.release(&l.spare)
		p.sums, p.stash = sums{}, p.stash[:0]
	}
	l.open = l.open[1:]
	l.first++
	s.frozen = false
	if len(l.unused) < maxSpares {
		l.unused = append(l.unused, s)
	}
	return nil
}

func (l *ledger) closePart(script int, p *part) error {
	c := p.tally.many
	if c == nil {
		c = l.scratch
		c.Reset()
		p.tally.pour(c)
	}
	for _, at := range p.stash {
		if err := l.attic.get(at, c); err != nil {
			return err
		}
	}
	l.page.script(script, &p.sums, c)
	return nil
}
