package record

import (
	"fmt"

	"plinth/internal/device"
)

// Emulation describes the emulated device under a volume.
type Emulation struct {
	Model device.Device `json:"model"` // as emulated, with scaled rates
	// RateScale is the factor applied to the rates of all emulated devices of the experiment; 1
	// means unscaled.
	RateScale float64 `json:"rate_scale"`
	// PathRead and PathWrite are the median times, in nanoseconds, that an operation of 8 KiB
	// takes on the emulator's own path (single-file filesystem, loop device) without any
	// delay. They are part of the model's time, not added to it.
	PathRead  int64 `json:"path_read_ns"`
	PathWrite int64 `json:"path_write_ns"`
	// CeilingRead and CeilingWrite are the numbers of operations of 8 KiB per second that the
	// path sustains on this machine, measured before the experiment.
	CeilingRead  float64 `json:"ceiling_read_iops"`
	CeilingWrite float64 `json:"ceiling_write_iops"`
	Form         string  `json:"form"`    // "fuse" or "nbd": how the block device is implemented
	Backing      string  `json:"backing"` // the filesystem that holds the data: "ext4 on /dev/vda"
}

// Said is the model of an existing device, as the experiment file states it.
type Said struct {
	Model device.Device `json:"model"`
	// Source is where the figures of the model are from: "plinth devices", or a model file.
	Source string `json:"source"`
}

// Calibration is the verification of an emulated device just before a run, while nothing else used it,
// and its lateness during the run. Latencies are in nanoseconds.
type Calibration struct {
	Role string `json:"role"` // of the volume
	// Expected and Measured are medians of sequential single reads and writes of 8 KiB; Expected
	// comes from the model.
	ExpectedRead  int64 `json:"expected_read_ns"`
	MeasuredRead  int64 `json:"measured_read_ns"`
	ExpectedWrite int64 `json:"expected_write_ns"`
	MeasuredWrite int64 `json:"measured_write_ns"`
	// BoundRead and BoundWrite are the permitted differences between the medians: the tolerance
	// of the method plus the sampling error of medians of so few operations.
	BoundRead  int64 `json:"bound_read_ns"`
	BoundWrite int64 `json:"bound_write_ns"`
	Operations int   `json:"operations"` // of each kind, in the verification
	// LateMean, LateP99 and LateMax say by how much the operations of the run exceeded the model's
	// time.
	Answered int64 `json:"answered"` // operations during the load
	LateMean int64 `json:"late_mean_ns"`
	LateP99  int64 `json:"late_p99_ns"`
	LateMax  int64 `json:"late_max_ns"`
	// CPU is the CPU time of the emulator during the load, in seconds.
	CPU float64 `json:"cpu_s"`
}

// checkModels refuses an array without a model or a number of its members, and an array of arrays:
// reports and figures look into it. Other figures of a model only make numbers wrong.
func (e Environment) checkModels() error {
	for _, v := range e.AllVolumes() {
		for _, model := range v.models() {
			if a := model.Array; a != nil && (a.Of == nil || a.Of.Array != nil || a.Members < 1) {
				return fmt.Errorf("the model of volume %q is an array, but the number or the model of its members is missing or invalid", v.Role)
			}
		}
	}
	return nil
}

// Model returns the model of a volume's disk, emulated or as the experiment names it; false if there is none.
// That of an array has its members: see device.Device.Member.
func (v Volume) Model() (device.Device, bool) {
	switch {
	case v.Emulation != nil:
		return v.Emulation.Model, true
	case v.Is != nil:
		return v.Is.Model, true
	}
	return device.Device{}, false
}

// models returns the models of a volume: as emulated, and as the experiment names it.
func (v Volume) models() []device.Device {
	var all []device.Device
	if v.Emulation != nil {
		all = append(all, v.Emulation.Model)
	}
	if v.Is != nil {
		all = append(all, v.Is.Model)
	}
	return all
}

// Basis returns the source of an environment's numbers: "measured", "emulated" if any of its volumes
// is a model, or "imported".
func (e Environment) Basis() string {
	if e.Kind == BasisImported {
		return BasisImported
	}
	for _, v := range e.AllVolumes() {
		if v.Emulation != nil {
			return "emulated"
		}
	}
	return "measured"
}
