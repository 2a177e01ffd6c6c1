package environment_test

import (
	"strings"
	"testing"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/environment"
	"plinth/internal/report/reporttest"
)

// TestWhatWasTuned checks each value with the previous one and the reason, once for all
// environments with it; what is not applicable, with the reason; and the switches in the
// method.
func TestWhatWasTuned(t *testing.T) {
	rec := reporttest.InSteps(t, 7)
	described := environment.Of(rec, []string{"default", "kernel", "server"})
	text := environment.Tuned(described).Markdown() + environment.Differences(described).Markdown() + environment.SwitchLines(rec.Runs).Markdown()
	for _, want := range []string{
		"| Knob | Was | Set to | Of | In | Why |",
		"| vm.swappiness | 60 | 1 | ebs-kernel, swap | all that are tuned | a database brings its own cache |",
		"| bgwriter\\_delay | 200ms | 10ms | ebs-server, bgwriter | server | buffers are clean before they are needed |",
		"- scaling\\_governor is not applicable here: this machine has no frequency governor (all that are tuned)",
		"| vm.swappiness (requested) | - | 1 | 1 |",
		"the machine was retuned between environments 14 times: median 6.20 s, at most 8.20 s",
		"at most 3 MiB were dirty",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	if strings.Index(text, "| vm.swappiness | 60") > strings.Index(text, "| bgwriter\\_delay | 200ms") {
		t.Error("the kernel's knobs come before the server's")
	}
	plain := reporttest.WellDecided(t)
	if environment.Tuned(environment.Of(plain, disks)) != nil || environment.SwitchLines(plain.Runs) != nil {
		t.Error("nothing was tuned")
	}
}

func inShort(rec *record.Record) string {
	var d prose.Document
	environment.AddTuned(&d, environment.Of(rec, disks))
	return d.Text(200)
}

// TestTunedInShort checks the summary for the terminal.
func TestTunedInShort(t *testing.T) {
	rec := reporttest.WellDecided(t)
	var knobs []record.Knob
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		knobs = append(knobs, record.Knob{Layer: "kernel", Key: "vm." + name, Was: "0", Value: "1"})
	}
	reporttest.Tune(rec, "two-disks", append(knobs, record.Knob{Key: "boost", NotApplicable: "no such file"}), "mine")
	text := inShort(rec)
	if want := "- two-disks: mine: vm.a 0 → 1, vm.b 0 → 1, vm.c 0 → 1, vm.d 0 → 1, vm.e 0 → 1, and 2 more; 1 not applicable here\n"; !strings.Contains(text, want) {
		t.Errorf("%q is not in:\n%s", want, text)
	}
	reporttest.Tune(rec, "two-disks", []record.Knob{{Key: "boost", NotApplicable: "no such file"}})
	if text := inShort(rec); !strings.Contains(text, "- two-disks: 1 not applicable here\n") {
		t.Error(text)
	}
}

// TestRunningPods checks that what pods were found to have is reported if a tuning asks for something.
func TestRunningPods(t *testing.T) {
	tuned := record.Environment{
		Name: "tuned", Tuning: &record.Tuning{Knobs: []record.Knob{{Layer: "pod", Key: "pod.cpus", Value: "exclusive"}}},
		Kubernetes: &record.Kubernetes{
			QoS: "Guaranteed", CPUManager: "static", TopologyManager: "single-numa-node", MemoryManager: "None",
			Granted: &record.Granted{CPUs: "2-3", Nodes: "0", HugePages: 2 << 30},
		},
	}
	other := record.Environment{Name: "other", Kubernetes: &record.Kubernetes{QoS: "Burstable"}}
	text := environment.Tuned([]record.Environment{other, tuned}).Text(125)
	for _, want := range []string{
		"In the running pods", "- other: Burstable; CPUs and huge pages were not read",
		"- tuned: Guaranteed; CPUs 2-3, of this pod alone; 2 GiB in huge pages; memory from node 0; CPU manager static, topology",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	tuned.Tuning.Knobs[0].Layer = "server"
	if text := environment.Tuned([]record.Environment{other, tuned}).Text(125); strings.Contains(text, "running pods") {
		t.Errorf("no pod is tuned:\n%s", text)
	}
}
