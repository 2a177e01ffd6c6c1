package onkube

import (
	"strings"
	"testing"

	"plinth/internal/experiment"
)

// TestFaultKill kills a server while it acknowledges writes: it recovers from its volume.
func TestFaultKill(t *testing.T) {
	injects(t, experiment.FaultKill, `{plain: {kubernetes: {operator: none, image: "localhost/postgresql:15"}, storage: {data: {class: local-path, size: 2GiB}}}}`)
}

// TestFaultDeletePod deletes the pod of a primary: its replica takes over.
func TestFaultDeletePod(t *testing.T) {
	injects(t, experiment.FaultDeletePod, `
  sync:
    kubernetes: {operator: cnpg, image: "localhost/postgresql:15", instances: 2, synchronous: {dataDurability: required}}
    storage: {data: {class: local-path, size: 2GiB}}
`)
}

// injects runs an experiment with faults, which lose nothing.
func injects(t *testing.T, fault, environments string) {
	t.Helper()
	l := newLab(t)
	out := l.run(0, "run", l.file(short+"repeats: 1\ndurability: {fault: "+fault+", times: 2}\nenvironments: "+environments))
	for name, d := range l.record().Summary.Durability {
		if d.Fault != fault || d.Recover != experiment.RecoverCluster || len(d.Injections) != 2 || d.Broke() != "" || d.Lost() > 0 {
			t.Fatalf("%s: %+v\n%s", name, d, out)
		}
		for _, s := range d.Injections {
			if s.Acknowledged == 0 || s.Outage <= 0 || s.Took <= 0 || s.Primary == nil {
				t.Errorf("%s: %+v", name, s)
			} else if s.TookOver() != (name == "sync") || s.TookOver() && s.Primary.After.Timeline <= s.Primary.Before.Timeline {
				t.Errorf("%s: %+v", name, *s.Primary)
			}
		}
	}
	if !strings.Contains(strings.Join(strings.Fields(out), " "), "no write was acknowledged for") {
		t.Errorf("it does not say how long the outage was:\n%s", out)
	}
}

// TestDrainOfTheOnlyNode is refused before anything is created.
func TestDrainOfTheOnlyNode(t *testing.T) {
	l := newLab(t)
	out := l.run(2, "run", l.file(short+"repeats: 1\ndurability: drain\n"+twoPlain))
	for _, want := range []string{"cannot drain a node: the cluster has no second one on which pods can run", "use fault: delete-pod"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// TestKillWithoutPrivilege is refused before anything is created, in a namespace that allows no privileged
// pod.
func TestKillWithoutPrivilege(t *testing.T) {
	l := newLab(t)
	l.kubectl("create", "namespace", l.namespace)
	l.kubectl("label", "namespace", l.namespace, "pod-security.kubernetes.io/enforce=baseline")
	out := l.run(2, "run", l.file(short+"repeats: 1\ndurability: kill\n"+twoPlain))
	if !strings.Contains(out, "violates PodSecurity") || !strings.Contains(out, "fault: delete-pod does not") {
		t.Error(out)
	}
}
