package validity

import (
	"plinth/internal/device"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// saidGP3 has 3,000 IOPS and 125 MiB/s, and a write takes 1.8 ms (p99 3.1 ms).
var saidGP3 = device.Device{
	Name: "gp3", Write: device.Latency{Median: unit.Duration(1.8e6), P99: unit.Duration(3.1e6)},
	IOPS: device.Limit{Rate: 3000}, Throughput: device.FlowLimit{Rate: 125 * mebi},
}

const mebi = 1 << 20

// saidRun returns a change: the data is on a model, with this activity and mean latency of a write.
func saidRun(model device.Device, io record.VolumeIO, writeLatency float64) func(*Case) {
	return func(c *Case) {
		io.Role = "data"
		c.Environment.Volumes = []record.Volume{{Role: "data", Is: &record.Said{Model: model, Source: "plinth devices"}}}
		c.Run.Volumes = []record.VolumeIO{io}
		c.Run.Figures = map[string]float64{"data-disk-write-latency": writeLatency}
	}
}

var saidTrials = []trial{
	{"as said", saidRun(saidGP3, record.VolumeIO{Reads: 1000, Writes: 2000, WriteBytes: 100 * mebi}, 1.9e6), "", ""},
	{"at the limit", saidRun(saidGP3, record.VolumeIO{Writes: 3100}, 1.9e6), "", ""},
	{"too many operations", saidRun(saidGP3, record.VolumeIO{Reads: 1000, Writes: 2500}, 1.9e6),
		"said-exceeded", "the data volume is declared as gp3, but the run did 3500 operations per second on it, more than its maximum of 3000"},
	{"too many bytes", saidRun(saidGP3, record.VolumeIO{Writes: 1000, WriteBytes: 150 * mebi}, 1.9e6),
		"said-exceeded", "wrote 150 MiB/s on it, more than its maximum of 125 MiB/s"},
	{"an array has the sum", saidRun(saidArray, record.VolumeIO{Reads: 11000}, 1.9e6), "", ""},
	{"mirrors write twice", saidRun(saidArray, record.VolumeIO{Writes: 6100}, 1.9e6), "", ""},
	{"more than an array", saidRun(saidArray, record.VolumeIO{Writes: 7000}, 1.9e6), "said-exceeded", "did 14000 operations per second on it, more than its maximum of 12000"},
	{"too fast", saidRun(saidGP3, record.VolumeIO{Writes: 2000}, 0.2e6),
		"said-too-fast", "99 % of writes take longer than 523µs, but the mean write took 200µs"},
	{"an array that is too fast", saidRun(saidArray, record.VolumeIO{Writes: 2000}, 0.2e6), "said-too-fast", "than 523µs"},
	{"too few writes to tell", saidRun(saidGP3, record.VolumeIO{Writes: 0.5}, 0.2e6), "", ""},
	{"latency not timed", saidRun(saidGP3, record.VolumeIO{Writes: 2000}, 0), "", ""},
	{"no limits", saidRun(device.Device{Name: "mine"}, record.VolumeIO{Writes: 1e6, WriteBytes: 1e12}, 1), "", ""},
}

// saidArray is four of them.
var saidArray = device.Device{Name: "RAID 10 of 4 gp3", Array: &device.Array{Level: 10, Members: 4, Of: &saidGP3}}
