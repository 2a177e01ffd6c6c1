package prediction

import (
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/prediction/demand"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// TestSameFlow: a disk of another throughput is a point of a curve of IOPS if the load uses little of it.
func TestSameFlow(t *testing.T) {
	with := func(rate unit.Rate) device.Device {
		d := disk("d", time.Millisecond, 3000)
		d.Throughput.Rate = rate
		return d
	}
	for name, tc := range map[string]struct {
		measured, asked unit.Rate
		bytes           float64 // of a transaction, of which there are 1,000 a second
		want            bool
	}{
		"the same":               {125e6, 125e6, 120e3, true},
		"hardly used":            {500e6, 125e6, 5e3, true},
		"much used":              {500e6, 125e6, 100e3, false},
		"no limit":               {0, 125e6, 5e3, true},
		"use that is not known":  {500e6, 125e6, 0, false},
		"beyond the one of both": {20e6, 125e6, 15e3, false},
	} {
		var c demand.Cell
		c.System.Data, c.Data.Bytes, c.Runs = with(tc.measured), tc.bytes, []demand.Run{{TPS: 1000}}
		if got := sameFlow(c, with(tc.asked)); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestAlike: environments on different filesystems are not alike.
func TestAlike(t *testing.T) {
	of := func(filesystem string) record.Environment {
		return record.Environment{Volumes: []record.Volume{{Role: "data", Filesystem: filesystem, Path: filesystem, Made: []string{"emulated disk of 2GiB", filesystem}}}}
	}
	a, b := of("ext4"), of("ext4")
	b.Volumes[0].Path, b.Volumes[0].Made[0] = "elsewhere", "emulated disk of 3GiB"
	if !alike(a, b) || alike(a, of("xfs")) {
		t.Error("the filesystem is not compared, or what is beneath it is")
	}
}
