package record

import "plinth/internal/device"

// Emulation is an emulated device as it stood under a volume.
type Emulation struct {
	Model device.Device `json:"model"` // as emulated: with the rates scaled
	// RateScale is the factor by which the rates of all emulated devices of the
	// experiment were multiplied; 1 where they are what the model names.
	RateScale float64 `json:"rate_scale"`
	// PathRead and PathWrite are what the emulator's own path (filesystem of one
	// file, loop device) costs an operation of 8 KiB without any delay, in
	// nanoseconds: medians. They are part of the model's time, not added to it.
	PathRead  int64 `json:"path_read_ns"`
	PathWrite int64 `json:"path_write_ns"`
	// Ceiling is how many operations of 8 KiB a second the path lets through on this
	// machine, measured before the experiment.
	CeilingRead  float64 `json:"ceiling_read_iops"`
	CeilingWrite float64 `json:"ceiling_write_iops"`
	Form         string  `json:"form"`    // "fuse" or "nbd": what the block device is made of
	Backing      string  `json:"backing"` // the filesystem that holds the data: "ext4 on /dev/vda"
}

// Proof is what an emulated device did just before a run, when nobody else used
// it, and how late it was during the run. Latencies are in nanoseconds.
type Proof struct {
	Role string `json:"role"` // of the volume
	// Expected and Measured are medians of single reads and writes of 8 KiB, one
	// after the other; Expected is the model's.
	ExpectedRead  int64 `json:"expected_read_ns"`
	MeasuredRead  int64 `json:"measured_read_ns"`
	ExpectedWrite int64 `json:"expected_write_ns"`
	MeasuredWrite int64 `json:"measured_write_ns"`
	// BoundRead and BoundWrite are by how much the medians may differ: what the method
	// allows, and as much as chance makes medians of so few operations differ.
	BoundRead  int64 `json:"bound_read_ns"`
	BoundWrite int64 `json:"bound_write_ns"`
	Operations int   `json:"operations"` // of each kind in the proof
	// Late is by how much operations of the run ended after the model's time.
	Answered int64 `json:"answered"` // operations during the load
	LateMean int64 `json:"late_mean_ns"`
	LateP99  int64 `json:"late_p99_ns"`
	LateMax  int64 `json:"late_max_ns"`
	// CPU is what the emulator itself used during the load, in seconds.
	CPU float64 `json:"cpu_s"`
}

// Basis says where the numbers of an environment come from: "measured", or
// "emulated" where one of its volumes is a model.
func (e Environment) Basis() string {
	for _, v := range e.AllVolumes() {
		if v.Emulation != nil {
			return "emulated"
		}
	}
	return "measured"
}
