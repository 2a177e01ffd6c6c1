package pods

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/manifest"
)

// faultPod returns the pod that a fault needs, for a check in advance; nil if it needs none.
func (s *Site) faultPod() manifest.Object {
	if s.experiment.Durability.Fault != experiment.FaultKill || len(s.experiment.Environments) == 0 {
		return nil
	}
	return s.planOf(s.experiment.Name).Fault(s.experiment.Environments[0], "")
}

// checkRights checks that the account may inject the fault, which comes after all runs.
func (s *Site) checkRights(ctx context.Context) error {
	plan := s.planOf(s.experiment.Name)
	lacking, err := s.cluster.Lacking(ctx, cluster.RulesOf(plan.FaultRules()))
	if err != nil {
		return err
	}
	global, err := s.cluster.In("").Lacking(ctx, cluster.RulesOf(plan.ClusterRules()))
	if err != nil {
		return err
	}
	var advice []string
	if len(lacking) > 0 {
		advice = append(advice, roleOf("Role in the namespace "+s.cluster.Namespace, lacking))
	}
	if len(global) > 0 {
		advice = append(advice, roleOf("ClusterRole", global))
	}
	if advice == nil {
		return nil
	}
	return hint.Errorf(strings.Join(advice, "\n"), "cannot inject the fault %s: this account lacks rights that it needs", s.experiment.Durability.Fault)
}

// roleOf advises to give an account rules.
func roleOf(kind string, rules []cluster.Rule) string {
	text := "give this account a " + kind + " with these rules:"
	for _, rule := range rules {
		text += "\n" + rule.String()
	}
	return text
}

const noDrain = "use fault: delete-pod, which needs no other node"

// checkNodes checks that an evicted server has another node to run on: on the only one, it would wait
// until the node is uncordoned.
func (s *Site) checkNodes(ctx context.Context) error {
	if s.experiment.Durability.Fault != experiment.FaultDrain {
		return nil
	}
	nodes, err := s.cluster.Nodes(ctx)
	if err != nil || len(usable(nodes)) > 1 {
		return err
	}
	advice := noDrain
	for _, n := range nodes {
		if n.CordonedFor != "" {
			advice = fmt.Sprintf("%s has left the node %s cordoned: plinth clean --kubernetes --all-namespaces --dry-run", n.CordonedFor, n.Name)
		}
	}
	return hint.Errorf(advice, "cannot drain a node: the cluster has no second one on which pods can run")
}

func usable(nodes []cluster.Node) []cluster.Node {
	return slices.DeleteFunc(slices.Clone(nodes), func(n cluster.Node) bool { return !n.Usable() })
}

// checkMovable checks that the only pod of a server can run on another node, with its volumes.
func (s *Site) checkMovable(ctx context.Context) error {
	if s.experiment.Durability.Fault != experiment.FaultDrain {
		return nil
	}
	nodes, err := s.cluster.Nodes(ctx)
	if err != nil {
		return err
	}
	for _, env := range s.experiment.Environments {
		if env.Kubernetes.Instances > 1 {
			continue
		}
		pod := s.placed[env.Name].pod
		volume, err := s.cluster.Stuck(ctx, pod, usable(nodes))
		if err == nil && volume != "" {
			err = hint.Errorf(noDrain, "cannot drain the node of the server: its volume %s is on the node %s alone", volume, pod.Node)
		}
		if err != nil {
			return named(env, err)
		}
	}
	return nil
}
