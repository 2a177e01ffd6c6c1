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
