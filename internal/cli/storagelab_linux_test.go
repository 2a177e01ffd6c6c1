package cli

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"plinth/internal/figure/window"
	"plinth/internal/host"
	"plinth/internal/record"
)

// labExperiment covers every kind of storage that needs no separate disk. The emulated devices
// are slow, so that they are on time even on a busy machine.
const labExperiment = `
dataset: {scale: 1, tablespace: cold}
workloads: [tpcb-like]
duration: 2s
warmup: 0s
repeats: 1
seed: 1
emulated_rates: fit
settings: {max_wal_size: 64MB, min_wal_size: 32MB, shared_buffers: 16MB}
events:
  - {name: move, at: 500ms, sql: ALTER TABLE pgbench_tellers SET TABLESPACE pg_default}
  - {name: dump, at: 1s, command: [pg_dump, --file=/dev/null, --table=pgbench_branches]}
environments:
  here-*:
    storage: {data: ., tablespaces: {cold: .}}
  files-*:
    storage:
      data: {file: data.img, size: 512MiB, filesystem: ext4, mount: [noatime]}
      wal: {file: wal.img, size: 512MiB, filesystem: xfs, mkfs: [-s, size=4096]}
      tablespaces: {cold: .}
  cloud-*:
    storage:
      data: {emulate: gp3, size: 512MiB, latency: 10ms, read_ahead: 64KiB}
      wal: {emulate: gp3, size: 512MiB, latency: 5ms, filesystem: xfs}
      temp: {emulate: sata-ssd, size: 64MiB, iops: 500, latency: 5ms}
      tablespaces:
        cold: {emulate: st1, size: 128MiB}
    limits: {cpus: 1, memory: 512MiB}
    pressure: {volume: cold, write: 1MiB/s}
`

func TestStorageLab(t *testing.T) {
	w := newStorageWorld(t)
	w.file("lab.yaml", labExperiment)
	w.says("run 1 of 3", "run", "lab.yaml")
	w.limited("cloud", "emulator", "plinth-neighbour", "pgbench ")
	w.endedWell(w.ends())
	w.madeOf("files", "data", "ext4", "loop device of 512MiB on ", "noatime")
	w.madeOf("files", "wal", "xfs", "loop device of 512MiB on ", "")
	w.madeOf("cloud", "data", "ext4", "emulated gp3 of 512MiB", "")
	w.madeOf("cloud", "wal", "xfs", "emulated gp3 of 512MiB", "")
	w.madeOf("cloud", "temp", "ext4", "emulated sata-ssd of 64MiB", "")
	w.madeOf("cloud", "tablespace cold", "ext4", "emulated st1 of 128MiB", "")
	w.emulates("cloud", 4)
	w.knowsLongest("cloud", true)
	w.knowsLongest("files", false)
	w.happened()
	w.awake()
	w.pressed("cloud", "cold")
	if spaces := w.describes("cloud").Dataset.Tablespaces; len(spaces) != 2 || spaces[0].Name != "cold" || spaces[0].Bytes == 0 {
		t.Errorf("tablespaces: %+v", spaces)
	}
	if temp := w.describes("cloud").Settings["temp_tablespaces"]; temp == "" {
		t.Error("temporary files have no place of their own")
	}
}

// limited checks that a server is in its control group and on its CPUs, and that the processes
// that must stay outside are not in the group.
func (w *storageWorld) limited(environment string, outside ...string) {
	w.Helper()
	limits := w.describes(environment).Limits
	if limits == nil || limits.CPUs == "" || limits.Memory != 512<<20 {
		w.Fatalf("limits: %+v", limits)
	}
	servers := 0
	for _, pid := range w.everybody() {
		if !strings.Contains(fileOf(pid, "cgroup"), w.environment(environment)) {
			continue
		}
		cmdline, status := fileOf(pid, "cmdline"), fileOf(pid, "status")
		if !strings.Contains(status, "\nCpus_allowed_list:\t"+limits.CPUs+"\n") {
			w.Errorf("%q may run on other CPUs than %s", cmdline, limits.CPUs)
		}
		if slices.ContainsFunc(outside, func(word string) bool { return strings.Contains(cmdline, word) }) {
			w.Errorf("in the server's control group: %q", cmdline)
		}
		if strings.Contains(cmdline, "postgres") {
			servers++
		}
	}
	if servers < 2 {
		w.Errorf("%d processes of the server are in its control group", servers)
	}
}

// endedWell checks that every run is valid, and the record complete.
func (w *storageWorld) endedWell(code int) {
	w.Helper()
	for _, run := range w.record().Runs {
		if run.Status != record.Valid || run.Result.Transactions == 0 {
			w.Errorf("a run of %s is %s, with %d transactions: %+v", run.Environment, run.Status, run.Result.Transactions, run.Reasons)
		}
	}
	if state := w.record().Summary.State; code != 0 || state != record.Complete {
		w.Errorf("exit code %d, the record is %s:\n%s", code, state, w.said)
	}
}

// awake checks that the CPUs of a virtual machine were kept from halting, and that this time is
// not counted as the machine's. A busy machine may have no idle time.
func (w *storageWorld) awake() {
	w.Helper()
	if awake := w.record().Summary.Awake; awake != host.IsVirtual() {
		w.Errorf("CPUs were kept awake: %v", awake)
	}
	for _, run := range w.record().Runs {
		if e := run.Evidence; e == nil || e.Machine.Idle < 0 || e.Machine.User+e.Machine.System+e.Machine.Idle > 1.5*e.Covered*float64(runtime.NumCPU()) {
			w.Errorf("the machine's time in a run of %s, of which the CPUs awake are no part: %+v", run.Environment, e)
		}
	}
}

