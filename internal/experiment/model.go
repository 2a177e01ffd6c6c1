package experiment

import (
	"fmt"
	"strconv"

	"plinth/internal/device"
)

// Model returns the model of the emulated disk, with unscaled rates: the content of a model file, a
// catalog device with its changes, or an array of those. It returns an error if the disk is not
// emulated or the model is invalid.
func (d Disk) Model() (device.Device, error) {
	if !d.Emulated() {
		return device.Device{}, fmt.Errorf("this disk is not emulated")
	}
	return d.Emulate.model(d.Options())
}

// SaidModel returns the model of what the disk is said to be, and where the model is from. It returns
// an error if nothing is said or the model is invalid.
func (d Disk) SaidModel() (model device.Device, source string, err error) {
	if !d.Said() {
		return device.Device{}, "", fmt.Errorf("the experiment gives no model of this disk")
	}
	source = "plinth devices"
	if d.Is.Model != nil {
		source = "the model file " + d.Is.Name
	}
	model, err = d.Is.model(d.Options())
	return model, source, err
}

// model returns the device that e names, with changes.
func (e Emulation) model(changes device.Options) (device.Device, error) {
	switch {
	case e.Model != nil:
		return *e.Model, nil
	case e.RAID == "":
		return device.Configure(e.Name, changes)
	}
	member, err := device.Configure(e.Of, changes)
	if err != nil {
		return device.Device{}, err
	}
	return e.Array(member)
}

// Array returns the array of equal members that an emulation defines.
func (e Emulation) Array(member device.Device) (device.Device, error) {
	level, err := strconv.Atoi(e.RAID)
	if err != nil {
		return device.Device{}, fmt.Errorf("unknown RAID level %q", e.RAID)
	}
	return device.RAID(level, e.Members, e.Chunk, member)
}

// Options returns the changes as options for the catalog.
func (c Changes) Options() device.Options {
	return device.Options{
		IOPS: c.IOPS, Throughput: c.Throughput, Provisioned: c.Provisioned,
		Latency: c.Latency, RoundTrip: c.RoundTrip, WriteCache: c.WriteCache,
	}
}

// Models returns the models of a volume's emulated disks: of the volume itself, or of its array's
// members in order. Real disks are skipped.
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
