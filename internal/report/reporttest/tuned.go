package reporttest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// jitter returns a factor around 1 that depends only on the run.
func jitter(run *record.Run, deviation float64) float64 {
	h := fnv.New64a()
	h.Write([]byte(run.Path()))
	return 1 + deviation*rand.New(rand.NewPCG(h.Sum64(), 1)).NormFloat64()
}

// InSteps returns a record of an experiment in steps, with three workloads at two client
// counts. The cliff of the first step is less deep in the second, and gone in the last. Lines are further
// lines of the experiment file.
func InSteps(t *testing.T, repeats int, lines ...string) *record.Record {
	t.Helper()
	rec, e := NewRecord(t, fmt.Sprintf(`
name: journey
question: What is each step of the published journey worth here?
dataset: {scale: 100}
workloads: [select-only, simple-update, tpcb-like]
clients: [1, 100]
repeats: %d
seed: 42
allow_host: true
interleave: block
environments:
  default: {}
  kernel: {tuning: [{vm.swappiness: 1, vm.dirty_background_bytes: 8MiB}]}
  server: {tuning: [{vm.swappiness: 1, vm.dirty_background_bytes: 8MiB, bgwriter_delay: 10ms}]}
steps:
  - {name: default, change: default PostgreSQL on default Linux}
  - {name: kernel, change: "early flushing of dirty pages, no swapping"}
  - {name: server, change: "background writer at 10 ms, group commit"}
%s
`, repeats, strings.Join(lines, "\n")))
	speed := map[string]float64{"default": 1, "kernel": 1.4, "server": 1.6}
	depth := map[string]float64{"default": 0.55, "kernel": 0.3}
	for _, repeat := range e.Schedule() {
		for _, slot := range repeat {
			tps := 100 * float64(slot.Cell.Clients)
			if slot.Cell.Workload == "select-only" {
				tps *= 9
			} else {
				tps *= speed[slot.Environment]
			}
			run := Measured(t, rec, record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1}, tps, 10)
			run.Result.TPS *= jitter(run, 0.01)
			run.Result.Latency.Mean = 1e9 * float64(slot.Cell.Clients) / run.Result.TPS
			run.Figures = map[string]float64{"tps-peak": 1.2 * run.Result.TPS, "tps-lowest": 0.4 * run.Result.TPS, "tps-variation": 0.3, "tps-drop": 0}
			if slot.Cell.Workload == "tpcb-like" && depth[slot.Environment] > 0 {
				run.Figures["tps-drop"], run.Figures["tps-drop-second"] = depth[slot.Environment]*jitter(run, 0.05), 20+float64(slot.Repeat%3)
			}
		}
	}
	kernel := []record.Knob{
		{Layer: "kernel", Key: "vm.swappiness", Was: "60", Value: "1", Group: "swap", From: "ebs-kernel", Reason: "a database brings its own cache", Host: true},
		{Layer: "kernel", Key: "vm.dirty_background_bytes", Was: "0", Value: "8388608", Group: "flushing", From: "ebs-kernel", Reason: "1 % of 800 MiB", Host: true},
		{Layer: "cpu", Key: "scaling_governor", Value: "performance", Group: "governor", From: "ebs-kernel", NotApplicable: "this machine has no frequency governor"},
	}
	server := append(append([]record.Knob{}, kernel...), record.Knob{Layer: "server", Key: "bgwriter_delay", Was: "200ms", Value: "10ms", Group: "bgwriter", From: "ebs-server", Reason: "buffers are clean before they are needed"})
	Tune(rec, "kernel", kernel, "ebs-kernel")
	Tune(rec, "server", server, "ebs-kernel", "ebs-server")
	rec.Summary.LeftOut = []record.LeftOut{{Environment: "governor", Change: "performance governor", Reason: "this machine has no frequency governor", Step: 3}}
	for i := range rec.Runs {
		if i%9 == 4 {
			rec.Runs[i].Phases.Switch = 4.2 + float64(i%5)
			rec.Runs[i].Phases.Switched = &record.Switch{Stop: 0.4, Sync: 2.1, Tune: 0.02, Start: 0.6, Settle: 1, Dirty: 3 << 20}
		}
	}
	return rec
}

// Tune gives an environment of a record these knobs, set by profiles.
func Tune(rec *record.Record, name string, knobs []record.Knob, profiles ...string) {
	e := rec.Environments[name]
	e.Tuning = &record.Tuning{Profiles: profiles, Knobs: knobs}
	rec.Environments[name] = e
}

// ablation returns a record of an ablation whose runs have the given throughput by environment, with a deviation.
func ablation(t *testing.T, file string, repeats int, deviation float64, tps func(e *experiment.Experiment, environment string) float64) *record.Record {
	t.Helper()
	rec, e := NewRecord(t, fmt.Sprintf(`
dataset: {scale: 100}
workloads: [tpcb-like]
clients: [100]
repeats: %d
seed: 42
allow_host: true
interleave: block
`, repeats)+file)
	for _, repeat := range e.Schedule() {
		for _, slot := range repeat {
			run := Measured(t, rec, record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: 1}, tps(e, slot.Environment), 10)
			run.Result.TPS *= jitter(run, deviation)
		}
	}
	return rec
}

