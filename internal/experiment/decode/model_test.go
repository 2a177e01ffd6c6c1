package decode

import (
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/experiment/encode"
	"plinth/internal/experiment/experimenttest"
	"plinth/internal/unit"
)

// load parses an experiment with one environment with the given storage.
func load(t *testing.T, dir, storage string) (*experiment.Experiment, error) {
	t.Helper()
	e, _, err := Parse("lab.yaml", []byte("workloads: [select-only]\nenvironments:\n  one: {storage: "+storage+"}\n"), dir, nil)
	return e, err
}

func TestModel(t *testing.T) {
	dir := t.TempDir()
	experimenttest.Write(t, filepath.Join(dir, "mine.yaml"), "name: mine\nread: {median: 2ms}\nwrite: {median: 3ms, p99: 9ms}\niops: {rate: 500}\n")
	for storage, want := range map[string]func(device.Device) bool{
		`{data: {emulate: gp3}}`: func(d device.Device) bool { return d.Name == "gp3" && d.IOPS.Rate == 3000 },
		`{data: {emulate: gp3, iops: 6000, throughput: 250MiB/s}}`: func(d device.Device) bool {
			return d.IOPS.Rate == 6000 && d.Throughput.Rate == unit.Rate(250*unit.MiB)
		},
		`{data: {emulate: gp2, provisioned: 2TiB}}`: func(d device.Device) bool { return d.IOPS.Rate == 3*2048 },
		`{data: {emulate: gp3, latency: 600us}}`:    func(d device.Device) bool { return d.Read.Median.Std() == 600*time.Microsecond },
		`{data: {emulate: longhorn-2r, round_trip: 5ms}}`: func(d device.Device) bool {
			return d.Replicas == 2 && d.RoundTrip.Median.Std() == 5*time.Millisecond
		},
		`{data: {emulate: gp3, write_cache: yes}}`: func(d device.Device) bool { return d.WriteCache && d.Flush.Median > 0 },
		`{data: {emulate: {raid: 10, of: gp3, members: 8}, iops: 4000}}`: func(d device.Device) bool {
			return d.Array.Level == 10 && d.Array.Members == 8 && d.Array.Chunk == 512*unit.KiB && d.Array.Of.IOPS.Rate == 4000
		},
		`{data: {emulate: {raid: 1, of: gp3, members: 2}}}`: func(d device.Device) bool { return d.Array.Chunk == 0 },
		`{data: {emulate: mine.yaml}}`:                      func(d device.Device) bool { return d.Name == "mine" && d.Write.P99.Std() == 9*time.Millisecond },
		`{data: {emulate: {name: ./mine.yaml}}}`:            func(d device.Device) bool { return d.IOPS.Rate == 500 },
		`{data: {emulate: {raid: 0, of: ./mine.yaml, members: 4, chunk: 64KiB}}}`: func(d device.Device) bool {
			return d.Array.Of.Name == "mine" && d.Array.Members == 4 && d.Array.Chunk == 64*unit.KiB
		},
		`{data: {emulate: {model: {name: x, read: {median: 1ms}, write: {median: 1ms}}}}}`: func(d device.Device) bool { return d.Name == "x" },
	} {
		e, err := load(t, dir, storage)
		if err != nil {
			t.Errorf("%s: %v", storage, err)
			continue
		}
		models, err := e.Environments[0].Storage.Data.Models()
		if err != nil || len(models) != 1 || models[0].Check() != nil || !want(models[0]) {
			t.Errorf("%s: %+v, %v", storage, models, err)
		}
	}
}

func TestModelsOfAnArrayOfDisks(t *testing.T) {
	emulated, changed := experiment.Emulation{Name: "gp3"}, experiment.Changes{IOPS: 6000}
	v := experiment.Volume{RAID: "0", Members: []experiment.Disk{{Emulate: emulated}, {Device: "/dev/sdb"}, {Emulate: emulated, Changes: changed}}}
	models, err := v.Models()
	if err != nil || len(models) != 2 || models[0].IOPS.Rate != 3000 || models[1].IOPS.Rate != 6000 || v.Emulated() {
		t.Errorf("%+v, %v", models, err)
	}
	if models, err := (experiment.Volume{Directory: "/a"}).Models(); err != nil || len(models) != 0 {
		t.Errorf("of a directory: %v, %v", models, err)
	}
}

func TestModelOfWhatIsNone(t *testing.T) {
	for _, d := range []experiment.Disk{{}, {Device: "/dev/sdb"}, {Emulate: experiment.Emulation{Name: "gp33"}}, {Emulate: experiment.Emulation{RAID: "0", Of: "x", Members: 2}}, {Emulate: experiment.Emulation{RAID: "10", Of: "gp3", Members: 3}}} {
		if model, err := d.Model(); err == nil {
			t.Errorf("%+v: %+v", d, model)
		}
	}
}

// The encoded experiment is self-contained: it includes the content of model files. No files are read
// for untrusted data.
func TestDeviceFilesAreReadOnce(t *testing.T) {
	dir := t.TempDir()
	experimenttest.Write(t, filepath.Join(dir, "mine.yaml"), "name: slow disk\nread: {median: 2ms}\nwrite: {median: 3ms}\nsource: probed\n")
	e, err := load(t, dir, `{data: {emulate: mine.yaml}}`)
	if err != nil {
		t.Fatal(err)
	}
	emulate := e.Environments[0].Storage.Data.Emulate
	if emulate.Name != "mine" || emulate.Model == nil || emulate.Model.Name != "slow disk" {
		t.Errorf("%+v", emulate)
	}
	back, _, err := Parse("experiment.yaml", encode.YAML(e), "", nil)
	if err != nil || !reflect.DeepEqual(back.Environments, e.Environments) {
		t.Errorf("%v\n%s", err, encode.YAML(e))
	}
	const want = `lab.yaml:3:35: cannot read mine.yaml: this experiment has no directory to read files from`
	if _, err := load(t, "", `{data: {emulate: mine.yaml}}`); err == nil || err.Error() != want {
		t.Errorf("without a directory: %v", err)
	}
}

// Paths refer to the same disks from whichever directory the experiment is resumed.
func TestPathsAreMadeAbsolute(t *testing.T) {
	dir := t.TempDir()
	experimenttest.Write(t, filepath.Join(dir, "lab.yaml"), `
workloads: [select-only]
environments:
  one:
    storage:
      data: {emulate: gp3}
      wal: {file: a.img, size: 1GiB}
      temp: {raid: 0, members: [{emulate: gp3, backing: here}, {emulate: gp3, backing: /b}]}
      tablespaces: {cold: there}
`)
	e, _, err := Load(filepath.Join(dir, "lab.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	s := e.Environments[0].Storage
	for got, want := range map[string]string{
		s.Data.Backing: here, s.WAL.File: here + "/a.img", s.Temp.Members[0].Backing: here + "/here",
		s.Temp.Members[1].Backing: "/b", s.Tablespaces[0].Volume.Directory: here + "/there",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if s.Data.Directory != "" || s.WAL.Backing != "" || s.WAL.Device != "" {
		t.Errorf("paths out of nothing: %+v", s)
	}
}
