package check

import (
	"slices"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/knob"
	"plinth/internal/profile"
)

func set(pairs ...string) experiment.Tuning {
	values := map[string]string{}
	for pair := range slices.Chunk(pairs, 2) {
		values[pair[0]] = pair[1]
	}
	return experiment.Tuning{Set: values}
}

// TestTuning checks tuning, as far as possible without a machine.
func TestTuning(t *testing.T) {
	mistakes{
		`environments[1].without: environments.b: "without" requires tuning, but none is given | add tuning, or leave it out`: func(l lab) {
			l.b.Without = []string{"kernel"}
		},
		`environments[1].tuning[0]: environments.b.tuning: there is no profile "ebs-kernal" | did you mean ebs-kernel?`: func(l lab) {
			l.b.Tuning = []experiment.Tuning{{Name: "ebs-kernal"}}
		},
		`environments[1].tuning[0]: environments.b.tuning changes vm.swappiness, vm.dirty_background_ratio, vm.dirty_ratio and 2 more for the whole machine | add allow_host: true if you may change this machine; plinth restores all settings`: func(l lab) {
			l.b.Tuning = []experiment.Tuning{{Name: "ebs-kernel"}}
		},
		`environments[1].tuning[0]: environments.b.tuning: unknown profile "other" | use one of aws-matched, cnpg, content-platform, ebs-baseline, ebs-final, ebs-kernel, ebs-server, huge-pages, numa-pinned, oltp, pgtune, pod-guaranteed, pod-hugepages, pod-pinned, read-ceiling, redis; the name of a profile file has a slash or ends in .yaml`: func(l lab) {
			l.b.Tuning = []experiment.Tuning{{Profile: &profile.Profile{Name: "mine", Includes: []string{"other"}}}}
		},
		`environments[1].tuning[0]: environments.b.tuning: cannot tune "vm.dirty_ration": unknown knob | did you mean vm.dirty_ratio?`: func(l lab) {
			l.b.Tuning = []experiment.Tuning{{Profile: &profile.Profile{Name: "mine", Settings: []profile.Setting{{Key: knob.Key{Knob: "vm.dirty_ration"}, Value: "1"}}}}}
		},
		`environments[1].tuning[0]: environments.b.tuning: cannot tune "vm.swapiness": unknown knob | did you mean vm.swappiness?`: func(l lab) {
			l.b.Tuning = []experiment.Tuning{set("vm.swapiness", "1")}
		},
		`environments[1].tuning[0]: environments.b.tuning: fsync = off weakens durability | leave it out, or set unsafe: true in the profile`: func(l lab) {
			l.b.Tuning = []experiment.Tuning{set("fsync", "off")}
		},
		`environments[1].tuning[0]: environments.b.tuning: cannot tune appendfsync: it is a parameter of Redis | leave it out, or tune a server that has it`: func(l lab) {
			l.b.Tuning = []experiment.Tuning{set("appendfsync", "always")}
		},
		`environments[1].tuning[0]: environments.b.tuning: port is set by plinth itself | leave it out: plinth connects to its servers through private sockets, so no other client uses them`: func(l lab) {
			l.b.Tuning = []experiment.Tuning{set("port", "5433")}
		},
		`environments[1].tuning[0]: environments.b.tuning: block_size can only be read | leave it out`: func(l lab) {
			l.b.Tuning = []experiment.Tuning{set("block_size", "8192")}
		},
		`environments[1].tuning[0]: environments.b.tuning: cannot set work_mem to "4MB\nfsync=off": it is not one line of up to 4096 bytes | work_mem is a whole number of kB, 64kB to 2147483647kB`: func(l lab) {
			l.b.Tuning = []experiment.Tuning{set("work_mem", "4MB\nfsync=off")}
		},
		`environments[1].tuning[0]: environments.b.tuning: an invalid value (not shown: it may hold a password) | vm.swappiness is a whole number, 0 to 200`: func(l lab) {
			l.b.Tuning = []experiment.Tuning{set("vm.swappiness", "hunter2 password=hunter2")}
		},
		`environments[1].tuning[1]: environments.b.tuning: cannot tune read_ahead_kb: it belongs to a disk, but none is given | write read_ahead_kb@data, or the name of a disk after the @`: func(l lab) {
			l.b.Tuning = []experiment.Tuning{{Name: "aws-matched"}, {Profile: &profile.Profile{Name: "mine", Settings: []profile.Setting{{Key: knob.Key{Knob: "read_ahead_kb"}, Value: "64"}}}}}
		},
		`environments[1].without[0]: environments.b.without: no part of the tuning is named "kernel" | did you mean server?`: func(l lab) {
			l.b.Tuning, l.b.Without = []experiment.Tuning{{Name: "aws-matched"}}, []string{"kernel"}
		},
		`environments[0].tuning[0]: environments.a.tuning changes options@data and read_ahead_kb@data for the whole machine | use a volume that plinth creates (device, file, emulate), or add allow_host: true; plinth restores all settings`: func(l lab) {
			l.a.Tuning = []experiment.Tuning{set("read_ahead_kb@data", "64", "options@data", "noatime")}
		},
		`environments[1].tuning[0]: environments.b.tuning changes scaling_governor for the whole machine | add allow_host: true if you may change this machine; plinth restores all settings`: func(l lab) {
			l.b.Tuning = []experiment.Tuning{set("scaling_governor", "performance")}
		},
		`environments[1].tuning[0]: environments.b.tuning: cpus: limits.cpus already sets it | add without: [cpus]`: func(l lab) {
			l.b.Tuning, l.b.Limits.CPUs = []experiment.Tuning{set("cpus", "0-1")}, 2
		},
		`environments[1].tuning[0]: environments.b.tuning: cpus: it applies only to a server that plinth creates | add without: [cpus]`: func(l lab) {
			connect(l.b, "service=lab")
			l.b.Tuning = []experiment.Tuning{set("cpus", "0-1")}
		},
		`environments[1].tuning[0]: environments.b.tuning: read_ahead_kb@data: it applies only to a volume that plinth creates | add without: [read_ahead_kb@data]`: func(l lab) {
			connect(l.b, "service=lab")
			l.b.Tuning = []experiment.Tuning{set("read_ahead_kb@data", "64")}
		},
	}.test(t)
}

// TestSteps checks that each step has its environment, and that an ablation has tuning to leave out.
func TestSteps(t *testing.T) {
	mistakes{
		`ablate: steps and ablate are both given | leave out one of the two`: func(l lab) {
			l.Steps, l.Ablate = []experiment.Step{{Name: "a"}}, "group"
		},
		`steps[0]: steps: a step without a name | add a name, such as name: tuned`: func(l lab) {
			l.Steps = []experiment.Step{{Change: "more"}}
		},
		`steps[1].name: steps: a second step named a | give each its own name`: func(l lab) {
			l.Steps = []experiment.Step{{Name: "a"}, {Name: "a"}}
		},
		`steps[0].name: steps: no environment is named "c", and the file has 2 environments | give exactly one environment, as the first step, or one environment for each step`: func(l lab) {
			l.Steps = []experiment.Step{{Name: "c"}}
		},
		`steps[0].name: steps: a is already an environment, so the step cannot add anything | move the changes to the environment`: func(l lab) {
			l.Steps = []experiment.Step{{Name: "a", Settings: map[string]string{"work_mem": "4MB"}}}
		},
		`ablate: ablate needs exactly one environment, but the file has 2 | give one environment, with all of its tuning`: func(l lab) {
			l.Ablate = "group"
		},
	}.test(t)
}
