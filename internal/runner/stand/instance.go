package stand

import (
	"plinth/internal/instance"
	"plinth/internal/record"
)

// instanceOf returns the limits of a declared instance; nil for none.
func instanceOf(name string) *record.Instance {
	if name == "" {
		return nil
	}
	i, err := instance.Find(name)
	if err != nil {
		return nil // cannot happen: the name was checked when the file was loaded
	}
	limits := &record.Instance{
		Name: i.Name, VCPUs: i.VCPUs,
		IOPS: i.EBS.Baseline.IOPS, Throughput: float64(i.EBS.Baseline.Throughput),
		BurstIOPS: i.EBS.Maximum.IOPS, BurstThroughput: float64(i.EBS.Maximum.Throughput),
		Source: "plinth instances " + i.Name,
	}
	if i.EBS.Bursts() {
		limits.Burst = instance.EBSBurst.Seconds()
	}
	return limits
}
