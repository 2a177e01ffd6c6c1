package prediction

import (
	"plinth/internal/device"
	"plinth/internal/prediction/closed"
	"plinth/internal/unit"
)

// emptied returns the second at which the burst of a disk would end, from what the transactions use of it while
// bursts last; 0 if none would. More commits may share a flush than in the simulation, so that what it uses is taken in
// proportion to what was measured of the reference.
func (r *Reference) emptied(s closed.System, now closed.Result) (first float64) {
	bucket := func(limit device.Limit, used float64) {
		if rate := used / now.Length.Seconds(); limit.Burst > 0 && rate > limit.Rate {
			if end := limit.Burst / (rate - limit.Rate); first == 0 || end < first {
				first = end
			}
		}
	}
	then := r.models[0].reference.result
	scale := func(measured, simulated float64) float64 {
		// An imported reference lacks what was measured; the members of an array do more than was asked of it.
		if measured == 0 || simulated == 0 || r.System.Data.Array != nil {
			return 1
		}
		return measured / (simulated / float64(then.Transactions))
	}
	disk := func(d device.Device, used, before, measured device.Used) {
		one, members := d.Member(), disks(d)
		bucket(one.IOPS, used.Operations/members*scale(measured.Operations, before.Operations))
		bucket(one.Throughput.Limit(), used.Bytes/members*scale(measured.Bytes, before.Bytes))
	}
	disk(s.Data, now.Data, then.Data, r.Data)
	if s.WAL != nil {
		disk(*s.WAL, now.WAL, then.WAL, r.WAL)
	}
	return first
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
