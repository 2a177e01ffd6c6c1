package prediction

import (
	"plinth/internal/device"
	"plinth/internal/prediction/closed"
	"plinth/internal/unit"
)

// emptied returns the second at which the burst of a disk ends; 0 if it does not within longest.
func emptied(s closed.System) float64 {
	return closed.Run(s, seed, closed.Length{Time: longest, Transactions: longTransactions}).Emptied.Seconds()
}

// longTransactions limits the search for the end of a burst, which takes some microseconds for each.
const longTransactions = 400_000

// bursts reports whether a disk of a system has a burst.
func bursts(s closed.System) bool {
	return hasBurst(s.Data) || s.WAL != nil && hasBurst(*s.WAL)
}

func hasBurst(d device.Device) bool {
	one := d.Member()
	return one.IOPS.Burst > 0 || one.Throughput.Burst > 0
}

// peak gives the disks of a system the rates of their bursts, for as long as it takes.
func peak(s closed.System) closed.System {
	return limited(s, func(iops device.Limit, flow device.FlowLimit) (device.Limit, device.FlowLimit) {
		return device.Limit{Rate: iops.Peak()}, device.FlowLimit{Rate: unit.Rate(flow.Limit().Peak())}
	})
}

// sustained takes the bursts of its disks from a system.
func sustained(s closed.System) closed.System {
	return limited(s, func(iops device.Limit, flow device.FlowLimit) (device.Limit, device.FlowLimit) {
		return device.Limit{Rate: iops.Rate}, device.FlowLimit{Rate: flow.Rate}
	})
}

func limited(s closed.System, limit func(device.Limit, device.FlowLimit) (device.Limit, device.FlowLimit)) closed.System {
	change := func(d device.Device) device.Device {
		if !hasBurst(d) {
			return d
		}
		if d.Array == nil {
			d.IOPS, d.Throughput = limit(d.IOPS, d.Throughput)
			return d
		}
		array, of := *d.Array, *d.Array.Of
		of.IOPS, of.Throughput = limit(of.IOPS, of.Throughput)
		array.Of = &of
		d.Array = &array
		return d
	}
	s.Data = change(s.Data)
	if s.WAL != nil {
		wal := change(*s.WAL)
		s.WAL = &wal
	}
	return s
}