// Screened returns a record of a screening design of four groups: flushing makes it a fifth faster, bgwriter a
// twentieth slower, group commit a tenth faster where flushing is, too, and memory changes nothing.
func Screened(t *testing.T, repeats int) *record.Record {
	t.Helper()
	rec := ablation(t, `
name: screening
question: Which of these matters?
ablate: screen
environments:
  tuned:
    tuning:
      - name: mine
        settings:
          - {knob: vm.dirty_background_ratio, value: 1, group: flushing}
          - {knob: bgwriter_delay, value: 10ms, group: bgwriter}
          - {knob: commit_delay, value: 50, group: group commit}
          - {knob: work_mem, value: 32MB, group: memory}
`, repeats, 0.02, func(e *experiment.Experiment, environment string) float64 {
		has := func(group string) bool {
			with, _ := e.Halves(group)
			return slices.Contains(with, environment)
		}
		tps := 1000.0
		if has("flushing") {
			tps *= 1.2
		}
		if has("bgwriter") {
			tps *= 0.95
		}
		if has("flushing") && has("group commit") {
			tps *= 1.1
		}
		return tps
	})
	Tune(rec, experiment.AblationAll, []record.Knob{
		{Layer: "kernel", Key: "vm.dirty_background_ratio", Was: "10", Value: "1", Group: "flushing", From: "mine", Host: true},
		{Layer: "server", Key: "bgwriter_delay", Was: "200ms", Value: "10ms", Group: "bgwriter", From: "mine"},
		{Layer: "server", Key: "commit_delay", Was: "0", Value: "50", Group: "group commit", From: "mine"},
		{Layer: "server", Key: "work_mem", Was: "4MB", Value: "32MB", Group: "memory", From: "mine"},
	}, "mine")
	return rec
}

// TakenApart returns a record of an ablation by groups, two at a time: flushing and bgwriter
// need each other, group commit has a small separate effect, swap none.
func TakenApart(t *testing.T, repeats int) *record.Record {
	t.Helper()
	speed := map[string]float64{
		"none": 1000, "all": 1560, "without-flushing": 1090, "without-bgwriter": 1200, "without-group-commit": 1480,
		"without-flushing-without-bgwriter": 1050, "without-flushing-without-group-commit": 1030, "without-bgwriter-without-group-commit": 1140,
	}
	rec := ablation(t, `
name: ablation
question: Which of these did it?
ablate: pairs
environments:
  tuned:
    tuning:
      - name: mine
        settings:
          - {knob: vm.dirty_background_ratio, value: 1, group: flushing}
          - {knob: vm.dirty_writeback_centisecs, value: 100, group: flushing}
          - {knob: bgwriter_delay, value: 10ms, group: bgwriter}
          - {knob: commit_delay, value: 50, group: group commit}
`, repeats, 0.01, func(_ *experiment.Experiment, environment string) float64 { return speed[environment] })
	Tune(rec, "all", []record.Knob{
		{Layer: "kernel", Key: "vm.dirty_background_ratio", Was: "10", Value: "1", Group: "flushing"},
		{Layer: "kernel", Key: "vm.dirty_writeback_centisecs", Was: "500", Value: "100", Group: "flushing"},
		{Layer: "server", Key: "bgwriter_delay", Was: "200ms", Value: "10ms", Group: "bgwriter"},
		{Layer: "server", Key: "commit_delay", Was: "0", Value: "50", Group: "group commit"},
		{Layer: "cpu", Key: "scaling_governor", Value: "performance", Group: "governor", NotApplicable: "this machine has no frequency governor"},
	}, "ebs-final")
	rec.Summary.LeftOut = []record.LeftOut{{Environment: "without-governor", Reason: "this machine has no frequency governor"}}
	return rec
}

// HostileTuning puts hostile text into everything about tuning.
func HostileTuning(rec *record.Record) *record.Record {
	const text = "\x1b]0;owned\a<b>yes</b> | `rm` *_[x](http://x) \u202Eti si\n\" ><i>"
	for i := range rec.Summary.LeftOut {
		rec.Summary.LeftOut[i].Reason, rec.Summary.LeftOut[i].Change, rec.Summary.LeftOut[i].Step = text, text, -7
	}
	for name, e := range rec.Environments {
		if e.Tuning == nil {
			continue
		}
		tuned := record.Tuning{Profiles: []string{text}}
		for _, k := range e.Tuning.Knobs {
			k.Was, k.Value, k.Reason, k.From = text, text, text, text
			if k.NotApplicable != "" {
				k.NotApplicable = text
			}
			tuned.Knobs = append(tuned.Knobs, k)
		}
		e.Tuning = &tuned
		rec.Environments[name] = e
	}
	return rec
}
