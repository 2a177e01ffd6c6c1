package kernel

import "plinth/internal/telemetry"

// others is the CPU time of the machine that no owner used.
type others struct {
	used    float64 // of the machine at the last reading, seconds
	begun   bool
	balance float64 // what the machine used less what owners did, seconds
	most    float64 // the greatest the balance has been
	owned   uint64  // of all owners at the last reading, nanoseconds
	slot    telemetry.Slot
	bound   bool
}

// put puts the most that the balance has been. The machine counts ticks, and
// owners nanoseconds, so the balance swings by some ticks around what is true; to
// add up only what it grows by in each second would add up the swings.
func (o *others) put(b *telemetry.Board, machine *stat, owners []*owner) {
	if !o.bound {
		o.slot, o.bound = b.Column(othersCPU), true
	}
	used, known := machine.used()
	if !known {
		b.Unknown(o.slot, "how busy the machine was is not known")
		return
	}
	owned := uint64(0)
	for _, owner := range owners {
		owned += owner.total[useCPU]
	}
	if o.begun {
		o.balance += max(0, used-o.used) - float64(owned-o.owned)/1e9
	}
	o.used, o.owned, o.begun = used, owned, true
	o.most = max(o.most, o.balance)
	b.Put(o.slot, o.most)
}
