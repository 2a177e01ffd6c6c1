package placement

import "time"

// totals returns the figures of the whole layout.
func (s *state) totals() Totals {
	usd, known := s.usd()
	t := Totals{DeviceTime: s.time(), Dollars: Dollars{usd, known}, Commit: duration(s.commit)}
	if s.reads > 0 {
		t.Read = duration(s.reading / s.reads)
	}
	return t
}

func duration(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second)).Round(time.Nanosecond)
}

func (p *problem) load(i int, now, after *state) Load {
	f, capacity := p.figures[i], p.stores[i].Capacity
	l := Load{Store: p.stores[i], After: after.demand[i], Use: f.use(after.demand[i], capacity), Margin: -1}
	l.Dollars = Dollars{after.dollars[i], p.price != nil && !after.unknown[i]}
	if now != nil {
		before := now.demand[i]
		l.Before = &before
	}
	if busiest := max(l.Use.IOPS, l.Use.Throughput, l.Use.Queue); busiest > 0 {
		l.Margin = float64(ShareOfRate) / busiest
	}
	growth := 0.0
	for k, at := range after.layout {
		if at == i {
			growth += p.objects[k].Growth
		}
	}
	if room := float64(capacity)*float64(ShareOfCapacity) - float64(l.After.Size); capacity > 0 && growth > 0 && room > 0 {
		l.Full = duration(min(room/growth, 100*365*24*3600))
	}
	return l
}

// violations lists what the layout exceeds.
func (s *state) violations() []Violation {
	var all []Violation
	add := func(where, what string, used float64) {
		if used > 1+1e-9 {
			all = append(all, Violation{where, what, used})
		}
	}
	for i, store := range s.stores {
		use := s.figures[i].use(s.demand[i], store.Capacity)
		add(store.Name, "the capacity", use.Capacity/float64(ShareOfCapacity))
		add(store.Name, "IOPS", use.IOPS/float64(ShareOfRate))
		add(store.Name, "the throughput", use.Throughput/float64(ShareOfRate))
		add(store.Name, "the queue", use.Queue/float64(ShareOfRate))
		if s.unknown[i] && (s.goal.Budget > 0 || s.goal.Objective == LeastDollars) {
			all = append(all, Violation{Where: store.Name, What: "the unknown price"})
		}
	}
	usd, _ := s.usd()
	if s.goal.Budget > 0 {
		add("", "the budget", usd/s.goal.Budget)
	}
	if target := s.goal.Target.Seconds(); target > 0 {
		add("", "the target for a durable write of the WAL", s.commit/target)
		if s.reads > 0 {
			add("", "the target for the mean read", s.reading/s.reads/target)
		}
	}
	return all
}
