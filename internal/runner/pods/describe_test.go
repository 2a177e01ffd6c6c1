package pods

import (
	"errors"
	"slices"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/clustertest"
	"plinth/internal/kube/keeper"
	"plinth/internal/record"
)

// TestDistance: load generators that are not equally far from all servers are noted.
func TestDistance(t *testing.T) {
	const one, two = "node1", "node2"
	for _, c := range []struct {
		node  string // driver.node
		loads []string
		noted []string // environments
	}{
		{"", []string{"node3", "node3"}, nil},
		{"", []string{one, "node3"}, []string{"a"}},
		{"", []string{one, two}, nil},
		{"same", []string{one, one}, []string{"b"}},
		{"same", []string{one, two}, []string{"a", "b"}},
	} {
		s := &Site{loads: c.loads, experiment: &experiment.Experiment{
			Environments: []experiment.Environment{{Name: "a"}, {Name: "b"}, {Name: "service"}}, Driver: experiment.Generators{Node: c.node},
		}}
		s.placed = map[string]placed{"a": {pod: cluster.Pod{Node: one}}, "b": {pod: cluster.Pod{Node: two}}, "service": {}}
		var noted []string
		for _, e := range s.experiment.Environments {
			if s.distance(e.Name) != nil {
				noted = append(noted, e.Name)
			}
		}
		if !slices.Equal(noted, c.noted) {
			t.Errorf("%+v: %v", c, noted)
		}
	}
}

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

// TestReaderThatIsDenied: where a policy refuses the privileged pod, the reader is a plain one.
func TestReaderThatIsDenied(t *testing.T) {
	c := clustertest.New(t, "")
	c.Applied = func(o *clustertest.Object) error {
		if spec, _ := o.Object["spec"].(map[string]any); spec["hostPID"] == true {
			return errors.New(`admission webhook "x" denied the request: no`)
		}
		return nil
	}
	env := experiment.Environment{Name: "a"}
	s := New(c.Cluster, Options{})
	s.experiment = &experiment.Experiment{Environments: []experiment.Environment{env}}
	s.plan = s.planOf("one")
	s.keeper = keeper.New(c.Cluster, s.plan)
	s.placed["a"] = placed{pod: cluster.Pod{Node: "n1"}}
	if ref, err := s.createReader(t.Context(), env); err != nil || ref.Kind != "Pod" || !slices.Equal(s.blind, []string{"a"}) {
		t.Errorf("%v, %v, plain readers %q", ref, err, s.blind)
	}
}
