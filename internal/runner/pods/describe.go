package pods

import (
	"context"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/kube/cluster"
	"plinth/internal/record"
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
	if env.Existing() {
		return e, nil
	}
	return s.verify(ctx, env, e)
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
