package prediction

import (
	"plinth/internal/device"
	"plinth/internal/prediction/closed"
	"plinth/internal/prediction/demand"
	"plinth/internal/unit"
)

// emptied returns the second from the beginning of the load at which the burst of a disk would end, from what the
// transactions use of it while bursts last; 0 if none would. Change is the ratio of their throughput to that of the
// reference.
func (r *Reference) emptied(s closed.System, now closed.Result, change float64) (first float64) {
	tps := r.models[0].reference.tps * change
	for _, u := range r.uses(s, now) {
		one, members := u.device.Member(), disks(u.device)
		operations := corrected(u.now.Operations, u.then.Operations, u.measured.Operations) / members
		bytes := corrected(u.now.Bytes-u.wal, u.then.Bytes-u.walThen, u.measured.Bytes-u.walThen) / members
		for _, end := range []float64{
			emptyAt(one.IOPS, tps, func(n float64) float64 { return n * operations }),
			emptyAt(one.Throughput.Limit(), tps, func(n float64) float64 {
				if u.wal > 0 {
					return n * (bytes + r.level()*r.Images.Between(0, n))
				}
				return n * bytes
			}),
		} {
			if end > 0 && (first == 0 || end < first) {
				first = end
			}
		}
	}
	return first
}

// level is the WAL of a transaction of the reference, in proportion to Images, which is of all numbers of clients.
func (r *Reference) level() float64 {
	return r.System.WALBytes * r.System.Commits / r.Images.Mean(r.Mean(func(r demand.Run) float64 { return r.TPS }))
}

// use is what a transaction uses of a disk.
type use struct {
	device              device.Device
	now, then, measured device.Used // simulated; of the reference, simulated and measured
	// wal and walThen are the bytes of its WAL among those of now and then, if they shrink after a checkpoint.
	wal, walThen float64
}

// uses returns what a transaction of a system uses of its disks. What was measured is left out of arrays, whose members
// do more than is asked of them, and so is how their WAL shrinks.
func (r *Reference) uses(s closed.System, now closed.Result) []use {
	then := r.models[0].reference.result
	of := func(u device.Used, in closed.Result) device.Used {
		n := float64(in.Transactions)
		return device.Used{Operations: u.Operations / n, Bytes: u.Bytes / n}
	}
	data := use{device: s.Data, now: of(now.Data, now), then: of(then.Data, then), measured: r.Data}
	all := []use{data}
	if s.WAL != nil {
		wal := use{device: *s.WAL, now: of(now.WAL, now), then: of(then.WAL, then), measured: r.WAL}
		if r.System.WAL == nil { // nearly all of what was measured was the WAL
			wal.measured, data.measured = r.Data, device.Used{}
		}
		all = []use{data, wal}
	}
	last := len(all) - 1
	if r.Images != nil {
		all[last].wal, all[last].walThen = s.WALBytes*s.Commits, r.System.WALBytes*r.System.Commits
	}
	for i := range all {
		from := r.System.Data
		if i == last {
			from = r.System.WALDisk()
		}
		if all[i].device.Array != nil || from.Array != nil {
			all[i].measured, all[i].wal, all[i].walThen = device.Used{}, 0, 0
		}
	}
	return all
}

// corrected takes a simulated figure in proportion to what was measured of the reference: more commits may share a flush
// than in the simulation.
func corrected(now, then, measured float64) float64 {
	if then > 0 && measured > 0 {
		return now * measured / then
	}
	return now
}

const (
	// latest is the second up to which the end of a burst is looked for, in steps of this ratio.
	latest = 1e7
	step   = 1.02
)

// emptyAt returns when a bucket is empty that was full, if transactions use so much of it up to the nth; 0 if it never
// is. Each transaction uses no more than the one before, so that a bucket that fills again is not emptied later.
func emptyAt(l device.Limit, tps float64, used func(n float64) float64) float64 {
	if l.Burst == 0 {
		return 0
	}
	missing := func(second float64) float64 { return used(tps*second) - l.Rate*second }
	before := 0.0
	for second := 0.1; second < latest; second *= step {
		if missing(second) >= l.Burst {
			for range 20 {
				if middle := (before + second) / 2; missing(middle) < l.Burst {
					before = middle
				} else {
					second = middle
				}
			}
			return second
		}
		if missing(second) < missing(before) {
			return 0
		}
		before = second
	}
	return 0
}

// walAfter returns a walOf for the rest of the run after a burst that ends at a second.
func (r *Reference) walAfter(end, tps float64) func(tps float64) float64 {
	return func(later float64) float64 {
		from, rest := tps*end, max(0, r.Images.Before+r.Images.During-end)
		return r.Images.Between(from, from+later*rest)
	}
}

// disks returns how many disks a device has.
func disks(d device.Device) float64 {
	if d.Array != nil {
		return float64(d.Array.Members)
	}
	return 1
}

// peak gives the disks of a system the rates of their bursts, for as long as it takes.
func peak(s closed.System) closed.System {
	return limited(s, func(d *device.Device) {
		d.IOPS, d.Throughput = device.Limit{Rate: d.IOPS.Peak()}, device.FlowLimit{Rate: unit.Rate(d.Throughput.Limit().Peak())}
	})
}

// sustained takes the bursts of its disks from a system.
func sustained(s closed.System) closed.System {
	return limited(s, func(d *device.Device) {
		d.IOPS, d.Throughput = device.Limit{Rate: d.IOPS.Rate}, device.FlowLimit{Rate: d.Throughput.Rate}
	})
}

// limited changes the limits of the disks of a system that have bursts.
func limited(s closed.System, change func(*device.Device)) closed.System {
	one := func(d device.Device) device.Device {
		if m := d.Member(); m.IOPS.Burst == 0 && m.Throughput.Burst == 0 {
			return d
		}
		return d.WithLimits(change)
	}
	s.Data = one(s.Data)
	if s.WAL != nil {
		wal := one(*s.WAL)
		s.WAL = &wal
	}
	return s
}
