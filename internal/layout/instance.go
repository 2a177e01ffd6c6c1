package layout

import (
	"plinth/internal/instance"
	"plinth/internal/placement"
	"plinth/internal/unit"
)

// InstanceLimit compares the load of all EBS volumes of an instance with the load that it sustains.
type InstanceLimit struct {
	Name       string    `json:"name"`
	IOPS       float64   `json:"iops"`
	Throughput unit.Rate `json:"throughput"`
	UsedIOPS   float64   `json:"used_iops"`
	UsedBytes  float64   `json:"used_bytes_s"`
	// Enough is the smallest type of the family whose limit suffices; "" if this one does, or none.
	Enough string `json:"enough,omitempty"`
}

// instanceLimit adds up the load of the EBS volumes; nil if the limit is not known.
func (f *finder) instanceLimit(plan placement.Plan) *InstanceLimit {
	i := f.in.instance
	if i == nil || !i.EBS.Known() {
		return nil
	}
	l := &InstanceLimit{Name: i.Name, IOPS: i.EBS.Baseline.IOPS, Throughput: i.EBS.Baseline.Throughput}
	for _, s := range plan.Stores {
		if !s.Store.Device.OfEBS() {
			continue
		}
		d, copies := s.After, float64(s.Store.Device.Copies()) // each copy is written through the instance
		operations := d.Reads + d.Writes
		l.UsedIOPS += d.Reads + copies*d.Writes
		if operations > 0 {
			l.UsedBytes += d.Bytes * (d.Reads + copies*d.Writes) / operations
		}
	}
	if l.exceeded() {
		for _, larger := range instance.InFamily(i.Family()) {
			try := *l
			try.IOPS, try.Throughput = larger.EBS.Baseline.IOPS, larger.EBS.Baseline.Throughput
			if !try.exceeded() {
				l.Enough = larger.Name
				break
			}
		}
	}
	return l
}

// share returns how much of the limits that may be used is used: 1 is all.
func (l InstanceLimit) share() (iops, throughput float64) {
	if l.IOPS > 0 {
		iops = l.UsedIOPS / l.IOPS / float64(placement.ShareOfRate)
	}
	if l.Throughput > 0 {
		throughput = l.UsedBytes / float64(l.Throughput) / float64(placement.ShareOfRate)
	}
	return iops, throughput
}

func (l InstanceLimit) exceeded() bool {
	iops, throughput := l.share()
	return max(iops, throughput) > 1+1e-9
}

// beyondInstance returns what exceeds the limits of the instance.
func (f *finder) beyondInstance(plan placement.Plan) []placement.Violation {
	l := f.instanceLimit(plan)
	if l == nil {
		return nil
	}
	var all []placement.Violation
	iops, throughput := l.share()
	if iops > 1+1e-9 {
		all = append(all, placement.Violation{Where: l.Name, What: "the IOPS for all EBS volumes", Used: iops})
	}
	if throughput > 1+1e-9 {
		all = append(all, placement.Violation{Where: l.Name, What: "the throughput for all EBS volumes", Used: throughput})
	}
	return all
}
