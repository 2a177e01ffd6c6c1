package onkube

import (
	"strings"
	"testing"

	"plinth/internal/record"
)

// TestTunedPods gives a server CPUs of its own and huge pages, and verifies both in its pod. Then it leaves
// out one of them at a time. The node of the tests has one CPU to give, so the servers run one after the
// other, each with a load generator that requests half a CPU.
func TestTunedPods(t *testing.T) {
	for without, want := range map[string]map[string]string{
		"nothing":    {"pod.qos": "Guaranteed", "pod.cpus": "exclusive", "pod.hugepages": "on"},
		"guaranteed": {"pod.cpus": "", "pod.hugepages": "on"},
		"pinning":    {"pod.qos": "Guaranteed", "pod.hugepages": "on"},
		"huge pages": {"pod.qos": "Guaranteed", "pod.cpus": "exclusive"},
	} {
		t.Run(strings.ReplaceAll(without, " ", "-"), func(t *testing.T) {
			l := newLab(t)
			l.namespace = "tunedpods-" + strings.ReplaceAll(without, " ", "-")
			leave := ""
			if without != "nothing" {
				leave = "without: [" + without + "],"
			}
			out := l.run(0, "run", l.file(strings.Replace(short, "threads: [2]", "threads: [1]", 1)+`
repeats: 1
environments:
  tuned: {kubernetes: {operator: none, image: "localhost/postgresql:15"}, storage: {data: {class: local-path, size: 2GiB}}, `+leave+`
    limits: {cpus: 1, memory: 384MiB, huge_pages: 256MiB}, tuning: [{shared_buffers: = memory / 10}, pod-pinned, pod-hugepages]}
`))
			e := l.record().Environments["tuned"]
			if e.Tuning == nil || e.Kubernetes == nil || e.Kubernetes.Granted == nil {
				t.Fatalf("%+v %+v\n%s", e.Tuning, e.Kubernetes, out)
			}
			checkPod(t, e, want)
		})
	}
}

// checkPod checks the knobs of a pod, and that the pod has nothing else.
func checkPod(t *testing.T, e record.Environment, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for _, k := range e.Tuning.Knobs {
		if k.Layer == "pod" {
			got[k.Key] = k.Value
			if k.NotApplicable != "" {
				got[k.Key] = ""
			}
		}
	}
	for key := range got {
		if _, wanted := want[key]; !wanted {
			t.Errorf("%s = %s", key, got[key])
		}
	}
	for key, value := range want {
		if now, there := got[key]; !there || now != value {
			t.Errorf("%s = %s, want %s", key, now, value)
		}
	}
	k, g := e.Kubernetes, e.Kubernetes.Granted
	if alone := g.Others == 0; alone != (want["pod.cpus"] == "exclusive") || k.CPUManager != "static" {
		t.Errorf("CPUs %s with %d other pods, CPU manager %s", g.CPUs, g.Others, k.CPUManager)
	}
	if mapped := g.HugePages >= e.Dataset.SharedBuffers; mapped != (want["pod.hugepages"] == "on") {
		t.Errorf("%d of %d bytes in huge pages", g.HugePages, e.Dataset.SharedBuffers)
	}
	if guaranteed := k.QoS == "Guaranteed"; guaranteed != (want["pod.qos"] == "Guaranteed") {
		t.Errorf("QoS class %s", k.QoS)
	}
	for _, note := range e.Warnings {
		if strings.HasPrefix(note.Rule, "tuning-") {
			t.Errorf("%s: %s", note.Rule, note.Text)
		}
	}
}

// TestPlainReader tunes a pod in a namespace that admits no privileged pods: the reader sees the node, and what
// it cannot see of the server's pod is not verified.
func TestPlainReader(t *testing.T) {
	l := newLab(t)
	l.kubectl("create", "namespace", l.namespace)
	l.kubectl("label", "namespace", l.namespace, "pod-security.kubernetes.io/enforce=baseline")
	out := l.run(0, "run", l.file(short+`
repeats: 1
environments:
  tuned: {kubernetes: {operator: none, image: "localhost/postgresql:15"}, storage: {data: {class: local-path, size: 2GiB}},
    limits: {cpus: 1, memory: 384MiB, huge_pages: 256MiB}, tuning: [{shared_buffers: = memory / 10}, pod-pinned, pod-hugepages]}
`))
	rec := l.record()
	e := rec.Environments["tuned"]
	if e.Kubernetes.Reader != "plain" || e.Kubernetes.QoS != "Guaranteed" || e.Kubernetes.Granted != nil {
		t.Errorf("%+v", e.Kubernetes)
	}
	for _, key := range []string{"pod.cpus is exclusive", "pod.hugepages is on"} {
		if text := "whether " + key + " is not verified"; !strings.Contains(strings.Join(strings.Fields(out), " "), text) {
			t.Errorf("no %q in\n%s", text, out)
		}
	}
	for _, run := range rec.Runs {
		if _, node := run.Figures["cpu-use"]; !node {
			t.Errorf("the CPU use of the node is not known: %v", run.FigureGaps)
		}
		if _, server := run.Figures["cpu-by-server"]; server {
			t.Error("the CPU use of the server is known")
		}
	}
}
