package pods

import (
	"errors"
	"strings"
	"testing"

	"plinth/internal/experiment/decode"
	"plinth/internal/experiment/experimenttest"
	"plinth/internal/kube/manifest"
	"plinth/internal/record"
	"plinth/internal/runner/tuning"
)

// TestTunedPods checks the objects of a pod with all of its layers, and without each of them. They pass what
// Kubernetes 1.33 checks when an object is created.
func TestTunedPods(t *testing.T) {
	for _, operator := range []string{"none", "cnpg"} {
		e, _, err := decode.Load("testdata/tuned.yaml", []string{"environments.tuned.kubernetes.operator=" + operator})
		if err != nil {
			t.Fatal(err)
		}
		resolved, err := tuning.Pods(e, nil)
		if err != nil {
			t.Fatal(err)
		}
		plan := manifest.Plan{Experiment: resolved.Experiment, Record: "lab", Version: "1.0", Password: func() string { return "PASSWORD" }}
		var objects []manifest.Object
		for _, env := range resolved.Experiment.Environments {
			server, err := plan.Server(env)
			if err != nil {
				t.Fatal(err)
			}
			objects = append(objects, server[len(server)-1]) // the others do not depend on its pod
		}
		text, err := manifest.YAML(objects...)
		if err != nil {
			t.Fatal(err)
		}
		experimenttest.CompareGolden(t, "testdata/tuned-"+operator+".golden", string(text))
	}
}

// TestFound checks what is reported of a knob of a running pod.
func TestFound(t *testing.T) {
	on := func(qos string, g *record.Granted) record.Environment {
		e := record.Environment{Kubernetes: &record.Kubernetes{QoS: qos, Granted: g, Node: "n1", Pod: "db-0", CPUManager: "none"}}
		e.Dataset.SharedBuffers = 128 << 20
		return e
	}
	pinned, pages := &record.Granted{CPUs: "1"}, &record.Granted{CPUs: "0-1", Others: 1, HugePages: 142 << 20}
	for _, c := range []struct {
		key, value string
		e          record.Environment
		unseen     error
		now, text  string
	}{
		{tuning.PodQoS, "Guaranteed", on("Guaranteed", nil), nil, "Guaranteed", ""},
		{tuning.PodQoS, "Guaranteed", on("Burstable", nil), nil, "Burstable", "pod.qos is Burstable, not Guaranteed: the API server says so"},
		{tuning.PodCPUs, "exclusive", on("", pinned), nil, "exclusive", ""},
		{tuning.PodCPUs, "exclusive", on("", pages), nil, "shared", `pod.cpus is shared, not exclusive: 1 other pod of the node may run on CPUs 0-1; the CPU manager of n1 is "none"`},
		{tuning.PodCPUs, "shared", on("", pages), nil, "shared", ""},
		{tuning.PodCPUs, "exclusive", on("", nil), nil, "exclusive", "whether pod.cpus is exclusive is not verified: the pod that reads the server's node is not privileged"},
		{tuning.PodHugePages, "on", on("", pages), nil, "on", ""},
		{tuning.PodHugePages, "off", on("", pinned), nil, "off", ""},
		{tuning.PodHugePages, "on", on("", &record.Granted{HugePages: 64 << 20}), nil, "off", "pod.hugepages is off, not on: 64MiB of 128MiB of shared_buffers are mapped in huge pages"},
		{tuning.PodHugePages, "on", on("", nil), errors.New("no such process"), "on", "whether pod.hugepages is on is not verified: no such process"},
	} {
		k := record.Knob{Layer: "pod", Key: c.key, Value: c.value}
		note := found(&k, c.e, c.unseen)
		text := ""
		if note != nil {
			text = note.Text
		}
		if k.Value != c.now || text != c.text {
			t.Errorf("%s = %s: %s, %q", c.key, c.value, k.Value, text)
		}
		if note != nil && (note.Hint == "" || !strings.HasPrefix(note.Rule, "tuning-not-")) {
			t.Errorf("%+v", note)
		}
	}
}
