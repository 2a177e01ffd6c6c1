package prediction

import (
	"plinth/internal/device"
	"plinth/internal/prediction/closed"
	"plinth/internal/prediction/demand"
	"plinth/internal/unit"
)

// burst is how far the burst of a disk goes.
type burst struct {
	end  float64 // seconds from the beginning of the load; 0 if it does not end
	done float64 // transactions until then
	pace float64 // the throughput until then, in proportion to the mean of a whole run
}

// burst finds the end of the first burst of a disk, from what the transactions use of it while bursts last. Change is the
// ratio of their throughput to that of the reference.
func (r *Reference) burst(s closed.System, now closed.Result, change float64) (first burst) {
	tps := r.Mean(func(r demand.Run) float64 { return r.TPS }) / max(1, r.Pipeline)
	// What comes after so many transactions of the reference comes after as many here, which are done sooner or later.
	done := func(second float64) float64 { return tps * r.Course.After(second*change) }
	for _, u := range r.uses(s, now) {
		one, members := u.device.Member(), disks(u.device)
		operations := corrected(u.now.Operations, u.then.Operations, u.measured.Operations) / members
		bytes := corrected(u.now.Bytes-u.wal, u.then.Bytes-u.walThen, u.measured.Bytes-u.walThen) / members
		for _, end := range []float64{
			emptyAt(one.IOPS, func(second float64) float64 { return done(second) * operations }),
			emptyAt(one.Throughput.Limit(), func(second float64) float64 {
				n := done(second)
				if u.wal > 0 {
					return n * (bytes + r.level()*r.Images.Between(0, n))
				}
				return n * bytes
			}),
		} {
			if end > 0 && (first.end == 0 || end < first.end) {
				// How the throughput goes on after the length of the reference is not known: its pace is that until then.
				known := end
				if n := len(r.Course); n > 0 {
					known = min(end, float64(n)/change)
				}
				first = burst{end, done(end), done(known) / (tps * change * known)}
			}
		}
	}
	return first
}

// level is the WAL of a transaction of the reference, in proportion to Images, which is of all numbers of clients.
func (r *Reference) level() float64 {
	return r.System.WALBytes * r.System.Commits / r.Images.Mean(r.Mean(func(r demand.Run) float64 { return r.TPS }))
}

// use holds the operations and bytes that a transaction takes from a disk.
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
	// latest is the second up to which the end of a burst is looked for, in steps of this ratio from earliest on.
	earliest = 0.1
	latest   = 1e7
	step     = 1.01
)

// emptyAt returns when a bucket is empty that was full, if so much of it is used up to a second; 0 if it never is.
func emptyAt(l device.Limit, used func(second float64) float64) float64 {
	left, before := l.Burst, 0.0
	for second := earliest; l.Burst > 0 && second < latest; second *= step {
		flow := l.Rate*(second-before) - used(second) + used(before)
		if left+flow <= 0 {
			return before - left/flow*(second-before)
		}
		left, before = min(l.Burst, left+flow), second
	}
	return 0
}

// walAfter returns a walOf for the rest of the run after a burst.
func (r *Reference) walAfter(b burst) func(tps float64) float64 {
	return func(tps float64) float64 {
		rest := max(0, r.Images.Before+r.Images.During-b.end)
		return r.Images.Between(b.done, b.done+tps*rest)
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
