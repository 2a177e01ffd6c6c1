package pods

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/journal"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/manifest"
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
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for {
		there, err := i.cluster.Exists(ctx, gone)
		if err != nil {
			return err
		}
		if !there {
			return i.awaitReady(ctx)
		}
		if err := host.Sleep(ctx, i.pause); err != nil {
			return err
		}
	}
}

// prepare prepares the fault, and returns what injects it.
func (i *injection) prepare(ctx context.Context) (strike func(context.Context) error, err error) {
	switch fault := i.experiment.Durability.Fault; fault {
	case experiment.FaultKill:
		return i.prepareKill(ctx)
	case experiment.FaultDeletePod:
		return func(ctx context.Context) error { return i.cluster.DeletePod(ctx, i.primary, deletedWithin) }, nil
	case experiment.FaultDrain:
		return i.prepareDrain()
	default:
		return nil, fmt.Errorf("cannot inject the fault %s on Kubernetes", fault)
	}
}

// prepareKill starts a privileged pod on the primary's node, with an agent that kills the server.
func (i *injection) prepareKill(ctx context.Context) (func(context.Context) error, error) {
	pod := i.plan.Fault(i.env, i.primary.Node)
	ref := cluster.RefOf(pod)
	i.repairs = append(i.repairs, func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeWithin)
		defer cancel()
		return i.cluster.Delete(ctx, i.plan.Record, ref)
	})
	if err := i.keeper.Create(ctx, pod); err != nil {
		return nil, err
	}
	if err := i.keeper.Await(ctx, ref); err != nil {
		return nil, err
	}
	killer, err := i.enter(ctx, entry{at: podAt("fault-" + i.env.Name), pod: ref.Name})
	if err != nil {
		return nil, err
	}
	i.repairs = append(i.repairs, killer.Disconnect)
	return func(ctx context.Context) error { return killer.KillPod(ctx, i.primary.UID, i.programs()) }, nil
}

// prepareDrain opens the journal. The fault notes there which node it cordons: a killed plinth leaves it so.
func (i *injection) prepareDrain() (func(context.Context) error, error) {
	state, err := journal.StateDir()
	if err != nil {
		return nil, err
	}
	notes, err := journal.Open(state, i.opening.Label)
	if err != nil {
		return nil, err
	}
	i.release = func() error {
		ctx, cancel := context.WithTimeout(context.Background(), i.patience)
		defer cancel()
		for {
			err := notes.PutBack(ctx, cluster.Undoers())
			if err == nil || host.Sleep(ctx, i.pause) != nil {
				return err
			}
		}
	}
	i.repairs = append(i.repairs, func() error { return errors.Join(i.end(), notes.Close()) })
	return func(ctx context.Context) error {
		node := i.primary.Node
		if err := i.cluster.NoteCordon(notes, node, i.plan.Record); err != nil {
			return err
		}
		if err := i.cluster.Cordon(ctx, node, i.plan.Record); err != nil {
			return err
		}
		return i.cluster.Evict(ctx, i.primary, evictWithin)
	}, nil
}

// end ends the fault. What it cannot undo is left in the journal, and on the node, for plinth clean.
func (i *injection) end() error {
	release := i.release
	i.release = nil
	if release == nil {
		return nil
	}
	if err := release(); err != nil {
		return &unendedError{err}
	}
	return nil
}

// unendedError says that a fault could not be ended, which says nothing about the server.
type unendedError struct{ error }

func (e *unendedError) Unwrap() error { return e.error }

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
