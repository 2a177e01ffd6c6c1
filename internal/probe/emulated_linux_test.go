package probe

import (
	"fmt"
	"os"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/unit"
	"plinth/internal/volume"
)

// TestProbeRecoversAModel emulates a device and probes it: what comes out is what
// went in. The limits are those of a volume; the latency is long, so that how late
// this machine wakes hardly counts.
func TestProbeRecoversAModel(t *testing.T) {
	if os.Geteuid() != 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("an emulated device needs root")
		}
		t.Skip("an emulated device needs root")
	}
	model := device.Device{Name: "slow",
		Read: device.Latency{Median: unit.Duration(4 * time.Millisecond)}, Write: device.Latency{Median: unit.Duration(6 * time.Millisecond)},
		IOPS: device.Limit{Rate: 2000}, Throughput: device.FlowLimit{Rate: unit.Rate(100 * unit.MiB)}, OperationSize: 256 * unit.KiB}
	l := newLab(t, "")
	made, err := volume.Make(t.Context(), volume.Options{Journal: l.options.Journal, Launcher: l.options.Launcher, Name: "plinth-probe-test"},
		experiment.Part{Role: experiment.RoleData, Name: experiment.RoleData, Volume: experiment.Volume{Disk: experiment.Disk{
			Emulate: experiment.Emulation{Name: "slow", Model: &model}, Size: 256 * unit.MiB, Backing: t.TempDir()}}})
	if err != nil {
		t.Fatal(err)
	}
	l.options.Path, l.options.Size, l.options.For = made.Path, 32*unit.MiB, Shortest
	var wrong []string
	for range 3 { // somebody else may be busy, too
		if wrong = probedAs(t, l.options, model); len(wrong) == 0 {
			return
		}
		t.Log("again: ", wrong)
	}
	t.Error(wrong)
}

// probedAs is what a probe finds that is not the model's: latencies within 5 %, and
// limits within 8 %, since steps are so short here that the first answers' latency
// counts.
func probedAs(t *testing.T, o Options, model device.Device) (wrong []string) {
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	d := r.Device
	t.Logf("%s", d.YAML())
	for what, c := range map[string]struct{ got, want, within float64 }{
		"read, s":        {d.Read.Median.Seconds(), model.Read.Median.Seconds(), 0.05},
		"write, s":       {d.Write.Median.Seconds(), model.Write.Median.Seconds(), 0.05},
		"IOPS":           {d.IOPS.Rate, model.IOPS.Rate, 0.08},
		"bytes a second": {float64(d.Throughput.Rate), float64(model.Throughput.Rate), 0.08},
	} {
		if !near(c.got, c.want, c.within) {
			wrong = append(wrong, fmt.Sprintf("%s: got %g, want %g", what, c.got, c.want))
		}
	}
	if d.WriteCache {
		wrong = append(wrong, "a device without a write cache seems to have one")
	}
	return wrong
}
