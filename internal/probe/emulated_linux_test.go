package probe

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
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
	l.options.Path, l.options.Size, l.options.For = l.emulated(slow), 32*unit.MiB, Shortest
}

// emulated returns a directory on an emulated device.
func (l *lab) emulated(model device.Device) string {
	l.Helper()
	made, err := volume.Make(l.Context(), volume.Options{Journal: l.options.Journal, Launcher: l.options.Launcher, Name: "plinth-probe-" + model.Name},
		experiment.Part{Role: experiment.RoleData, Name: experiment.RoleData, Volume: experiment.Volume{Disk: experiment.Disk{
			Emulate: experiment.Emulation{Name: model.Name, Model: &model}, Size: 256 * unit.MiB, Backing: l.TempDir()}}})
	if err != nil {
		l.Fatal(err)
	}
	return made.Path
}

// TestProbeOfAModel probes an emulated device, which is never faster than its model.
func TestProbeOfAModel(t *testing.T) {
	t.Parallel()
	hosttest.NeedRoot(t)
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

// inMillis returns a constant latency in milliseconds.
func inMillis(ms float64) device.Latency {
	return device.Latency{Median: unit.Duration(ms * float64(time.Millisecond))}
}

// lyingVolume is a volume with two replicas that reads and writes faster than the disk under it, sluggish. frozen is a disk so
// slow that every volume is faster, whatever delays a busy machine adds.
var (
	lyingVolume = device.Device{Name: "lying", Read: inMillis(0.6), Write: inMillis(0.5), Replicas: 2, RoundTrip: inMillis(0.4)}
	sluggish    = device.Device{Name: "sluggish", Read: inMillis(100), Write: inMillis(100)}
	frozen      = device.Device{Name: "frozen", Read: inMillis(60_000), Write: inMillis(60_000)}
)

// TestProbeOfALyingVolume probes an emulated volume beside its local disk, and beside the model of one that is slower. What
// measured disks show depends on the load of the machine: TestMeasureLyingVolume has that.
func TestProbeOfALyingVolume(t *testing.T) {
	t.Parallel()
	hosttest.NeedRoot(t)
	l := newLab(t, "")
	l.options.Path = l.emulated(lyingVolume)
	l.options.twoSteps()
	beside := l.options
	beside.Local = l.emulated(sluggish)
	r, err := Run(t.Context(), beside)
	if err != nil {
		t.Fatal(err)
	}
	if l := r.Local; l.Target == nil || l.Target.Path != beside.Local || len(l.Steps) != len(beside.only) || len(l.Comparisons) != 2 {
		t.Errorf("the local disk: %+v", l)
	}
	l.options.LocalModel = &frozen
	if r, err = Run(t.Context(), l.options); err != nil {
		t.Fatal(err)
	}
	if got := aboutLocal(r.Notes); !slices.Equal(got, lies) {
		t.Errorf("got %v, want %v: %+v", got, lies, r.Local)
	}
}

// lies are the rules that name a volume which is faster than its local disk.
var lies = []string{"cached-reads", "early-acknowledgement"}

// aboutLocal returns the rules of notes on the local disk.
func aboutLocal(notes []Note) []string {
	return slices.DeleteFunc(rules(notes), func(rule string) bool { return !slices.Contains(lies, rule) && rule != "local-undecided" })
}

// twoSteps limits a probe to random reads and commits, in five slices.
func (o *Options) twoSteps() {
	o.Size, o.For, o.only = LeastSize, 4200*time.Millisecond, []Step{steps[0], steps[3]}
}

// TestLocalIsRefused checks the errors about a local disk that cannot be compared.
func TestLocalIsRefused(t *testing.T) {
	t.Parallel()
	dir, memory := hosttest.OpenDir(t), t.TempDir()
	wanted := map[string]string{filepath.Join(dir, "none"): "no such file or directory", dir: "both are on the same disk"}
	if f, err := host.FilesystemOf(memory); err == nil && f.InMemory {
		wanted[memory] = "it is in memory, not on a disk"
	}
	for local, want := range wanted {
		l := newLab(t, dir)
		l.options.Local = local
		_, err := Run(t.Context(), l.options)
		var target *TargetError
		if !errors.As(err, &target) || !strings.HasSuffix(err.Error(), want) || hint.Of(err) == "" {
			t.Errorf("%s: got %v, hint %q; want %q", local, err, hint.Of(err), want)
		}
	}
}
