package cost

import (
	"cmp"
	"fmt"
	"slices"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/instance"
	"plinth/internal/prediction"
	"plinth/internal/unit"
)

// Candidate is a disk of the catalog that was not measured, in place of the data's disk of an environment that was.
type Candidate struct {
	Name string // "gp3,iops=6000"
	From string // the measured environment
	// Environment is From on the disk, as a bill needs it, and Model is the disk.
	Environment experiment.Environment
	Model       device.Device
	// Declaration is the disk as an experiment declares it: "{emulate: gp3, iops: 6000}".
	Declaration string
	// Predictions hold the predictions of the cells of From, and Refused says of the others why there is none.
	Predictions map[experiment.Cell]prediction.Prediction
	Refused     map[experiment.Cell]string

	added bool // From has no volume for its data that is paid
}

// NewCandidate puts the data of an environment on another disk, which has the size that is paid for now. Its limits
// follow from that size where a vendor derives them from it.
func NewCandidate(e *experiment.Experiment, env experiment.Environment, name string, o device.Options) (Candidate, error) {
	c := Candidate{Name: name, From: env.Name, added: !env.Storage.Data.Given() && len(e.CostOf(env).Volumes) == 0}
	offered, err := device.Find(name)
	if err != nil {
		return c, hint.Errorf("plinth devices lists the disks", "what %s costs is not known: only disks of the catalog have prices", name)
	}
	if i, err := instance.Find(env.InstanceName()); err == nil && i.Credits != nil {
		return c, hint.Errorf("measure it", "what %s would cost on %s is not known: how many CPU credits of %s it would use is not predicted", env.Name, name, i.Name)
	}
	env.Cost = e.CostOf(env)
	size, err := sizeOf(env)
	if err != nil {
		return c, err
	}
	if offered.Offer.Priced {
		o.Provisioned = cmp.Or(size, o.Provisioned)
	}
	if c.Model, err = device.Configure(name, o); err != nil {
		return c, err
	}
	disk := experiment.Disk{Size: size, Is: experiment.Emulation{Name: name}, Changes: experiment.Changes{IOPS: o.IOPS, Throughput: o.Throughput, Provisioned: o.Provisioned}}
	env.Storage.Data = experiment.Volume{Disk: disk}
	env.Cost.Volumes = slices.Clone(env.Cost.Volumes)
	for i, v := range env.Cost.Volumes {
		if v.For == experiment.RoleData {
			env.Cost.Volumes[i] = experiment.CostVolume{For: v.For, Size: v.Size}
		}
	}
	c.Environment, c.Declaration = env, declaration(disk)
	return c, nil
}

// declaration returns a disk as an experiment declares it, to emulate it.
func declaration(d experiment.Disk) string {
	text := "{emulate: " + d.Is.Name
	if d.IOPS > 0 {
		text += fmt.Sprintf(", iops: %.0f", d.IOPS)
	}
	if d.Throughput > 0 {
		text += ", throughput: " + unit.Size(d.Throughput).Exact() + "/s"
	}
	if d.Provisioned > 0 {
		text += ", provisioned: " + d.Provisioned.Exact()
	}
	return text + "}"
}

// sizeOf returns the size of the data's volume that is paid for; 0 for the catalog's.
func sizeOf(env experiment.Environment) (unit.Size, error) {
	if len(env.Cost.Volumes) > 0 {
		at := slices.IndexFunc(env.Cost.Volumes, func(v experiment.CostVolume) bool { return v.For == experiment.RoleData })
		switch {
		case at < 0:
			return 0, hint.Errorf("say it: cost: {volumes: [{for: data, size: 500GiB}]}", "which of the volumes that are paid for %s holds its data is not known", env.Name)
		case env.Cost.Volumes[at].Count > 1:
			return 0, hint.Errorf("state one volume: cost: {volumes: [{for: data, size: 500GiB}]}", "the data of %s is on %d volumes; one in their place has no known size", env.Name, env.Cost.Volumes[at].Count)
		case env.Cost.Volumes[at].Size > 0:
			return env.Cost.Volumes[at].Size, nil
		}
	}
	data := env.Storage.Data
	if data.RAID != "" || data.Emulate.RAID != "" || data.Is.RAID != "" {
		return 0, hint.Errorf("state its size: cost: {volumes: [{for: data, size: 500GiB}]}", "the data of %s is on an array; one disk in its place has no known size", env.Name)
	}
	if size := cmp.Or(data.Provisioned, data.Size); size > 0 {
		return size, nil
	}
	entry, err := device.Find(cmp.Or(data.Emulate.Name, data.Is.Name))
	if err != nil {
		return 0, nil // of no disk of the catalog: the size is the catalog's, which the bill says
	}
	return entry.Offer.Size, nil
}
