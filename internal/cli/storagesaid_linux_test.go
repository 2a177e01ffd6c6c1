package cli

import (
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
	"plinth/internal/unit"
	"plinth/internal/volume"
)

// TestSaid runs experiments in a directory on an emulated device of which plinth knows only what the
// experiment says: the ceilings are those of the emulator's model, and a false word is contradicted.
// An emulated device is never faster than its model, however busy the machine is.
func TestSaid(t *testing.T) {
	w := newStorageWorld(t)
	model := device.Device{Name: "slow",
		Read: device.Latency{Median: unit.Duration(4 * time.Millisecond)}, Write: device.Latency{Median: unit.Duration(6 * time.Millisecond)},
		IOPS: device.Limit{Rate: 700}, Throughput: device.FlowLimit{Rate: unit.Rate(40 * unit.MiB)}}
	mounted := mountEmulated(t, w, model)
	w.file("slow.yaml", string(model.YAML()))
	w.file("said.yaml", `
dataset: {scale: 1}
workloads: [tpcb-like]
transactions: 1000 # each writes WAL, so there are enough writes, and seconds, however slow the machine is
warmup: 0s
repeats: 1
seed: 1
settings: {max_wal_size: 64MB, min_wal_size: 32MB, shared_buffers: 16MB}
environments:
  true-*:  {storage: {data: {directory: `+mounted+`, is: slow.yaml}}}
  false-*: {storage: {data: {directory: `+mounted+`, is: gp3, iops: 4000, latency: 20s}}}
`)
	if out, err := w.bounded(patience, "run", "said.yaml", "--quiet"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	runs := w.record().Runs
	if len(runs) != 2 {
		t.Fatalf("%d runs", len(runs))
	}
	for _, run := range runs {
		iops, flow, source := 700.0, 40.0*(1<<20), "is: slow (the model file slow), without bursts"
		rules := ""
		if strings.HasPrefix(run.Environment, "false") {
			iops, flow, source, rules = 4000, 125*(1<<20), "is: gp3 (plinth devices), without bursts", "said-too-fast"
		}
		for _, r := range run.Resources {
			want := map[bool]float64{strings.HasSuffix(r.Name, " iops"): iops, strings.HasSuffix(r.Name, " throughput"): flow}[true]
			if want == 0 {
				continue
			}
			if r.Ceiling != want || r.From != source || math.Abs(r.Use-r.Mean/want) > 1e-9 || r.Mean <= 0 {
				t.Errorf("%s: %+v, want a ceiling of %g from %s", run.Environment, r, want, source)
			}
		}
		var found []string
		for _, note := range run.Warnings {
			if strings.HasPrefix(note.Rule, "said-") {
				found = append(found, note.Rule)
			}
		}
		if got := strings.Join(found, " "); got != rules {
			t.Errorf("%s: warnings %q, want %q: %+v", run.Environment, got, rules, run.Warnings)
		}
	}
	for environment, want := range map[string]string{"true": " 700/s", "false": "\ndata disk write latency "} {
		out, err := w.bounded(patience, "show", "latest", "--run", environment+"-"+w.suffix)
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%v: the page of the run lacks %q:\n%s", err, want, out)
		}
	}
}

// TestSaidOfAnotherDisk checks that an experiment is refused before it begins if a model file was
// measured on another disk than the one it is used for, and that emulation accepts such a file.
func TestSaidOfAnotherDisk(t *testing.T) {
	w := newStorageWorld(t)
	dir := hosttest.OpenDir(t)
	here, visible := volume.DiskAt(dir)
	model := device.Device{Name: "slow", Disk: here,
		Read: device.Latency{Median: unit.Duration(4 * time.Millisecond)}, Write: device.Latency{Median: unit.Duration(6 * time.Millisecond)}}
	w.file("this.yaml", string(model.YAML()))
	model.Disk = device.Disk{Model: "a disk of another machine", Transport: "nvme", Size: 2*here.Size + unit.GiB}
	w.file("other.yaml", string(model.YAML()))
	w.file("said.yaml", `
dataset: {scale: 1}
workloads: [select-only]
duration: 1s
repeats: 1
settings: {max_wal_size: 64MB, min_wal_size: 32MB, shared_buffers: 16MB}
environments:
  disk-*: {storage: {data: {directory: ., is: this.yaml}}}
`)
	data := "environments." + w.environment("disk") + ".storage.data="
	for _, try := range []struct {
		storage string
		refused bool
	}{
		{"{directory: " + dir + ", is: this.yaml}", false},
		{"{directory: " + dir + ", is: other.yaml}", visible},
		{"{file: " + dir + "/x.img, size: 512MiB, is: other.yaml}", visible},
		{"{emulate: other.yaml}", false},
	} {
		out, err := w.bounded(patience, "run", "said.yaml", "--dry-run", "--set", data+try.storage)
		var exit *exec.ExitError
		if refused := errors.As(err, &exit) && exit.ExitCode() == 2; refused != try.refused || err != nil && !refused {
			t.Errorf("%s: %v\n%s", try.storage, err, out)
		}
		want := "cannot use the model file other for data: it was measured on a disk of another machine (" // and its size
		if try.refused && (!strings.Contains(out, want) || !strings.Contains(out, "and data is on "+here.String()) || !strings.Contains(out, "hint: probe this disk")) {
			t.Errorf("%s: it says\n%s", try.storage, out)
		}
	}
	if out, err := w.bounded(patience, "run", "said.yaml", "--set", data+"{directory: "+dir+", is: other.yaml}"); visible && err == nil {
		t.Errorf("it runs:\n%s", out)
	}
	if left, _ := filepath.Glob(filepath.Join(w.dir, "results", "*")); visible && len(left) > 0 {
		t.Errorf("a refused experiment leaves %v", left)
	}
	if out, err := w.bounded(patience, "devices", "other.yaml"); err != nil || !strings.Contains(out, "measured on  a disk of another machine (") {
		t.Errorf("%v: the model is shown as\n%s", err, out)
	}
}

// mountEmulated mounts an emulated device for the duration of the test, and returns its mount point.
func mountEmulated(t *testing.T, w *storageWorld, model device.Device) string {
	t.Helper()
	j, err := journal.Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	made, err := volume.Make(t.Context(), volume.Options{Journal: j, Launcher: launch.NewLocal(), Name: "plinth-said-" + w.suffix},
		experiment.Part{Role: experiment.RoleData, Name: experiment.RoleData, Volume: experiment.Volume{Disk: experiment.Disk{
			Emulate: experiment.Emulation{Name: model.Name, Model: &model}, Size: 1 * unit.GiB, Backing: t.TempDir()}}})
	if err != nil {
		t.Fatal(err)
	}
	// plinth refuses the mount points of other experiments, which end with them.
	bound := filepath.Join(w.dir, "disk")
	if err := os.Mkdir(bound, 0o755); err != nil {
		t.Fatal(err)
	}
	bind := syscall.Mount(filepath.Dir(made.Path), bound, "", syscall.MS_BIND, "")
	t.Cleanup(func() {
		if err := errors.Join(syscall.Unmount(bound, 0), made.Remove(context.Background()), j.Close()); err != nil {
			t.Error(err)
		}
	})
	if bind != nil {
		t.Fatal(bind)
	}
	return bound
}
