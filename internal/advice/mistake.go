package advice

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"plinth/internal/instance"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// Flaw is a kind of mistake. The file mistakes.yaml explains the keys.
type Flaw struct {
	Name   string  `yaml:"name" json:"name"`
	Title  string  `yaml:"title" json:"title"`
	Limit  float64 `yaml:"limit" json:"threshold,omitempty"`
	Source string  `yaml:"source" json:"source"`
}

//go:embed mistakes.yaml
var mistakesYAML []byte

// Flaws returns the kinds of mistakes that are looked for.
func Flaws() []Flaw { return allFlaws() }

var allFlaws = sync.OnceValue(func() []Flaw { return listed[Flaw](mistakesYAML) })

// Mistake is a mistake that a record shows.
type Mistake struct {
	Flaw
	Evidence []string `json:"evidence"`
}

// checks return the evidence of a mistake; nil if the record shows none.
var checks = map[string]func(s *study, f Flaw) []string{
	"burst-as-sustained": burstAsSustained, "reads-hide-writes": readsHideWrites, "one-run": oneRun, "settings-differ": settingsDiffer,
	"generator": generator, "instance-below-volume": instanceBelow,
	"memory-linear": memoryLinear, "dirty-pages": dirtyPages, "background-writer": backgroundWriter, "checkpoints-only": checkpointsOnly, "disks-linear": disksLinear,
}

func (s *study) mistakes() []Mistake {
	var all []Mistake
	for _, f := range Flaws() {
		if evidence := checks[f.Name](s, f); len(evidence) > 0 {
			all = append(all, Mistake{f, evidence})
		}
	}
	return all
}

// burstAsSustained finds runs that ended before a burst did: from what the load used or, if that is not known,
// from the instance alone.
func burstAsSustained(s *study, _ Flaw) []string {
	var all []string
	for _, r := range s.sheet.Rows {
		longest := s.longest(r.Environment, r.Workload)
		if r.Load != nil {
			for _, l := range r.Load.Limits {
				if longest.Hours() < l.Lasts {
					all = append(all, fmt.Sprintf("%s, %s: runs of %s; %s: a full balance lasts %s under this load, which takes %s %s where %s are sustained", r.Environment, r.Workload, longest, l.Resource, hours(l.Lasts), unit.Digits(l.Used, 3), l.Unit, unit.Digits(l.Sustained, 3)))
				}
			}
			continue
		}
		i, err := instance.Find(s.environment(r.Environment).InstanceName())
		if err != nil || i.Credits == nil || s.knows(r.Environment, "cpu-by-server") {
			continue
		}
		if lasts, ends := i.Credits.With(i.Credits.Mode, i.Credits.Most).Lasts(float64(i.VCPUs)); ends && longest < lasts {
			all = append(all, fmt.Sprintf("%s, %s: runs of %s; the CPU use is not known, and a full balance of %s lasts %s at full load", r.Environment, r.Workload, longest, i.Name, hours(lasts.Hours())))
		}
	}
	return all
}

// longest returns the measured time of the longest run.
func (s *study) longest(environment, workload string) time.Duration {
	most := 0.0
	for i := range s.counted {
		if r := &s.counted[i]; r.Environment == environment && r.Workload == workload {
			most = max(most, r.Result.Duration)
		}
	}
	return time.Duration(most * float64(time.Second)).Round(time.Second)
}

// knows reports whether a figure of an environment is known in some run.
func (s *study) knows(environment, figure string) bool {
	return slices.ContainsFunc(s.counted, func(r record.Run) bool {
		_, known := r.Figures[figure]
		return known && r.Environment == environment
	})
}

// readsHideWrites finds environments of which the mean TPS over all workloads is above the baseline's although
// they do less under one of them, or the reverse.
func readsHideWrites(s *study, _ Flaw) []string {
	var all []string
	base, workloads := s.Experiment.Baseline, s.workloads("")
	for _, e := range s.sheet.Environments {
		if e.Name == base || len(workloads) < 2 {
			continue
		}
		ratio, mean := s.ratios(base, e.Name, workloads)
		margin := 1 + float64(s.Experiment.Margin)
		var contrary []string
		for _, w := range workloads {
			if r := ratio[w]; r > 0 && (mean >= 1 && r < 1/margin || mean < 1 && r > margin) {
				contrary = append(contrary, fmt.Sprintf("%+.0f %% under %s", 100*(r-1), w))
			}
		}
		if len(contrary) > 0 {
			all = append(all, fmt.Sprintf("%s against %s: %+.0f %% on average over the workloads, and %s", e.Name, base, 100*(mean-1), strings.Join(contrary, ", ")))
		}
	}
	return all
}

// ratios returns the TPS of an environment relative to another one's, by workload, and those of the means over
// workloads.
func (s *study) ratios(base, environment string, workloads []string) (ratio map[string]float64, mean float64) {
	ratio = map[string]float64{}
	sum, sumBase := 0.0, 0.0
	for _, w := range workloads {
		a, _ := s.row(base, w)
		b, _ := s.row(environment, w)
		if a.TPS.Known() && b.TPS.Known() {
			sumBase, sum = sumBase+a.TPS.Value, sum+b.TPS.Value
			ratio[w] = b.TPS.Value / a.TPS.Value
		}
	}
	return ratio, sum / sumBase
}

func oneRun(s *study, _ Flaw) []string {
	var single []string
	for _, r := range s.sheet.Rows {
		if r.TPS.N == 1 {
			single = append(single, r.Environment+", "+r.Workload)
		}
	}
	if single == nil {
		return nil
	}
	return []string{strings.Join(single, "; ")}
}

// settingsDiffer repeats what was found to differ between environments beyond what the experiment declares.
func settingsDiffer(s *study, _ Flaw) []string {
	var all []string
	for _, n := range s.Record.Summary.Warnings {
		if strings.HasPrefix(n.Rule, "parity-") {
			text := n.Text
			if n.Environment != "" {
				text = n.Environment + ": " + text
			}
			all = append(all, text)
		}
	}
	return all
}

// generator finds load generators that used more CPU time than the server, or that a diagnosis calls a cause.
func generator(s *study, f Flaw) []string {
	var all []string
	for _, r := range s.sheet.Rows {
		by, server := s.figure(r.Environment, r.Workload, "cpu-by-generator"), s.figure(r.Environment, r.Workload, "cpu-by-server")
		if by > f.Limit*(by+server) {
			all = append(all, fmt.Sprintf("%s, %s: the load generator used %.0f %% of the CPUs, the server %.0f %%", r.Environment, r.Workload, 100*by, 100*server))
		}
	}
	for _, b := range s.binds() {
		if b.Cause == "generator" {
			all = append(all, fmt.Sprintf("%s, %s: the load generator is the bottleneck in %d of %d runs", b.Environment, b.Cell, b.First, b.Runs))
		}
	}
	return all
}

// instanceBelow finds instances that sustain fewer IOPS to all of their volumes than the volumes have.
func instanceBelow(s *study, _ Flaw) []string {
	var all []string
	for _, e := range s.sheet.Environments {
		i, err := instance.Find(s.environment(e.Name).InstanceName())
		if err != nil || !i.EBS.Known() {
			continue
		}
		volumes := 0.0
		for _, item := range s.volumes(e.Name) {
			volumes += item.iops
		}
		if volumes > i.EBS.Baseline.IOPS {
			all = append(all, fmt.Sprintf("%s: the volumes have %s IOPS, %s sustains %s", e.Name, count(volumes), i.Name, count(i.EBS.Baseline.IOPS)))
		}
	}
	return all
}
