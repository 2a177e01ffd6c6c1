package manifest

import (
	"fmt"
	"strings"
	"testing"

	"plinth/internal/experiment"
)

// TestApart: the load generators are kept off the nodes of replicas, too, and are put beside primaries only.
func TestApart(t *testing.T) {
	for node, want := range map[string][]string{"": {"server", "replica"}, "apart": {"server", "replica"}, "same": {"server"}} {
		env := experiment.Environment{Name: "a", Kubernetes: experiment.Kubernetes{Operator: experiment.OperatorNone}}
		env.Replica.Storage.Data = experiment.Volume{Class: "fast"}
		e := &experiment.Experiment{Engine: experiment.EngineRedis, Environments: []experiment.Environment{env}}
		e.Driver.Node = node
		text := fmt.Sprint(Plan{Record: "one", Experiment: e}.loadAffinity())
		for _, role := range []string{"server", "replica"} {
			wanted := fmt.Sprint(want)
			if got := strings.Contains(text, LabelRole+":"+role); got != strings.Contains(wanted, role) {
				t.Errorf("node %q: %s", node, text)
			}
		}
	}
}
