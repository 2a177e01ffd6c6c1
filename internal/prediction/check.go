package prediction

import (
	"cmp"
	"fmt"
	"time"

	"plinth/internal/device"
	"plinth/internal/hint"
	"plinth/internal/prediction/closed"
	"plinth/internal/prediction/demand"
	"plinth/internal/unit"
)

// farthest is the ratio by which a question may differ from the reference in anything.
const farthest = 10

// farthestTogether is the ratio by which the throughput may differ, to which several changes contribute.
const farthestTogether = 2 * farthest

// seldom is the share of the response time below which it does not matter how long reads take.
const seldom = 0.01

// check refuses questions that the reference cannot answer.
func (r *Reference) check(q Question) error {
	s := r.models[0].System
	if err := r.checkCPUs(q); err != nil {
		return err
	}
	if err := checkCounts(q, s); err != nil {
		return err
	}
	if q.WAL != nil && s.Loop != nil {
		return hint.Errorf("ask for --device", "there is no WAL: the append-only file is on the data's disk")
	}
	for _, d := range []*device.Device{q.Data, q.WAL} {
		if d != nil {
			if err := d.Check(); err != nil {
				return err
			}
		}
	}
	to := q.apply(s)
	if err := cmp.Or(r.choked(peak(to)), r.saves(q, to), apartFromReplica(to)); err != nil {
		return err
	}
	if s.WALBytes > 0 {
		if d := to.WALDisk().Member(); d.Cached() && d.Flush.Median == 0 {
			return hint.Errorf("add the time to the model, as flush; plinth probe measures it", "%s has a cache that loses writes in a power cut (write_cache), and does not say how long a flush of it takes", d.Name)
		}
		if err := far("durable write", s.WALDisk(), to.WALDisk(), device.Device.DurableSeconds); err != nil {
			return err
		}
	}
	if read := max(s.Data.MeanSeconds(device.Read), to.Data.MeanSeconds(device.Read)); max(s.Reads, to.Reads)*read > seldom*(r.Mean(func(r demand.Run) float64 { return r.Mean })-s.Think.Seconds()) {
		return far("read", s.Data, to.Data, func(d device.Device) float64 { return d.MeanSeconds(device.Read) })
	}
	return nil
}

// checkCounts refuses clients and CPUs that are too many, or too far from those of the reference.
func checkCounts(q Question, s closed.System) error {
	if q.Clients > demand.MostClients {
		return hint.Errorf(fmt.Sprintf("ask for at most %d", demand.MostClients), "%d clients are too many", q.Clients)
	}
	for _, n := range []struct {
		what            string
		asked, measured int
	}{{"clients", q.Clients, s.Clients}, {"CPUs", q.CPUs, s.CPUs}} {
		if n.asked > 0 && apart(float64(n.asked), float64(n.measured)) > farthest {
			return hint.Errorf("measure with a number of "+n.what+" closer to that", "%d %s are too far from the %d that were measured: more than %d times", n.asked, n.what, n.measured, farthest)
		}
	}
	return nil
}

// choked refuses disks whose limits, those of their bursts included, are far below what the reference uses.
func (r *Reference) choked(to closed.System) error {
	then := r.models[0].reference.result
	data, wal := then.Data, then.WAL
	if to.WAL == nil {
		return checkLimits(to.Data, data, then.Length)
	}
	if r.System.WAL == nil { // the WAL shared the disk of the data, and moves away
		wal = device.Used{Operations: min(data.Operations, float64(then.Flushes)),
			Bytes: min(data.Bytes, float64(then.Transactions)*r.System.WALBytes*r.System.Commits+float64(then.Flushes)*closed.BlockSize)}
		data = device.Used{Operations: data.Operations - wal.Operations, Bytes: data.Bytes - wal.Bytes}
	}
	return cmp.Or(checkLimits(to.Data, data, then.Length), checkLimits(*to.WAL, wal, then.Length))
}

// checkLimits refuses a disk whose limits are far below what is used in a time.
func checkLimits(d device.Device, used device.Used, in time.Duration) error {
	iops, throughput := d.Provisioned()
	for _, l := range []struct {
		limit, used float64
		what        string
	}{{iops, used.Operations / in.Seconds(), "operations"}, {float64(throughput), used.Bytes / in.Seconds(), "bytes"}} {
		if l.limit > 0 && l.used > farthest*l.limit {
			return hint.Errorf("measure a disk whose limits are closer, which may be emulated: emulate: NAME",
				"%.0f %s a second are too far from the %.0f of the reference: more than %d times", l.limit, l.what, l.used, farthest)
		}
	}
	return nil
}

// far refuses a disk whose latency is too far from that of the reference.
func far(what string, measured, asked device.Device, latency func(device.Device) float64) error {
	from, to := latency(measured), latency(asked)
	for _, d := range []device.Device{measured, asked} {
		if latency(d) <= 0 {
			return hint.Errorf("name a device with figures, predict from another --environment, or probe the disk: plinth probe", "the model of %s does not say how long a %s takes", d.Name, what)
		}
	}
	if apart(from, to) > farthest {
		return hint.Errorf("measure a disk whose latency is closer, which may be emulated: emulate: NAME",
			"the %s of %s takes %s ms, and that of the measured %s %s ms: more than %d times apart", what, asked.Name, unit.Digits(1e3*to, 3), measured.Name, unit.Digits(1e3*from, 3), farthest)
	}
	return nil
}

// apart returns the ratio of the larger to the smaller of two positive numbers.
func apart(a, b float64) float64 { return max(a/b, b/a) }
