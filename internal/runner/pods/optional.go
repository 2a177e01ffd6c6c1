package pods

import (
	"context"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/kube/cluster"
	"plinth/internal/record"
)

// leaveOut leaves out the optional environments whose storage classes the cluster does not have, except
// for the baseline. An account that cannot list the classes leaves out none.
func (s *Site) leaveOut(ctx context.Context) (left []record.LeftOut, err error) {
	if !slices.ContainsFunc(s.experiment.Environments, func(e experiment.Environment) bool { return e.Optional }) {
		return nil, nil
	}
	classes, err := s.cluster.StorageClasses(ctx)
	if err != nil {
		if cluster.NotAllowed(err) {
			err = nil
		}
		return nil, err
	}
	kept := *s.experiment
	kept.Environments = nil
	for _, env := range s.experiment.Environments {
		missing := missingClass(env, classes)
		if !env.Optional || missing == "" || env.Name == s.experiment.Baseline {
			kept.Environments = append(kept.Environments, env)
			continue
		}
		left = append(left, record.LeftOut{Environment: env.Name, Reason: "the cluster has no storage class " + missing})
	}
	s.experiment = &kept
	return left, nil
}

// missingClass returns the first storage class of an environment that is not one of classes; "" if all are.
func missingClass(env experiment.Environment, classes []cluster.StorageClass) string {
	for _, part := range env.Storage.Parts() {
		wanted := part.Volume.Class
		if wanted != "" && !slices.ContainsFunc(classes, func(c cluster.StorageClass) bool { return c.Name == wanted }) {
			return wanted
		}
	}
	return ""
}
