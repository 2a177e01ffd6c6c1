package pods

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/keeper"
	"plinth/internal/record"
	"plinth/internal/runner/agent"
	"plinth/internal/runner/site"
)

// blame returns why a step of a run has failed, in the words of the cluster if a pod is the reason: one
// that was evicted, killed or deleted. The run fails, and the experiment goes on. If a pod of plinth is
// gone, Revive replaces it.
func (s *Site) blame(ctx context.Context, seen error) error {
	if seen == nil || ctx.Err() != nil {
		return seen
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	why := s.trouble(ctx, seen)
	if why == nil {
		return seen
	}
	failure := &site.Failure{Rule: "pod", Err: why}
	if errors.As(seen, new(*agent.LostError)) {
		s.broken = failure
	}
	return failure
}

// statusWithin is how long the cluster may take to say why the connection to a pod has ended.
const statusWithin = 10 * time.Second

// trouble returns what has happened to a pod: what ended the connection to it, or else what is wrong with
// the server of the run, its reader or the load generators now. It returns nil if nothing is.
func (s *Site) trouble(ctx context.Context, seen error) error {
	if pod := new(cluster.PodError); errors.As(seen, &pod) {
		return pod
	}
	lost := errors.As(seen, new(*agent.LostError))
	refs := []cluster.Ref{cluster.RefOf(s.plan.Load())}
	for _, env := range s.experiment.Environments {
		if env.Name == s.current {
			refs = append(refs, cluster.RefOf(s.plan.Reader(env, "", false)), s.placed[env.Name].main)
		}
	}
	for end := time.Now().Add(statusWithin); ; {
		for _, ref := range refs {
			pod := new(cluster.PodError)
			if err := s.cluster.Trouble(ctx, ref, s.ended); errors.As(err, &pod) || lost && cluster.IsGone(err) {
				return err
			}
		}
		if !lost || time.Now().After(end) || host.Sleep(ctx, time.Second) != nil {
			return nil
		}
	}
}

// moved returns an error if the server of an environment runs in another pod than before: its primary may have
// changed between two runs, and the reader would be on the wrong node. The run fails, and Revive looks again.
// While it is not clear which pod is the primary, the run itself finds out what is wrong.
func (s *Site) moved(ctx context.Context, environment string) error {
	was, labels := s.placed[environment].pod, s.plan.Pods(s.environment(environment))
	if labels == nil { // only the cluster knows the pods of an existing Service
		return nil
	}
	found, err := s.cluster.Pods(ctx, labels)
	if err == nil && len(found) == 1 && found[0].UID != was.UID {
		const words = "the pod of the server of %s has changed since the last run: it is %s on the node %s, and was %s on %s"
		return &site.Failure{Rule: "pod", Err: fmt.Errorf(words, environment, found[0].Name, found[0].Node, was.Name, was.Node)}
	}
	return nil
}

// Revive waits for the server of an environment after a failed run. If a pod of plinth is gone, or the
// server runs on another node now, all pods of plinth are replaced, and the datasets are loaded again: an
// agent that ends drops its own.
func (s *Site) Revive(ctx context.Context, environment string) error {
	s.mu.Lock()
	why := s.broken
	s.mu.Unlock()
	if why == nil {
		before := s.placed[environment].pod.Node
		if err := s.reviveServer(ctx, s.environment(environment)); err != nil {
			return err
		}
		now := s.placed[environment].pod.Node
		if now == before {
			return nil
		}
		why = &site.Failure{Rule: "pod", Err: fmt.Errorf("the server of %s moved from the node %s to %s", environment, before, now)}
	}
	if err := s.replacePods(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, record.Note{Rule: "reloaded",
		Text: "the datasets were loaded again: pods of plinth were replaced, because " + why.Error()})
	s.broken = nil
	return nil
}

// replacePods replaces all pods of plinth, and loads the datasets again.
func (s *Site) replacePods(ctx context.Context) error {
	if s.anyExisting() { // a server that stays must not keep the dataset
		_ = s.fleet.Close(ctx)
	}
	s.disconnect()
	own := []cluster.Ref{cluster.RefOf(s.plan.Load())}
	for _, env := range s.experiment.Environments {
		own = append(own, cluster.RefOf(s.plan.Reader(env, "", false)))
	}
	if err := s.cluster.DeleteWithin(ctx, keeper.GoneWithin, s.plan.Record, own...); err != nil {
		return err
	}
	if err := s.awaitServers(ctx); err != nil {
		return err
	}
	if err := s.createPods(ctx); err != nil {
		return err
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	for _, env := range s.experiment.Environments {
		if _, err := s.fleet.PutUp(ctx, env.Name, func(site.Step) {}); err != nil {
			return named(env, err)
		}
	}
	return nil
}

// reviveServer waits until a server answers again: the cluster learns of its end later than its clients.
func (s *Site) reviveServer(ctx context.Context, env experiment.Environment) error {
	for end := time.Now().Add(serverWithin); ; {
		if err := s.awaitServer(ctx, env); err != nil {
			return named(env, err)
		}
		err := s.fleet.Revive(ctx, env.Name)
		if err == nil || errors.As(err, new(*agent.LostError)) || time.Now().After(end) || host.Sleep(ctx, time.Second) != nil {
			return err
		}
	}
}
