package pagetest

import (
	"os"
	"path/filepath"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/experiment/encode"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// Created is when all made records began.
var Created = time.Date(2026, 11, 21, 3, 15, 0, 0, time.UTC)

// machine holds what all made records were made on.
var machine = host.Facts{
	MachineID: "5f0c1b", OS: "Debian GNU/Linux 12 (bookworm)", Kernel: "6.1.0-28-amd64", Arch: "amd64",
	CPUModel: "AMD EPYC 9354P 32-Core Processor", CPUs: 8, Memory: 32 << 30,
}

// maker carries out a recipe.
type maker struct {
	recipe     Recipe
	experiment *experiment.Experiment
	writer     *record.Writer
	summary    record.Summary
	runs       []record.Run
	at         time.Time
	kinds      map[string]kind
	parquet    map[string][]byte // points of wide records, by environment and cell
	// used again and again: they are large
	window, second *hdrhistogram.Histogram
}

func begin(store string, r Recipe) (*maker, error) {
	e, _, err := decode.Parse(r.Name+".yaml", []byte("name: "+r.Name+"\n"+r.file), "", nil)
	if err != nil {
		return nil, err
	}
	m := &maker{recipe: r, experiment: e, at: Created.Add(time.Minute), kinds: map[string]kind{}, parquet: map[string][]byte{}, window: record.NewHistogram(), second: record.NewHistogram()}
	m.summary = record.Summary{
		Name: e.Name, Question: e.Question, Engine: e.Engine, Plinth: "1.2.3", Command: []string{"plinth", "run", r.Name + ".yaml"},
		Source: r.Name + ".yaml", Seed: e.Seed, Baseline: e.Baseline, Machine: machine, SideBySide: true, Directory: "/srv/bench",
		Planned: e.Schedule().Runs(), Plan: verdict.PlanOf(e),
		Warnings: []record.Note{{Rule: "governor", Text: "the CPU governor is powersave", Hint: "cpupower frequency-set -g performance"}},
	}
	if m.writer, err = record.Create(store, e.Name, Created, &m.summary, encode.YAML(e)); err != nil {
		return nil, err
	}
	if r.begun {
		return m, nil
	}
	for i := range e.Environments {
		if err := m.writer.WriteEnvironment(m.environment(i)); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// all makes the runs that are to happen, and the end of the experiment.
func (m *maker) all() error {
	if m.recipe.begun {
		return m.end(record.Interrupted, "interrupted")
	}
	for _, slot := range m.slots() {
		if m.recipe.runs > 0 && len(m.runs) == m.recipe.runs {
			return m.end(record.Interrupted, "interrupted")
		}
		if err := m.run(slot); err != nil {
			return err
		}
	}
	return m.end(record.Complete, "")
}

func (m *maker) slots() []experiment.Slot {
	var slots []experiment.Slot
	for _, repeat := range m.experiment.Schedule() {
		slots = append(slots, repeat...)
	}
	return slots
}

// run makes a run and commits it.
func (m *maker) run(slot experiment.Slot) error {
	pending, err := m.writer.Begin(id(slot))
	if err != nil {
		return err
	}
	return m.commit(pending, slot)
}

func (m *maker) commit(pending *record.Pending, slot experiment.Slot) error {
	run, points, log := m.measured(id(slot))
	run.Position = slot.Position
	if m.recipe.judge != nil {
		m.recipe.judge(&run)
	}
	if run.Status == record.Failed {
		points = record.Points{}
	} else if err := os.WriteFile(pending.HistogramLog(), log, 0o644); err != nil {
		return err
	}
	if m.recipe.wide > 0 {
		if err := m.samePoints(filepath.Dir(pending.RawDir()), run.RunID, points); err != nil {
			return err
		}
		points = record.Points{}
	}
	if err := os.WriteFile(filepath.Join(pending.RawDir(), "stderr.txt"), []byte("pgbench: made up\n"), 0o644); err != nil {
		return err
	}
	if err := pending.Commit(&run, points); err != nil {
		return err
	}
	m.runs = append(m.runs, run)
	return nil
}

// samePoints writes the points of the first run of a cell in an environment for all
// of its runs: to encode hundreds of wide ones takes the better part of a minute.
func (m *maker) samePoints(dir string, id record.RunID, points record.Points) error {
	key, file := id.Environment+"/"+id.Cell.Path(), filepath.Join(dir, "points.parquet")
	if known, ok := m.parquet[key]; ok {
		return os.WriteFile(file, known, 0o644)
	}
	if err := record.WritePoints(file, points); err != nil {
		return err
	}
	written, err := os.ReadFile(file)
	m.parquet[key] = written
	return err
}

// end writes record.json as the runner does.
func (m *maker) end(state record.State, reason string) error {
	s := m.summary
	s.State, s.Reason, s.Counts = state, reason, record.Count(m.runs)
	if state == record.Complete {
		s.Finished = m.at
	}
	var names []string
	environments := map[string]record.Environment{}
	for i, e := range m.experiment.Environments {
		names = append(names, e.Name)
		environments[e.Name] = m.environment(i)
	}
	var leftOut []record.Note
	s.Samples, leftOut = record.Samples(names, m.runs)
	s.Warnings = append(s.Warnings[:len(s.Warnings):len(s.Warnings)], leftOut...)
	if state != record.Running && len(m.runs) > 0 && s.Plan != nil {
		rec := &record.Record{Path: m.writer.Path(), Summary: s, ExperimentYAML: encode.YAML(m.experiment), Environments: environments, Runs: m.runs}
		c, err := verdict.Of(rec, verdict.Options{})
		if err != nil {
			return err
		}
		s.Verdicts, s.Noise = c.Verdicts, c.Noise
	}
	return m.writer.Save(&s)
}

// environment holds what is under test: the first one on a disk, the others elsewhere
// and with settings of their own.
func (m *maker) environment(i int) record.Environment {
	declared := m.experiment.Environments[i]
	settings := map[string]string{"shared_buffers": "128MB", "fsync": "on", "max_wal_size": "1GB", "wal_sync_method": "fdatasync", "random_page_cost": "4"}
	volume := record.Volume{Role: "data", Path: "/mnt/nvme0/plinth", Filesystem: "ext4", Options: "rw,noatime", Source: "/dev/nvme0n1p1",
		Size: 900 << 30, Free: 700 << 30, Device: "nvme0n1", Disks: []string{"nvme0n1"}}
	if i > 0 {
		settings["random_page_cost"] = "1.1"
		volume.Path, volume.Filesystem = "/mnt/nvme1/plinth", "xfs"
	}
	for _, from := range []map[string]string{m.experiment.Settings, declared.Settings} {
		for name, value := range from {
			settings[name] = value
		}
	}
	return record.Environment{
		Name: declared.Name, Kind: "own", Server: "PostgreSQL", Version: "15.18 (Debian 15.18-0+deb12u1)", VersionN: 150018,
		Settings: settings, Declared: declared.Settings, Transport: "socket", RoundTrip: 38457, Generator: "this machine",
		Address: "/run/plinth/plinth-1", Checkpoint: true, Volumes: []record.Volume{volume},
		Dataset: record.Dataset{Loaded: Created, Duration: 4.2, Rows: 1_000_110, RowsPerSecond: 238e3, Bytes: 150 << 20, SharedBuffers: 128 << 20, Memory: 32 << 30,
			Tables: []record.Table{{Name: "pgbench_accounts", Kind: "table", Rows: 1_000_000, Bytes: 128 << 20}}},
	}
}

func id(slot experiment.Slot) record.RunID {
	return record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1}
}
