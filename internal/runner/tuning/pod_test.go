package tuning

import (
	"fmt"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/hint"
)

// podsOf loads an experiment on Kubernetes, and resolves the tuning of its environments.
func podsOf(t *testing.T, text string, lacking map[string]string) (*Tuning, error) {
	t.Helper()
	e, _, err := decode.Parse("pods.yaml", []byte("workloads: [simple-update]\n"+text), "", nil)
	if err != nil {
		t.Fatalf("%v (%s)", err, hint.Of(err))
	}
	return Pods(e, lacking)
}

// TestPods checks what the tuning of a pod makes of its limits and settings.
func TestPods(t *testing.T) {
	t.Parallel()
	const all = "tuning: [pod-pinned, pod-hugepages]"
	for _, c := range []struct{ tuning, want, left string }{
		{"", "burstable, 2 CPUs, memory 3GiB, huge_pages off", ""},
		{all, "2 CPUs, memory 1GiB, 2GiB in huge pages, huge_pages on", ""},
		{all + "\n    without: [guaranteed]", "burstable, 2 CPUs, memory 1GiB, 2GiB in huge pages, huge_pages on", "pod.cpus: only a pod of the QoS class"},
		{all + "\n    without: [pinning]", "quota 1.999, memory 1GiB, 2GiB in huge pages, huge_pages on", ""},
		{all + "\n    without: [huge pages]", "2 CPUs, memory 3GiB, huge_pages off", ""},
		{all + "\n    without: [pod.hugepages]", "2 CPUs, memory 3GiB, huge_pages off", "huge_pages: the pod has no huge pages"},
		{all + "\n    without: [huge_pages]", "2 CPUs, memory 1GiB, 2GiB in huge pages, huge_pages ", ""},
		{all + "\n    without: [pod]", "burstable, 2 CPUs, memory 3GiB, huge_pages off", "huge_pages: the pod has no huge pages"},
		{"tuning: [pod-guaranteed, {pod.cpus: shared}]", "quota 1.999, memory 3GiB, huge_pages off", ""},
		{"tuning: [pod-guaranteed]\n    settings: {huge_pages: try}", "quota 1.999, memory 3GiB, huge_pages try", ""},
	} {
		tuned, err := podsOf(t, `
environments:
  first: {kubernetes: {operator: cnpg}, storage: {data: {class: fast, size: 8GiB}}, limits: {cpus: 2, memory: 1GiB, huge_pages: 2GiB}, tuning: [pod-pinned, {work_mem: 3MB}]}
  one:
    kubernetes: {operator: cnpg}
    storage: {data: {class: fast, size: 8GiB}}
    limits: {cpus: 2, memory: 1GiB, huge_pages: 2GiB}
    `+c.tuning+"\n", nil)
		if err != nil {
			t.Fatal(err)
		}
		one := tuned.Experiment.Environments[1]
		if got := shapeOf(one); got != c.want {
			t.Errorf("%s: %s, want %s", c.tuning, got, c.want)
		}
		if got := leftOf(tuned, "one"); !strings.HasPrefix(got, c.left) || c.left == "" && got != "" {
			t.Errorf("%s: left %q, want %q", c.tuning, got, c.left)
		}
	}
}

// shapeOf describes the pod of an environment.
func shapeOf(e experiment.Environment) string {
	var words []string
	l := e.Limits
	add := func(there bool, format string, value any) {
		if there {
			words = append(words, fmt.Sprintf(format, value))
		}
	}
	if l.Burstable {
		words = append(words, "burstable")
	}
	add(l.CPUs > 0, "%d CPUs", l.CPUs)
	add(l.CPUQuota > 0, "quota %.3f", l.CPUQuota)
	add(l.Memory > 0, "memory %s", l.Memory)
	add(l.HugePages > 0, "%s in huge pages", l.HugePages)
	add(true, "huge_pages %s", e.Settings["huge_pages"])
	return strings.Join(words, ", ")
}

// leftOf returns the knobs of an environment that are not applicable, with the reasons.
func leftOf(t *Tuning, name string) string {
	var left []string
	for _, k := range t.environments[name].knobs {
		if k.NotApplicable != "" {
			left = append(left, k.Key+": "+k.NotApplicable)
		}
	}
	return strings.Join(left, "; ")
}

// TestPodsThatLack checks that what no node can do is left out with its reason, together with the
// environments that then equal others.
func TestPodsThatLack(t *testing.T) {
	t.Parallel()
	tuned, err := podsOf(t, `
ablate: group
environments:
  tuned:
    kubernetes: {operator: none}
    storage: {data: {class: fast, size: 8GiB}}
    limits: {cpus: 2, memory: 1GiB, huge_pages: 2GiB}
    tuning: [pod-pinned, pod-hugepages]
`, map[string]string{PodCPUs: "no static CPU manager", PodHugePages: "no huge pages"})
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]string{}
	for _, l := range tuned.LeftOut {
		left[l.Environment] = l.Reason
	}
	if len(left) != 3 || !strings.Contains(left["without-pinning"], "static CPU manager") || !strings.Contains(left["without-huge-pages"], "no huge pages") {
		t.Errorf("left out: %v", left)
	}
	var names []string
	for _, e := range tuned.Experiment.Environments {
		names = append(names, e.Name)
	}
	if strings.Join(names, " ") != "none all" {
		t.Errorf("kept: %v", names)
	}
}

// TestPodsWithoutKnobs checks that limits are requested in full where no environment tunes its pod, and that
// expressions take the limits as facts.
func TestPodsWithoutKnobs(t *testing.T) {
	t.Parallel()
	const file = `
environments:
  matched: {kubernetes: {operator: cnpg}, storage: {data: {class: fast, size: 8GiB}}, LIMITS tuning: [aws-matched, {shared_buffers: = memory / 4, max_parallel_workers: = cpus}]}
`
	tuned, err := podsOf(t, strings.Replace(file, "LIMITS", "limits: {cpu_quota: 1.5, memory: 4GiB},", 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	e := tuned.Experiment.Environments[0]
	if e.Limits.Burstable || e.Settings["shared_buffers"] != "1GB" || e.Settings["max_parallel_workers"] != "2" || e.Settings["huge_pages"] != "" {
		t.Errorf("%+v %v", e.Limits, e.Settings)
	}
	if r := tuned.Recorded("matched", nil, nil); r == nil || len(r.Knobs) != 7 || r.Profiles[0] != "aws-matched" {
		t.Errorf("recorded: %+v", r)
	}
	_, err = podsOf(t, strings.Replace(file, "LIMITS", "", 1), nil)
	if err == nil || !strings.Contains(err.Error(), "the facts of a pod are its limits") || !strings.Contains(hint.Of(err), "limits:") {
		t.Errorf("without limits: %v (%s)", err, hint.Of(err))
	}
}
