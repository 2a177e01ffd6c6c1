package pods

import (
	"context"
	"fmt"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/kube/cluster"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// describe adds what is known of a server because it runs on Kubernetes.
func (s *Site) describe(ctx context.Context, e record.Environment) (record.Environment, error) {
	env := s.environment(e.Name)
	at := s.placed[e.Name]
	k := &record.Kubernetes{
		Cluster: s.cluster.Version, Operator: env.Kubernetes.Operator, Object: at.main.String(), Namespace: s.cluster.Namespace, Instances: max(1, env.Kubernetes.Instances),
		Pod: at.pod.Name, Node: at.pod.Node, Image: at.pod.Image, ImageID: at.pod.ImageID, QoS: at.pod.QoS, Reader: "privileged",
	}
	if env.Existing() {
		k.Operator = "existing"
	}
	if slices.Contains(s.blind, e.Name) {
		k.Reader = "plain"
	}
	if y := env.Kubernetes.Synchronous; y.There() {
		k.Synchronous = &record.Synchronous{Method: y.Method, Number: y.Number, Durability: y.DataDurability}
	}
	if !env.Existing() {
		var err error
		if k.Claims, err = s.claims(ctx, env); err != nil {
			return e, err
		}
	}
	e.Kubernetes = k
	if at.pod.Node != "" {
		e.Elsewhere = false // the reader is on this node, even if it does not see the server's processes
	}
	if note := s.distance(e.Name); note != nil {
		e.Warnings = append(e.Warnings, *note)
	}
	if env.Existing() {
		return e, nil
	}
	return s.verify(ctx, env, e)
}

// distance returns a note if the load generators are not where the load of each server should come from: beside
// it with driver.node same, and otherwise as far from it as from the other servers. A pod is scheduled beside one
// of the servers, not beside each.
func (s *Site) distance(environment string) *record.Note {
	beside := func(name string) (n int) {
		for _, node := range s.loads {
			if node == s.placed[name].pod.Node {
				n++
			}
		}
		return n
	}
	here, all := beside(environment), len(s.loads)
	if s.placed[environment].pod.Node == "" {
		return nil
	}
	if s.experiment.Driver.Node == "same" {
		if here == all {
			return nil
		}
		return &record.Note{Rule: "load-apart", Text: fmt.Sprintf("%d of %s on a different node from the server: the network is part of the measurement, despite node: same", all-here, unit.Count(all, "load generator")),
			Hint: "the servers are on several nodes: leave node: same out"}
	}
	nearer := slices.ContainsFunc(s.experiment.Environments, func(e experiment.Environment) bool {
		return s.placed[e.Name].pod.Node != "" && beside(e.Name) < here
	})
	if !nearer {
		return nil
	}
	return &record.Note{Rule: "load-apart", Text: fmt.Sprintf("%d of %s on the server's node, and fewer beside other servers", here, unit.Count(all, "load generator")),
		Hint: "driver: {node: apart} keeps them off the nodes of all servers"}
}

// claims describes the volumes of a server, with what their storage classes are.
func (s *Site) claims(ctx context.Context, env experiment.Environment) (all []record.Claim, err error) {
	classes, err := s.cluster.StorageClasses(ctx)
	if err != nil && !cluster.NotAllowed(err) {
		return nil, err
	}
	for _, part := range env.Storage.Parts() {
		claim := record.Claim{Role: part.Role, Class: part.Volume.Class, Size: int64(part.Volume.Size)}
		for _, class := range classes {
			if class.Name == claim.Class {
				claim.Provisioner, claim.Parameters, claim.Options = class.Provisioner, class.Parameters, class.Options
			}
		}
		all = append(all, claim)
	}
	return all, nil
}

func (s *Site) environment(name string) experiment.Environment {
	i := slices.IndexFunc(s.experiment.Environments, func(e experiment.Environment) bool { return e.Name == name })
	return s.experiment.Environments[i]
}
