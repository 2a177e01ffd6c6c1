package prediction

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"plinth/internal/device"
	"plinth/internal/prediction/demand"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// Measured is an environment that was measured at a value of a sweep.
type Measured struct {
	Environment string  `json:"environment"`
	Value       float64 `json:"value"`
	TPS         float64 `json:"tps"`
}

// MeasuredIOPS returns the environments of the reference's record that differ from the question in nothing but the
// IOPS of the data's disk, and its throughput where that hardly matters: the catalog derives it from the IOPS of some
// disks. They are in ascending order of the IOPS.
func (r *Reference) MeasuredIOPS(rec *record.Record, q Question) (all []Measured) {
	if cmp.Or(q.Clients, r.Clients) != r.Clients || q.CPUs > 0 || q.CPUSpeed > 0 || q.WAL != nil || q.Memory > 0 || q.SharedBuffers > 0 {
		return nil
	}
	asked := q.apply(r.System).Data
	for _, name := range slices.Sorted(maps.Keys(rec.Environments)) {
		if !alike(rec.Environments[r.Environment], rec.Environments[name]) {
			continue
		}
		other, err := demand.Of(rec, name, r.Cell.Cell)
		if err != nil {
			continue
		}
		if d := other.System.Data; d.IOPS.Rate > 0 && d.IOPS.Burst == 0 && sameButIOPS(d, asked) && sameFlow(other, asked) && reflect.DeepEqual(other.System.WAL, r.System.WAL) {
			all = append(all, Measured{name, d.IOPS.Rate, other.Mean(func(r demand.Run) float64 { return r.TPS })})
		}
	}
	slices.SortStableFunc(all, func(a, b Measured) int { return cmp.Compare(a.Value, b.Value) })
	return all
}

// sameButIOPS reports whether two disks have the same figures but for their IOPS and throughput.
func sameButIOPS(a, b device.Device) bool {
	for _, d := range []*device.Device{&a, &b} {
		*d = device.Device{Read: d.Read, Write: d.Write, Flush: d.Flush, WriteCache: d.WriteCache, OperationSize: d.OperationSize, QueueDepth: d.QueueDepth, Replicas: d.Replicas, RoundTrip: d.RoundTrip, Array: d.Array}
	}
	return reflect.DeepEqual(a, b)
}

// sameFlow reports whether a disk that is asked for has the throughput of that of a measured cell, or the cell uses little
// of either.
func sameFlow(c demand.Cell, asked device.Device) bool {
	_, one := c.System.Data.Provisioned()
	_, other := asked.Provisioned()
	used := c.Data.Bytes * c.Mean(func(r demand.Run) float64 { return r.TPS }) / max(1, c.Pipeline)
	little := func(limit unit.Rate) bool { return limit == 0 || used < flowing*float64(limit) }
	return one == other || used > 0 && little(one) && little(other)
}

// alike reports whether two environments have the same server, limits and tuning, and volumes of the same kind apart from
// their emulated devices.
func alike(a, b record.Environment) bool {
	above := func(v record.Volume) []string {
		return slices.DeleteFunc(slices.Clone(v.Made), func(part string) bool { return strings.HasPrefix(part, "emulated ") })
	}
	volumes := func(a, b record.Volume) bool {
		return a.Role == b.Role && a.Filesystem == b.Filesystem && a.Options == b.Options && slices.Equal(above(a), above(b))
	}
	return slices.EqualFunc(a.Volumes, b.Volumes, volumes) && record.SameReplica(a.Replica, b.Replica) && reflect.DeepEqual(a.Declared, b.Declared) && record.SameLimits(a.Limits, b.Limits) && reflect.DeepEqual(a.Tuning, b.Tuning) && a.At == b.At && a.VersionN == b.VersionN
}
