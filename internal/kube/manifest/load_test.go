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

// TestReaderWithoutNode: a reader that the scheduler places tolerates no taint, or it might be put on a node
// that is not ready.
func TestReaderWithoutNode(t *testing.T) {
	p := Plan{Record: "one", Experiment: &experiment.Experiment{}}
	for node, tolerates := range map[string]bool{"": false, "n1": true} {
		spec := p.Reader(experiment.Environment{Name: "a"}, node, false)["spec"].(Object)
		_, placed := spec["nodeName"]
		_, got := spec["tolerations"]
		if got != tolerates || placed != tolerates {
			t.Errorf("node %q: %v", node, spec)
		}
	}
}

// TestImageOfAVersion: the image of a Cluster follows from the version of PostgreSQL, unless the file names it.
func TestImageOfAVersion(t *testing.T) {
	const own = "localhost/postgresql:17"
	for image, want := range map[string]string{"": "ghcr.io/cloudnative-pg/postgresql:17-standard-trixie", own: own} {
		env := experiment.Environment{Name: "a", Kubernetes: experiment.Kubernetes{Operator: experiment.OperatorCNPG, Image: image}}
		env.Postgres.Version = 17
		p := Plan{Record: "one", Experiment: &experiment.Experiment{Environments: []experiment.Environment{env}}}
		if got := p.cluster(env)["spec"].(Object)["imageName"]; got != want {
			t.Errorf("%q: %v", image, got)
		}
	}
}
