package pods

import (
	"context"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/kube/cluster"
	"plinth/internal/record"
	"plinth/internal/runner/site"
)

// leaveOut leaves out the optional environments whose storage classes the cluster does not have, except
// for the baseline. An account that cannot list the classes leaves out none. A resumed experiment has the
// environments that it began with: a block of runs has all of them.
func (s *Site) leaveOut(ctx context.Context, resumed *site.Resumed) (left []record.LeftOut, err error) {
	if !slices.ContainsFunc(s.experiment.Environments, func(e experiment.Environment) bool { return e.Optional }) {
		return nil, nil
	}
	classes, err := s.cluster.StorageClasses(ctx)
	known := err == nil
	if err != nil && !cluster.NotAllowed(err) {
		return nil, err
	}
	kept := *s.experiment
	kept.Environments = nil
	for _, env := range s.experiment.Environments {
		reason := ""
		if missing := missingClass(env, classes); known && missing != "" {
			reason = "the cluster has no storage class " + missing
		}
		if !env.Optional || env.Name == s.experiment.Baseline {
			reason = ""
		} else if resumed != nil {
			if reason, err = asBefore(env, reason, slices.Contains(resumed.LeftOut, env.Name)); err != nil {
				return nil, err
			}
		}
		if reason == "" {
			kept.Environments = append(kept.Environments, env)
			continue
		}
		left = append(left, record.LeftOut{Environment: env.Name, Reason: reason})
	}
	s.experiment = &kept
	return left, nil
}

// asBefore returns why an environment of a resumed experiment is left out, as it was when the experiment
// began. reason is why it would be now.
func asBefore(env experiment.Environment, reason string, before bool) (string, error) {
	switch {
	case before && reason == "":
		return "it was left out when the experiment began; its storage classes are there now, and a new experiment measures it", nil
	case !before && reason != "":
		return "", named(env, hint.Errorf("create the storage class again, or run the experiment as a new one, which leaves the environment out",
			"it cannot be left out of a record that has measured it: %s", reason))
	}
	return reason, nil
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
