package experiment

import (
	"fmt"
	"strconv"

	"plinth/internal/device"
)

// Model is what the disk acts as: the device of the catalog with its changes, what
// a device file held, or an array of either, its rates not scaled. It is an error
// where the disk is not emulated, and where there can be no such device; an
// experiment that was loaded has none of these.
func (d Disk) Model() (device.Device, error) {
	e := d.Emulate
	switch {
	case e.Model != nil:
		return *e.Model, nil
	case e.RAID == "" && e.Name == "":
		return device.Device{}, fmt.Errorf("this disk is not emulated")
	case e.RAID == "":
		return device.Configure(e.Name, d.Options())
	}
	member, err := device.Configure(e.Of, d.Options())
	if err != nil {
		return device.Device{}, err
	}
	return e.Array(member)
}

// Array is the array that an emulation names, of equal members.
func (e Emulation) Array(member device.Device) (device.Device, error) {
	level, err := strconv.Atoi(e.RAID)
	if err != nil {
		return device.Device{}, fmt.Errorf("unknown RAID level %q", e.RAID)
	}
	return device.RAID(level, e.Members, e.Chunk, member)
}

// Options are the changes as the catalog takes them.
func (c Changes) Options() device.Options {
	return device.Options{
		IOPS: c.IOPS, Throughput: c.Throughput, Provisioned: c.Provisioned,
		Latency: c.Latency, RoundTrip: c.RoundTrip, WriteCache: c.WriteCache,
	}
}

// Models are the models of a volume's emulated disks: of the volume itself, or of
// the members of its array in their order, with nothing for those that are real.
func (v Volume) Models() ([]device.Device, error) {
	var models []device.Device
	for _, d := range v.Disks() {
		if !d.Emulated() {
			continue
		}
		model, err := d.Model()
		if err != nil {
			return nil, err
		}
		models = append(models, model)
	}
	return models, nil
}
