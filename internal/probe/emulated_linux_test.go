package probe

import (
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/emulator"
	"plinth/internal/experiment"
	"plinth/internal/host/hosttest"
	"plinth/internal/unit"
	"plinth/internal/volume"
)

// slow is a device with the limits of a volume. Its latency is long, so that the wake-up latency
// of this machine hardly matters.
var slow = device.Device{Name: "slow",
	Read: device.Latency{Median: unit.Duration(4 * time.Millisecond)}, Write: device.Latency{Median: unit.Duration(6 * time.Millisecond)},
	IOPS: device.Limit{Rate: 2000}, Throughput: device.FlowLimit{Rate: unit.Rate(100 * unit.MiB)}, OperationSize: 256 * unit.KiB}

// emulate makes the probe target an emulation of slow.
func (l *lab) emulate() {
	l.Helper()
	model := slow
	made, err := volume.Make(l.Context(), volume.Options{Journal: l.options.Journal, Launcher: l.options.Launcher, Name: "plinth-probe-test"},
		experiment.Part{Role: experiment.RoleData, Name: experiment.RoleData, Volume: experiment.Volume{Disk: experiment.Disk{
			Emulate: experiment.Emulation{Name: "slow", Model: &model}, Size: 256 * unit.MiB, Backing: l.TempDir()}}})
	if err != nil {
		l.Fatal(err)
	}
	l.options.Path, l.options.Size, l.options.For = made.Path, 32*unit.MiB, Shortest
}

// TestProbeOfAModel probes an emulated device, which is never faster than its model.
func TestProbeOfAModel(t *testing.T) {
	t.Parallel()
	hosttest.NeedRoot(t)
	// A busy machine's path cost would be subtracted from the delays.
	volume.Uncalibrated(emulator.PathCost{ReadIOPS: 1, WriteIOPS: 1})
	l := newLab(t, "")
	l.emulate()
	r, err := Run(t.Context(), l.options)
	if err != nil {
		t.Fatal(err)
	}
	d := r.Device
	// The steps are so short that an initial burst within a limit matters, and latency histograms
	// have buckets.
	for what, c := range map[string]struct{ got, least, most float64 }{
		"latency of a read, s":  {d.Read.Median.Seconds(), 0.98 * slow.Read.Median.Seconds(), 60},
		"latency of a write, s": {d.Write.Median.Seconds(), 0.98 * slow.Write.Median.Seconds(), 60},
		"IOPS":                  {d.IOPS.Rate, 1, 1.15 * slow.IOPS.Rate},
		"bytes a second":        {float64(d.Throughput.Rate), 1, 1.15 * float64(slow.Throughput.Rate)},
	} {
		if c.got < c.least || c.got > c.most {
			t.Errorf("%s: got %g, want %g to %g", what, c.got, c.least, c.most)
		}
	}
}
