package prediction

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"plinth/internal/device"
	"plinth/internal/prediction/demand"
	"plinth/internal/record"
)

// Measured is an environment that was measured at a value of a sweep.
type Measured struct {
	Environment string  `json:"environment"`
	Value       float64 `json:"value"`
	TPS         float64 `json:"tps"`
}

// MeasuredIOPS returns the environments of the reference's record that differ from the question in nothing but the
// IOPS of the data's disk, and its throughput, which the catalog derives from the IOPS of some; by ascending IOPS.
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
		if d := other.System.Data; d.IOPS.Rate > 0 && d.IOPS.Burst == 0 && sameButIOPS(d, asked) && reflect.DeepEqual(other.System.WAL, r.System.WAL) {
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

// alike reports whether two environments have the same server, limits and tuning.
func alike(a, b record.Environment) bool {
	return reflect.DeepEqual(a.Declared, b.Declared) && reflect.DeepEqual(a.Limits, b.Limits) && reflect.DeepEqual(a.Tuning, b.Tuning) && a.At == b.At && a.VersionN == b.VersionN
}
