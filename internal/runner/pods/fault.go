package pods

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/kube/cluster"
	"plinth/internal/record"
	"plinth/internal/runner/agent"
	"plinth/internal/runner/site"
)

// How long a fault may last. A volume of a cloud needs minutes to be attached to another node, and a
// replica that is made anew copies the whole dataset.
const (
	resumeWithin   = 10 * time.Minute
	readyWithin    = 15 * time.Minute
	evictWithin    = 5 * time.Minute
	uncordonWithin = 30 * time.Second
	removeWithin   = time.Minute

	// deletedWithin is the grace period of a deleted pod. Without one, the API server would forget the pod
	// before its node has ended it, and a second server could start on the same volume.
	deletedWithin = time.Second

	// drainedFor is how long a node is drained at most, once the server has left it: one that commits only
	// with the replica that ran there waits for it.
	drainedFor = time.Minute
)

// clockReadings is how often the clock of the pod that writes is compared with this one.
const clockReadings = 8

// injection is a fault in an environment.
type injection struct {
	*Site
	env     experiment.Environment
	witness writer // in the pod that reads the node: no fault hits it
	primary cluster.Pod
	ahead   time.Duration // the witness's clock
	struck  time.Time
	release func() error   // ends the fault; nil if it has no end of its own
	repairs []func() error // what the fault has changed, to be undone in reverse
	pause   time.Duration  // between two looks at the server

	patience time.Duration // with a fault that does not end
	drained  time.Duration // how long a node is drained at most, once the server has left it
}

// writer is an agent that writes while a fault is injected.
type writer interface {
	site.Witness
	Clock(ctx context.Context, n int) (ahead, within time.Duration, err error)
}

// Inject injects the experiment's fault into an environment by the cluster's API, while a pod writes
// numbered rows to the server's address, and goes on through the fault. It waits until the cluster has
// repaired the environment.
func (s *Site) Inject(ctx context.Context, environment string, at time.Duration) (record.Injection, error) {
	witness := s.reader(environment)
	if witness == nil {
		return record.Injection{}, errGone
	}
	i := &injection{Site: s, env: s.environment(environment), witness: witness, pause: time.Second, patience: uncordonWithin, drained: drainedFor}
	seen, err := i.inject(ctx, at)
	seen.At = at.Seconds()
	return seen, err
}

// reader returns the agent that reads the node of an environment's server; nil if it is gone.
func (s *Site) reader(environment string) *agent.Client {
	at := slices.IndexFunc(s.experiment.Environments, func(e experiment.Environment) bool { return e.Name == environment })
	if at >= len(s.agents) {
		return nil
	}
	return s.agents[at] // the first agents are the readers, in the order of the environments
}

func (i *injection) inject(ctx context.Context, at time.Duration) (seen record.Injection, err error) {
	if i.experiment.Durability.Fault == experiment.FaultDrain {
		// CloudNativePG moves the primaries of all its clusters from a node that is cordoned: a drain
		// for another environment may just have done that.
		if err := i.awaitReady(ctx); err != nil {
			return seen, err
		}
	}
	before, err := i.fresh(ctx)
	if err != nil {
		return seen, err
	}
	strike, err := i.prepare(ctx)
	defer func() {
		for _, repair := range slices.Backward(i.repairs) {
			err = errors.Join(err, repair())
		}
	}()
	if err != nil {
		return seen, err
	}
	if i.ahead, _, err = i.witness.Clock(ctx, clockReadings); err != nil {
		return seen, err
	}
	if err := i.witness.Write(ctx, i.env.Name); err != nil {
		return seen, err
	}
	if err := host.Sleep(ctx, at); err != nil {
		return seen, err
	}
	if i.experiment.Durability.Fault != experiment.FaultKill {
		// CloudNativePG may have made another pod the primary meanwhile, and a fault that hits a replica
		// would not interrupt the writes.
		if before, err = i.where(ctx); err != nil {
			return seen, err
		}
	}
	i.struck = time.Now()
	if err := strike(ctx); err != nil {
		return seen, err
	}
	return i.observe(ctx, before)
}

// where returns where the primary runs.
func (i *injection) where(ctx context.Context) (record.PrimaryPod, error) {
	found, err := i.cluster.Pods(ctx, i.plan.Pods(i.env))
	if err != nil {
		return record.PrimaryPod{}, err
	}
	if len(found) != 1 {
		return record.PrimaryPod{}, fmt.Errorf("the server has %d primary pods", len(found))
	}
	i.primary = found[0]
	kind, name := i.plan.Main(i.env)
	main, err := i.cluster.Get(ctx, cluster.Ref{Kind: kind, Name: name})
	if err != nil {
		return record.PrimaryPod{}, err
	}
	status, _ := main["status"].(map[string]any)
	timeline, _ := status["timelineID"].(int64) // only CloudNativePG says it
	return record.PrimaryPod{Pod: i.primary.Name, Node: i.primary.Node, Timeline: timeline}, nil
}

// renewGrace is how long a server may take to end that is replaced before a kill.
const renewGrace = 10 * time.Second