// madeOf checks what the record says about one volume.
func (w *storageWorld) madeOf(environment, role, filesystem, made, option string) {
	w.Helper()
	for _, v := range w.describes(environment).Volumes {
		if v.Role != role {
			continue
		}
		if v.Filesystem != filesystem || !strings.Contains(strings.Join(v.Made, ", "), made) || !strings.Contains(v.Options, option) || v.Size == 0 {
			w.Errorf("the %s volume of %s: %+v", role, environment, v)
		}
		return
	}
	w.Errorf("the record of %s has no %s volume", environment, role)
}

// emulates checks that each volume of an environment is emulated, and was verified in every run.
func (w *storageWorld) emulates(environment string, volumes int) {
	w.Helper()
	described := w.describes(environment)
	if len(described.Volumes) != volumes || described.Basis() != "emulated" {
		w.Errorf("%d volumes of %s, which is %s", len(described.Volumes), environment, described.Basis())
	}
	for _, v := range described.Volumes {
		e := v.Emulation
		if e == nil || e.RateScale <= 0 || e.PathRead <= 0 || e.PathWrite <= 0 || e.CeilingRead <= 0 || e.CeilingWrite <= 0 || e.Backing == "" {
			w.Errorf("the emulation under %s: %+v", v.Role, e)
		}
	}
	for _, run := range w.runsOf(environment) {
		if len(run.Calibrations) != volumes {
			w.Errorf("%d proofs of %d volumes", len(run.Calibrations), volumes)
		}
		for i, p := range run.Calibrations {
			// The rules judge the precision; without emulation these would be far off.
			if p.Role != described.Volumes[i].Role || p.Operations == 0 || p.MeasuredRead < p.ExpectedRead/4 || p.MeasuredWrite < p.ExpectedWrite/4 {
				w.Errorf("a proof: %+v", p)
			}
		}
	}
}

// knowsLongest checks that the longest write to each disk is a figure if the disk is emulated. A
// machine too busy to read the emulators leaves a gap, but not for the reason of other disks.
func (w *storageWorld) knowsLongest(environment string, emulated bool) {
	w.Helper()
	for _, run := range w.runsOf(environment) {
		for _, name := range []string{"data-disk-write-latency-max", "wal-disk-write-latency-max"} {
			longest, known := run.Figures[name]
			i := slices.IndexFunc(run.FigureGaps, func(g record.Gap) bool { return g.What == name })
			switch {
			case known && emulated && longest > 0:
			case known || i < 0:
				w.Errorf("%s of %s is %g, known %v", name, environment, longest, known)
			case strings.Contains(run.FigureGaps[i].Why, "emulated devices only") == emulated, strings.HasPrefix(run.FigureGaps[i].Why, window.NotRecorded):
				w.Errorf("%s of %s: %s", name, environment, run.FigureGaps[i].Why)
			}
		}
	}
}

// happened checks that each event of each run happened on time, was timed and was marked.
func (w *storageWorld) happened() {
	w.Helper()
	due := map[string]float64{"move": 0.5, "dump": 1}
	for _, run := range w.record().Runs {
		var marks []string
		for _, e := range run.Events {
			if e.At < due[e.Name] || e.Took <= 0 || e.Error != "" {
				w.Errorf("%+v", e)
			}
		}
		for _, m := range run.Telemetry.Marks {
			if strings.HasPrefix(m.Kind, "event-") {
				name, _, _ := strings.Cut(m.Text, " ")
				marks = append(marks, strings.TrimSuffix(name, ":")+" "+strings.TrimPrefix(m.Kind, "event-"))
			}
		}
		slices.Sort(marks)
		if got := strings.Join(marks, ", "); got != "dump end, dump start, move end, move start" {
			w.Errorf("marks: %s", got)
		}
	}
}

// pressed checks that the neighbour of an environment wrote to the volume.
func (w *storageWorld) pressed(environment, volume string) {
	w.Helper()
	asked := w.describes(environment).Pressure
	for _, run := range w.runsOf(environment) {
		if p := run.Pressure; p == nil || asked == nil || p.Volume != volume || p.Write <= 0 {
			w.Errorf("pressure: %+v, asked for %+v", p, asked)
		}
	}
}

// Two built-in experiments run in their smallest form, with slower devices, which are on time
// even on a busy machine.
func TestStorageBuiltins(t *testing.T) {
	smallest := []string{
		"workloads=[tpcb-like]", "clients=1", "threads=1", "duration=1s", "warmup=0s", "repeats=1", "dataset.scale=1", "seed=1",
		"settings.max_wal_size=64MB", "settings.min_wal_size=32MB", "settings.shared_buffers=16MB", "settings.maintenance_work_mem=16MB",
	}
	for name, sets := range map[string][]string{
		"wal-separation": {
			"storage.data.latency=5ms", "environments.two-devices.storage.wal.latency=5ms",
		},
		"replicated-storage": {
			"environments.replicas-1=", "environments.replicas-2=",
			"environments.replicas-2-shared.storage.data.latency=5ms",
			"environments.replicas-2-shared.pressure={write: 1MiB/s, read: 1MiB/s}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newStorageWorld(t)
			args := []string{"run", name}
			for _, set := range append(sets, smallest...) {
				args = append(args, "--set", set)
			}
			w.says("run 1 of 2", args...)
			w.endedWell(w.ends())
			for _, e := range w.record().Environments {
				if e.Basis() != "emulated" || (e.Limits != nil) != (name == "wal-separation") || (e.Pressure != nil) != strings.HasSuffix(e.Name, "-shared") {
					t.Errorf("%s is %s, with limits %+v and pressure %+v", e.Name, e.Basis(), e.Limits, e.Pressure)
				}
			}
			if runs := w.record().Runs; len(runs) < 2 {
				t.Errorf("%d runs", len(runs))
			}
		})
	}
}
