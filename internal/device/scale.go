package device

import "plinth/internal/unit"

// Scale is d with all rates and bursts times factor, and how long one operation
// takes as it is, a long one too: a smaller disk of the same kind, for a machine that
// cannot keep up with the whole one. factor is above 0: a rate of 0 would be no limit
// at all.
func Scale(d Device, factor float64) Device {
	if factor == 1 {
		return d
	}
	return d.withLimits(func(one *Device) {
		one.IOPS, one.Throughput = one.IOPS.Scaled(factor), one.Throughput.Scaled(factor)
	})
}

// Unlimited is d without the limits of its IOPS and throughput: what one operation
// takes is all that is left.
func Unlimited(d Device) Device {
	return d.withLimits(func(one *Device) { one.IOPS, one.Throughput = Limit{}, FlowLimit{} })
}

// withLimits is d with other limits of each of its disks, which go on to take as long
// for one operation as they did.
func (d Device) withLimits(change func(one *Device)) Device {
	if d.Array != nil {
		array, of := *d.Array, d.Array.Of.withLimits(change)
		array.Of = &of
		d.Array = &array
		return d
	}
	d.Transfer = d.transfer()
	change(&d)
	return d
}

// transfer is how many bytes a second one long operation moves at; 0 for any number.
func (d Device) transfer() unit.Rate {
	if d.Transfer > 0 || !d.Throughput.Bounds() {
		return d.Transfer
	}
	return unit.Rate(d.Throughput.Limit().Peak())
}

// Adds says whether the model adds any delay or limit: a pass-through does not.
func (d Device) Adds() bool {
	if d.Array != nil {
		return d.Array.Of.Adds()
	}
	delays := d.Read.Median + d.Write.Median + d.Flush.Median + d.RoundTrip.Median
	return delays > 0 || d.IOPS.Bounds() || d.Throughput.Bounds() || d.QueueDepth > 0
}

// Provisioned is what all of the device's disks let through in a second for good,
// reads and writes together, each copy counted: what Station.Used is a part of. 0
// where there is no limit.
func (d Device) Provisioned() (iops float64, throughput unit.Rate) {
	if a := d.Array; a != nil {
		iops, throughput = a.Of.Provisioned()
		return iops * float64(a.Members), throughput * unit.Rate(a.Members)
	}
	return d.IOPS.Rate, d.Throughput.Rate
}
