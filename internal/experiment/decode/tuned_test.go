package decode

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/experiment/encode"
)

// tuningOf loads an experiment whose environments have some tuning.
func tuningOf(t *testing.T, text string) (*experiment.Experiment, []experiment.Warning) {
	t.Helper()
	e, warnings, err := Parse("lab.yaml", []byte("workloads: [select-only]\nseed: 1\n"+text), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return e, warnings
}

func TestHostWide(t *testing.T) {
	const gp3 = "storage: {data: {emulate: gp3}}, "
	for environment, want := range map[string]string{
		"":                    "",
		"tuning: aws-matched": "",
		gp3 + "tuning: {cpus: 0-1, read_ahead_kb@data: 64, options@data: noatime, bgwriter_delay: 10ms}":   "",
		"tuning: {read_ahead_kb@data: 64, options@data: noatime}":                                          "options@data=noatime read_ahead_kb@data=64",
		gp3 + "tuning: {read_ahead_kb@wal: 64, read_ahead_kb@sdb: 64, options@/mnt: noatime}":              "options@/mnt=noatime read_ahead_kb@sdb=64",
		"storage: {data: {emulate: gp3}, wal: /w}, tuning: {read_ahead_kb@wal: 64}":                        "read_ahead_kb@wal=64",
		"tuning: {smp_affinity_list@24: 0-1, scaling_governor@0-1: performance}":                           "scaling_governor@0-1=performance smp_affinity_list@24=0-1",
		"tuning: {vm.nr_hugepages: = huge_pages_needed}":                                                   "vm.nr_hugepages== huge_pages_needed",
		"tuning: [{vm.swappiness: 60, vm.dirty_ratio: 20}, {vm.swappiness: 1}], without: [vm.dirty_ratio]": "vm.swappiness=1",
		// A knob that excludes another one replaces it.
		"tuning: [{vm.dirty_ratio: 20}, {vm.dirty_bytes: 64MiB}]": "vm.dirty_bytes=64MiB",
		"tuning: [ebs-kernel], without: [swap, vm.dirty_ratio]":   "vm.dirty_background_ratio=1 vm.dirty_expire_centisecs=200 vm.dirty_writeback_centisecs=100",
		"tuning: [ebs-kernel], without: [kernel]":                 "",
	} {
		e, _ := tuningOf(t, "allow_host: true\nenvironments: {one: {"+environment+"}}")
		wide := e.HostWide(e.Environments[0])
		var got []string
		for _, key := range slices.Sorted(maps.Keys(wide)) {
			got = append(got, key+"="+wide[key])
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %s, want %s", environment, text, want)
		}
	}
}

func TestInterleaveOfWhatTheMachineHas(t *testing.T) {
	for _, test := range []struct{ lab, interleave, rule string }{
		{"environments: {a: {tuning: {vm.swappiness: 1}}, b: {tuning: {vm.swappiness: 60}}}", "repeat", "interleave-repeat"},
		{"environments: {a: {}, b: {tuning: {vm.swappiness: 60}}}", "repeat", "interleave-repeat"},
		{"interleave: repeat\nenvironments: {a: {}, b: {tuning: {vm.swappiness: 60}}}", "repeat", ""},
		{"interleave: block\nenvironments: {a: {}, b: {tuning: {vm.swappiness: 60}}}", "block", "interleave-block"},
		{"environments: {a: {tuning: {vm.swappiness: 1}}, b: {tuning: {vm.swappiness: 1}, settings: {work_mem: 8MB}}}", "block", ""},
		{"environments: {a: {tuning: aws-matched}, b: {tuning: {cpus: 0-1}}}", "block", ""},
		{"environments: {a: {tuning: {vm.min_free_kbytes: = memory / 100}}, b: {tuning: {vm.min_free_kbytes: = memory / 100}}}", "block", ""},
		{"environments: {a: {tuning: {vm.min_free_kbytes: = memory / 100}}, b: {tuning: {vm.min_free_kbytes: = memory / 100}, limits: {memory: 1GiB}}}", "repeat", "interleave-repeat"},
	} {
		e, warnings := tuningOf(t, "allow_host: true\n"+test.lab)
		rule := ""
		for _, w := range warnings {
			rule += w.Rule
		}
		if e.Interleave != test.interleave || rule != test.rule {
			t.Errorf("%s: interleave %s, warnings %v", test.lab, e.Interleave, warnings)
		}
		// The chosen value is encoded, so reading it back gives no warning.
		_, again, err := Parse("experiment.yaml", encode.YAML(e), "", nil)
		if err != nil || test.interleave == "repeat" && len(again) > 0 {
			t.Errorf("%s: read again: %v, %v", test.lab, again, err)
		}
	}
	_, warnings := tuningOf(t, "allow_host: true\nenvironments: {a: {tuning: ebs-kernel}, b: {}}")
	if !strings.HasPrefix(warnings[0].Text, "environments differ in host-wide settings (vm.dirty_background_ratio, vm.dirty_expire_centisecs, vm.dirty_ratio and 2 more)") {
		t.Errorf("%+v", warnings)
	}
}

// A step inherits everything from the previous one; its own keys replace or add values.
func TestSteps(t *testing.T) {
	e, _ := tuningOf(t, `
environments: {base: {settings: {work_mem: 4MB, fsync: on}, limits: {cpus: 2}, tuning: aws-matched}}
steps:
  - {name: second, settings: {WORK_MEM: 8MB}, tuning: {bgwriter_delay: 10ms}}
  - {name: third, limits: {memory: 1GiB}, storage: {data: /mnt}}
`)
	want := []experiment.Step{{Name: "base", Change: "aws-matched, work_mem = 4MB, fsync = on"}, {Name: "second", Change: "bgwriter_delay = 10ms, WORK_MEM = 8MB"}, {Name: "third", Change: "storage, limits"}}
	if !reflect.DeepEqual(e.Steps, want) || e.Baseline != "base" {
		t.Errorf("steps %+v, baseline %s", e.Steps, e.Baseline)
	}
	second, third := e.Environments[1], e.Environments[2]
	if !maps.Equal(second.Settings, map[string]string{"WORK_MEM": "8MB", "fsync": "on"}) || second.Limits.CPUs != 2 || len(second.Tuning) != 2 || second.Name != "second" {
		t.Errorf("second: %+v", second)
	}
	if !maps.Equal(third.Settings, second.Settings) || third.Limits != (experiment.Limits{Memory: 1 << 30}) || third.Storage.Data.Directory != "/mnt" || len(third.Tuning) != 2 {
		t.Errorf("third: %+v", third)
	}
	again, _, err := Parse("experiment.yaml", encode.YAML(e), "", nil)
	if err != nil || !reflect.DeepEqual(again, e) {
		t.Errorf("read again: %v", err)
	}
}

func TestAblation(t *testing.T) {
	const lab = "allow_host: true\nenvironments: {tuned: {tuning: [ebs-server, {max_wal_size: 2GB}], without: [vm.swappiness, wal writer]}}\n"
	for by, want := range map[string]string{
		"layer":  "none all without-kernel without-server",
		"group":  "none all without-flushing without-memory without-bgwriter without-checkpoint without-group-commit without-vacuum",
		"pairs":  "none all without-flushing without-memory without-bgwriter",
		"knob":   "none all without-vm.dirty-background-ratio",
		"screen": "none all mix-1 mix-2",
	} {
		e, _ := tuningOf(t, lab+"ablate: "+by)
		var names []string
		for _, env := range e.Environments {
			names = append(names, env.Name)
			settings, err := experiment.Tuned(e.Engine, env)
			if err != nil || (env.Name == "none") != (len(settings) == 0) {
				t.Errorf("%s: %d settings, %v", env.Name, len(settings), err)
			}
		}
		got := strings.Join(names, " ")
		if e.Baseline != "all" || !strings.HasPrefix(got+" ", want+" ") || by == "layer" && got != want || by == "pairs" && len(names) != 2+6+15 || by == "screen" && len(names) != 16 {
			t.Errorf("%s: %s against %s", by, got, e.Baseline)
		}
		again, _, err := Parse("experiment.yaml", encode.YAML(e), "", nil)
		if err != nil || !reflect.DeepEqual(again, e) {
			t.Errorf("%s: read again: %v", by, err)
		}
	}
}

// Two parts whose names differ only in invalid characters become two environments.
func TestAblationTellsNamesApart(t *testing.T) {
	e, _ := tuningOf(t, `
ablate: group
environments:
  one:
    tuning:
      - name: mine
        settings: [{knob: work_mem, value: 4MB, group: a b}, {knob: commit_delay, value: 5, group: A-b}]
`)
	if names := []string{e.Environments[2].Name, e.Environments[3].Name}; !slices.Equal(names, []string{"without-a-b", "without-a-b-2"}) {
		t.Errorf("%v", names)
	}
}

func TestProfilesOfAnEnvironment(t *testing.T) {
	e, _ := tuningOf(t, "allow_host: true\nenvironments: {one: {tuning: [ebs-kernel, {Work_Mem: 4MB}, {name: mine, settings: {commit_delay: 5}}]}}")
	profiles := e.ProfilesOf(e.Environments[0])
	if len(profiles) != 3 || profiles[0].Name != "ebs-kernel" || profiles[1].Settings[0].Key.Knob != "work_mem" || profiles[2].Name != "mine" {
		t.Errorf("%+v", profiles)
	}
}
