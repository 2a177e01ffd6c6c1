package manifest

import (
	"fmt"
	"strings"
	"testing"

	"plinth/internal/experiment"
)

// TestDrain: only an instance that has no replica must be evicted without one, and only a drain needs the
// right to do that.
func TestDrain(t *testing.T) {
	for _, c := range []struct {
		fault     string
		instances int
		protected bool
	}{{experiment.FaultDrain, 1, false}, {experiment.FaultDrain, 2, true}, {experiment.FaultDeletePod, 1, true}} {
		env := experiment.Environment{Name: "a", Kubernetes: experiment.Kubernetes{Operator: experiment.OperatorCNPG, Instances: c.instances}}
		p := Plan{Record: "one", Experiment: &experiment.Experiment{Environments: []experiment.Environment{env}, Durability: experiment.Durability{Fault: c.fault}}}
		spec := p.cluster(env)["spec"].(Object)
		if got := spec["enablePDB"] == nil; got != c.protected {
			t.Errorf("%+v: enablePDB is %v", c, spec["enablePDB"])
		}
		if got := strings.Contains(fmt.Sprint(p.Rules()), "pods/eviction"); got != (c.fault == experiment.FaultDrain) {
			t.Errorf("%+v: the rules are %v", c, p.Rules())
		}
		text, err := YAML(p.Access()...)
		if got := strings.Contains(string(text), "kind: ClusterRole\n"); err != nil || got != (c.fault == experiment.FaultDrain) {
			t.Errorf("%+v: the rights are\n%s, %v", c, text, err)
		}
	}
}

// TestFaultPod: the pod that kills a server is privileged, on its node, and apart from the reader.
func TestFaultPod(t *testing.T) {
	p := Plan{Record: "one", Experiment: &experiment.Experiment{}}
	env := experiment.Environment{Name: "a"}
	pod := p.Fault(env, "n1")
	spec := pod["spec"].(Object)
	if spec["nodeName"] != "n1" || spec["hostPID"] != true {
		t.Errorf("%v", spec)
	}
	if of := p.Reader(env, "n1", true)["metadata"].(Object); of["name"] == pod["metadata"].(Object)["name"] {
		t.Errorf("both pods are named %v", of["name"])
	}
}
