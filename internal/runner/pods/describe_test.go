package pods

import (
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/clustertest"
	"plinth/internal/record"
)

// TestReaderBesideServer checks that what the reader reads of its node counts as that of the server's machine,
// also if it does not see the server's processes; not if no pod of the server is known.
func TestReaderBesideServer(t *testing.T) {
	for _, c := range []struct {
		node      string
		blind     []string
		elsewhere bool
		reader    string
	}{
		{"node1", nil, false, "privileged"},
		{"node1", []string{"theirs"}, false, "plain"},
		{"", []string{"theirs"}, true, "plain"},
	} {
		s := New(clustertest.New(t, "").Cluster, Options{})
		s.experiment = &experiment.Experiment{Environments: []experiment.Environment{{Name: "theirs", Kubernetes: experiment.Kubernetes{Existing: "service/db"}}}}
		s.placed = map[string]placed{"theirs": {pod: cluster.Pod{Node: c.node}, main: cluster.Ref{Kind: "Service", Name: "db"}}}
		s.blind = c.blind
		e, err := s.describe(t.Context(), record.Environment{Name: "theirs", Elsewhere: len(c.blind) > 0})
		if err != nil || e.Elsewhere != c.elsewhere || e.Kubernetes.Reader != c.reader {
			t.Errorf("%+v: %v, elsewhere %t, reader %s", c, err, e.Elsewhere, e.Kubernetes.Reader)
		}
	}
}
