package imported

import (
	"slices"

	"plinth/internal/capture"
	"plinth/internal/device"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// said describes the disk of an environment by what fio measured of it; nil unless a job made each of its writes durable,
// because a prediction needs the time of a durable write.
func (o *Outcome) said(environment string) *record.Said {
	environment = o.diskOf(environment)
	jobs := slices.DeleteFunc(slices.Clone(o.Disks), func(d Disk) bool {
		return d.Environment != environment || !durable(d.Job) || !page(d.Block)
	})
	if len(jobs) == 0 {
		return nil
	}
	d, err := o.Device(environment)
	if err != nil || !d.WriteCache {
		// There is no job for the whole model, but there is one for a durable write.
		j := jobs[0]
		d = &device.Device{Name: environment, Write: typical(j.Write.Times), Flush: typical(*j.Sync), WriteCache: true,
			Source: "imported from fio: a durable write at queue depth 1; reads and limits are unknown"}
	}
	if !(d.DurableSeconds() > 0) {
		return nil
	}
	return &record.Said{Model: *d, Source: "fio, imported"}
}

// typical returns a distribution as far as it is known: its mean stands for percentiles that are not.
func typical(t capture.Times) device.Latency {
	if l := latency(t); l.Median > 0 {
		return l
	}
	return device.Latency{Median: unit.Duration(t.Mean)}
}

// diskOf returns the environment under which the disk of an environment was read: its own or, where each tool has a
// directory of its own, the only one that has a disk, if only one environment has runs.
func (o *Outcome) diskOf(environment string) string {
	if o.HasDisk(environment) || len(o.driven()) > 1 {
		return environment
	}
	var with []string
	for _, d := range o.Disks {
		with = once(with, d.Environment)
	}
	if len(with) == 1 {
		return with[0]
	}
	return environment
}
