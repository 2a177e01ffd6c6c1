package device

import "plinth/internal/unit"

// Scale returns d with all rates and bursts multiplied by factor. The latency of a
// single operation, even a long one, does not change: the result is a smaller disk of
// the same kind, for a machine that cannot keep up with d. factor must be above 0: a
// rate of 0 means no limit.
func Scale(d Device, factor float64) Device {
	if factor == 1 {
		return d
	}
	return d.WithLimits(func(one *Device) {
		one.IOPS, one.Throughput = one.IOPS.Scaled(factor), one.Throughput.Scaled(factor)
	})
}

// Unlimited returns d without limits on IOPS and throughput, but with its latencies.
func Unlimited(d Device) Device {
	return d.WithLimits(func(one *Device) { one.IOPS, one.Throughput = Limit{}, FlowLimit{} })
}

// WithLimits returns d with the limits of each of its disks changed. The latency of a
// single operation stays the same.
func (d Device) WithLimits(change func(one *Device)) Device {
	return d.WithDisks(func(one *Device) {
		one.Transfer = one.transfer()
		change(one)
	})
}

// WithDisks returns d with each of its disks changed; d itself keeps its own.
func (d Device) WithDisks(change func(one *Device)) Device {
	if d.Array != nil {
		array, of := *d.Array, d.Array.Of.WithDisks(change)
		array.Of = &of
		d.Array = &array
		return d
	}
	change(&d)
	return d
}

// transfer returns the transfer rate of one long operation, in bytes a second; 0 for no
// limit.
func (d Device) transfer() unit.Rate {
	if d.Transfer > 0 || !d.Throughput.Bounds() {
		return d.Transfer
	}
	return unit.Rate(d.Throughput.Limit().Peak())
}

// Adds reports whether the model adds any delay or limit; a pass-through does not.
func (d Device) Adds() bool {
	if d.Array != nil {
		return d.Array.Of.Adds()
	}
	delays := d.Read.Median + d.Write.Median + d.Flush.Median + d.RoundTrip.Median
	return delays > 0 || d.IOPS.Bounds() || d.Throughput.Bounds() || d.QueueDepth > 0
}

// Copies returns the number of members of an array that each write goes to; 1 without mirrors.
func (d Device) Copies() int {
	switch {
	case d.Array == nil:
		return 1
	case d.Array.Level == 1:
		return d.Array.Members
	case d.Array.Level == 10:
		return 2
	}
	return 1
}

// PeakIOPS returns the highest rate of all of the device's disks together, that of a burst if there is
// one. 0 means no limit.
func (d Device) PeakIOPS() float64 {
	if a := d.Array; a != nil {
		return a.Of.PeakIOPS() * float64(a.Members)
	}
	return d.IOPS.Peak()
}

// Provisioned returns the sustained limits of all of the device's disks together, in
// operations and bytes a second, for reads and writes together and with each copy
// counted, as Station.Used counts them. 0 means no limit.
func (d Device) Provisioned() (iops float64, throughput unit.Rate) {
	if a := d.Array; a != nil {
		iops, throughput = a.Of.Provisioned()
		return iops * float64(a.Members), throughput * unit.Rate(a.Members)
	}
	return d.IOPS.Rate, d.Throughput.Rate
}
