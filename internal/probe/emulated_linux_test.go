package probe

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/host/hosttest"
	"plinth/internal/unit"
	"plinth/internal/volume"
)

// TestProbeRecoversAModel emulates a device and probes it: what comes out is what
// went in. The limits are those of a volume; the latency is long, so that how late
// this machine wakes hardly counts.
func TestProbeRecoversAModel(t *testing.T) {
	hosttest.NeedRoot(t)
	hosttest.ComeFirst(t)
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
	// Somebody else may be busy, too, with the disk and with the CPUs: what is wrong each
	// time is wrong.
	wrong := probedAs(t, l.options, model)
	for tries := 1; len(wrong) > 0 && tries < 6; tries++ {
		t.Log("again: ", wrong)
		again := probedAs(t, l.options, model)
		maps.DeleteFunc(wrong, func(what, _ string) bool { return again[what] == "" })
	}
	if len(wrong) > 0 {
		t.Error(wrong)
	}
}

// probedAs is what a probe finds that is not the model's: latencies within 5 %, and
// limits within 8 %, since steps are so short here that the first answers' latency
// counts.
func probedAs(t *testing.T, o Options, model device.Device) map[string]string {
	t.Helper()
	wrong := map[string]string{}
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
			wrong[what] = fmt.Sprintf("got %g, want %g", c.got, c.want)
		}
	}
	if d.WriteCache {
		wrong["write cache"] = "got one, want none"
	}
	return wrong
}
