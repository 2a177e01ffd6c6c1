package prediction

import (
	"cmp"
	"slices"

	"plinth/internal/device"
	"plinth/internal/prediction/closed"
)

// Doubled is the effect of twice as much of one resource alone. Of a latency, it is half.
type Doubled struct {
	// Resource is "cpu", "generator" (threads of the load generator), or "data" or "wal" and "iops", "throughput" or
	// "latency": "data iops".
	Resource string `json:"resource"`
	// Factor is by how much throughput would be multiplied.
	Factor float64 `json:"tps_factor"`
}

// matters is the factor of throughput from which a resource binds: below, it is hardly more than the noise of the
// simulation.
const matters = 1.05

// Binds returns the resource of which twice as much would help most. It is nil if none would help.
func (p Prediction) Binds() *Doubled {
	if len(p.Doubled) == 0 || p.Doubled[0].Factor < matters {
		return nil
	}
	return &p.Doubled[0]
}

// Doubled says what would bind: what twice as much of each resource would do to the answer to a question, the most
// helpful first.
func (r *Reference) Doubled(q Question) ([]Doubled, error) {
	q, err := r.resolve(q)
	if err != nil {
		return nil, err
	}
	if err := r.check(q); err != nil {
		return nil, err
	}
	return r.doubled(r.models[0], peak(q.apply(r.models[0].System)), transactions/2), nil
}

// doubled simulates a system with twice as much of each of its resources. The one that helps most comes first.
func (r *Reference) doubled(m model, s closed.System, transactions int) (all []Doubled) {
	systems := []closed.System{s}
	add := func(resource string, more closed.System) {
		all, systems = append(all, Doubled{Resource: resource}), append(systems, more)
	}
	add("cpu", withCPUs(s, 2*s.CPUs))
	if s.Threads > 0 && s.Threads < s.Clients {
		more := s
		more.Threads *= 2
		add("generator", more)
	}
	for _, change := range diskDoublings {
		if d, has := change.double(s.Data); has {
			more := s
			more.Data = d
			add("data "+change.what, more)
		}
		if s.WAL == nil {
			continue
		}
		if d, has := change.double(*s.WAL); has {
			more := s
			more.WAL = &d
			add("wal "+change.what, more)
		}
	}
	tps := make([]float64, len(systems))
	atOnce(len(systems), func(i int) {
		now, _ := r.settled(m, systems[i], r.walOf, transactions)
		tps[i] = now.tps
	})
	for i := range all {
		all[i].Factor = tps[i+1] / tps[0]
	}
	slices.SortStableFunc(all, func(a, b Doubled) int { return cmp.Compare(b.Factor, a.Factor) })
	return all
}

// diskDoublings are the changes of a disk; double reports whether it has such a limit.
var diskDoublings = []struct {
	what   string
	double func(device.Device) (d device.Device, has bool)
}{
	{"iops", func(d device.Device) (device.Device, bool) {
		limit, _ := d.Provisioned()
		return d.WithLimits(func(one *device.Device) { one.IOPS.Rate *= 2 }), limit > 0
	}},
	{"throughput", func(d device.Device) (device.Device, bool) {
		_, limit := d.Provisioned()
		return d.WithLimits(func(one *device.Device) { one.Throughput.Rate *= 2 }), limit > 0
	}},
	{"latency", func(d device.Device) (device.Device, bool) {
		return slowed(d, 0.5), d.DurableSeconds() > 0 || d.MeanSeconds(device.Read) > 0
	}},
}

// slowed multiplies all latencies of a device.
func slowed(d device.Device, factor float64) device.Device {
	return d.WithDisks(func(one *device.Device) {
		one.Read, one.Write, one.Flush, one.RoundTrip = one.Read.Scaled(factor), one.Write.Scaled(factor), one.Flush.Scaled(factor), one.RoundTrip.Scaled(factor)
	})
}

// withCPUs gives the server so many CPUs. If the machine has more, the others are left to all else, as with the limit
// cpus of an experiment; otherwise all share them.
func withCPUs(s closed.System, cpus int) closed.System {
	machine := s.CPUs + s.Others
	s.CPUs, s.Others = cpus, max(0, machine-cpus)
	return s
}