// fresh returns where the primary runs, once its pod has not been restarted: after each further crash,
// Kubernetes waits longer before it restarts a container, for ten minutes, and a later kill would seem to
// cost more than the first.
func (i *injection) fresh(ctx context.Context) (record.PrimaryPod, error) {
	for range max(1, i.env.Kubernetes.Instances) + 1 {
		at, err := i.where(ctx)
		if err != nil || i.primary.Restarts == 0 || i.experiment.Durability.Fault != experiment.FaultKill {
			return at, err
		}
		gone := i.primary
		if err := i.cluster.DeletePod(ctx, gone, renewGrace); err != nil {
			return at, err
		}
		if err := i.awaitReplaced(ctx, gone); err != nil {
			return at, err
		}
	}
	return i.where(ctx)
}

// awaitReplaced waits until a pod is gone, and the server is ready without it.
func (i *injection) awaitReplaced(ctx context.Context, gone cluster.Pod) error {
	for end := time.Now().Add(readyWithin); ; {
		there, err := i.cluster.Exists(ctx, gone)
		switch late := time.Now().After(end); {
		case err == nil && !there:
			return i.awaitReady(ctx)
		case late && err != nil: // before, the API server may not be available for a moment
			return err
		case late:
			return fmt.Errorf("the pod %s is still there after %s", gone.Name, readyWithin)
		}
		if err := host.Sleep(ctx, i.pause); err != nil {
			return err
		}
	}
}

// observe waits until writes are acknowledged again and the cluster has repaired the environment, and
// counts the lost ones. An environment that does not come back is a finding, not a failure.
func (i *injection) observe(ctx context.Context, before record.PrimaryPod) (record.Injection, error) {
	broke := ""
	err := i.resumed(ctx)
	switch {
	case ctx.Err() != nil:
		return record.Injection{}, ctx.Err()
	case errors.As(err, new(*agent.LostError)), errors.As(err, new(*unendedError)):
		return record.Injection{}, err
	case err != nil:
		broke = i.reason(ctx, err).Error()
	}
	var unready error
	if broke == "" {
		unready = i.repaired(ctx)
	}
	seen, err := i.witness.Count(ctx, broke)
	if err != nil {
		return seen, err
	}
	if seen.Broke == "" && unready != nil {
		seen.Broke = unready.Error()
	}
	after, err := i.where(ctx)
	if err == nil || seen.Broke != "" {
		seen.Primary = &record.Primary{Before: before, After: after}
		err = nil
	}
	return seen, errors.Join(err, ctx.Err())
}

// repaired waits until the cluster has repaired the environment.
func (i *injection) repaired(ctx context.Context) error {
	if i.experiment.Durability.Fault == experiment.FaultKill {
		return i.awaitReady(ctx)
	}
	return i.awaitReplaced(ctx, i.primary)
}

// resumed waits until writes are acknowledged again, and ends the fault.
func (i *injection) resumed(ctx context.Context) error {
	wait := func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, resumeWithin)
		defer cancel()
		return i.witness.Resumed(ctx, i.struck.Round(0).Add(i.ahead))
	}
	if i.release == nil {
		return wait(ctx)
	}
	away, cancel := i.away(ctx)
	defer cancel()
	err := wait(away)
	if unended := i.end(); err == nil || unended != nil {
		return unended
	}
	return wait(ctx)
}

// away returns a context that ends a while after the evicted pod is gone. Until then, which may take
// minutes, its server waits for the clients that it has: uncordoned, it would come back on the same node.
func (i *injection) away(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	evicted := i.primary // which changes once another pod is the primary
	go func() {
		there := true
		for there {
			var err error
			if there, err = i.cluster.Exists(ctx, evicted); err != nil {
				there = true
			}
			if there && host.Sleep(ctx, i.pause) != nil {
				return
			}
		}
		_ = host.Sleep(ctx, i.drained)
		cancel()
	}()
	return ctx, cancel
}

// reason returns why a server does not come back: in the words of the cluster, if it has any.
func (i *injection) reason(ctx context.Context, seen error) error {
	kind, name := i.plan.Main(i.env)
	if trouble := i.cluster.Trouble(ctx, cluster.Ref{Kind: kind, Name: name}, i.ended); trouble != nil {
		return trouble
	}
	if errors.Is(seen, context.DeadlineExceeded) {
		return fmt.Errorf("no write was acknowledged again within %s", resumeWithin)
	}
	return seen
}

// steadyLooks is how often, with a pause after each, a server is found ready before it counts as
// repaired: its status lags behind.
const steadyLooks = 3

// awaitReady waits until the server is ready, with all its instances.
func (i *injection) awaitReady(ctx context.Context) error {
	kind, name := i.plan.Main(i.env)
	for range steadyLooks {
		if err := i.cluster.Wait(ctx, cluster.Ref{Kind: kind, Name: name}, cluster.Ready, readyWithin); err != nil {
			return err
		}
		if err := host.Sleep(ctx, i.pause); err != nil {
			return err
		}
	}
	return nil
}
