package pods

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"plinth/internal/conninfo"
	"plinth/internal/experiment"
	"plinth/internal/kube/cluster"
	"plinth/internal/runner/agent"
	"plinth/internal/runner/fleet"
	"plinth/internal/runner/site"
)

// serverWithin is how long a server may take until it is ready. Volumes of a cloud take minutes, and so do
// images that a node does not have; what cannot become ready is known within seconds by its events.
const serverWithin = 15 * time.Minute

// raise creates the experiment's objects, starts an agent in each of plinth's pods, and makes a fleet of
// them. The servers start side by side.
func (s *Site) raise(ctx context.Context, report func(site.Step)) error {
	for _, step := range []struct {
		detail string
		do     func(context.Context) error
	}{
		{"the keeper of its objects", func(ctx context.Context) error { return s.keeper.Begin(ctx, s.opening.Resumed) }},
		{"the servers", s.createServers},
		{"the load generators", s.createPods},
		{"the agents in the pods", s.connect},
	} {
		report(site.Step{Name: "creating", Detail: step.detail})
		if err := step.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// createServers creates the servers of all environments, and waits until each is ready.
func (s *Site) createServers(ctx context.Context) error {
	for _, env := range s.experiment.Environments {
		objects, err := s.plan.Server(env)
		if err == nil {
			err = s.keeper.Create(ctx, objects...)
		}
		if err != nil {
			return named(env, err)
		}
	}
	if err := s.awaitServers(ctx); err != nil {
		return err
	}
	return s.checkMovable(ctx)
}

// awaitServers waits until all servers are ready, side by side: one that cannot become ready ends it at once.
func (s *Site) awaitServers(ctx context.Context) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	var all sync.WaitGroup
	found := make([]placed, len(s.experiment.Environments))
	for i, env := range s.experiment.Environments {
		all.Go(func() {
			var err error
			if found[i], err = s.place(ctx, env); err != nil {
				end(named(env, err))
			}
		})
	}
	all.Wait()
	for i, env := range s.experiment.Environments {
		s.placed[env.Name] = found[i]
	}
	return context.Cause(ctx)
}

func named(env experiment.Environment, err error) error { return site.InEnvironment(env.Name, err) }

// awaitServer waits until the server of an environment is ready, and finds out where it runs.
func (s *Site) awaitServer(ctx context.Context, env experiment.Environment) error {
	of, err := s.place(ctx, env)
	if err == nil {
		s.placed[env.Name] = of
	}
	return err
}

// place returns where the server of an environment runs, once it is ready.
func (s *Site) place(ctx context.Context, env experiment.Environment) (placed, error) {
	kind, name := s.plan.Main(env)
	of := placed{main: cluster.Ref{Kind: kind, Name: name}}
	if err := s.cluster.Wait(ctx, of.main, cluster.Ready, serverWithin); err != nil {
		return of, err
	}
	if labels := s.plan.Pods(env); labels != nil {
		found, err := s.cluster.Pods(ctx, labels)
		if err != nil {
			return of, err
		}
		if len(found) == 0 {
			return of, fmt.Errorf("%s has no pod", of.main)
		}
		of.pod = found[0]
	}
	return of, nil
}

// createPods creates the pods in which plinth runs: one on the node of each server, and those of the load
// generators.
func (s *Site) createPods(ctx context.Context) error {
	load := s.plan.Load()
	if err := s.keeper.Create(ctx, load); err != nil {
		return err
	}
	var readers []cluster.Ref
	for _, env := range s.experiment.Environments {
		reader, err := s.createReader(ctx, env)
		if err != nil {
			return named(env, err)
		}
		readers = append(readers, reader)
	}
	for _, ref := range append(readers, cluster.RefOf(load)) {
		if err := s.keeper.Await(ctx, ref); err != nil {
			return err
		}
	}
	return nil
}

// createReader creates the pod that reads the node of an environment's server: a privileged one, unless
// the namespace or a policy of the cluster does not allow that.
func (s *Site) createReader(ctx context.Context, env experiment.Environment) (cluster.Ref, error) {
	node := s.placed[env.Name].pod.Node
	var err error
	for _, privileged := range []bool{node != "", false} {
		pod := s.plan.Reader(env, node, privileged)
		if err = s.keeper.Create(ctx, pod); err == nil {
			if !privileged {
				s.blind = append(s.blind, env.Name)
			}
			return cluster.RefOf(pod), nil
		}
		if !cluster.Denied(err) {
			break
		}
	}
	return cluster.Ref{}, err
}

// connect starts an agent in each of plinth's pods, and makes a fleet of them.
func (s *Site) connect(ctx context.Context) error {
	e := *s.experiment
	e.Environments, e.Driver.At, e.Kubernetes = nil, nil, experiment.Cluster{}
	var entries []entry
	for _, env := range s.experiment.Environments {
		reached, err := s.reached(ctx, env)
		if err != nil {
			return named(env, err)
		}
		e.Environments = append(e.Environments, reached)
		found, err := s.cluster.Pods(ctx, s.plan.ReaderPods(env))
		if err != nil || len(found) != 1 {
			return named(env, errors.Join(err, errGone))
		}
		entries = append(entries, entry{at: reached.At, pod: found[0].Name})
	}
	loads, err := s.cluster.Pods(ctx, s.plan.LoadPods())
	if err != nil || len(loads) == 0 {
		return errors.Join(err, errGone)
	}
	s.loads = nil
	for i, pod := range loads {
		s.loads = append(s.loads, pod.Node)
		at := podAt(fmt.Sprintf("load-%d", i+1))
		e.Driver.At = append(e.Driver.At, at)
		entries = append(entries, entry{at: at, pod: pod.Name})
	}
	members, err := s.enterAll(ctx, entries)
	if err != nil {
		return err
	}
	if s.fleet, err = fleet.New(&e, members); err != nil {
		return err
	}
	if _, err := s.fleet.Foresee(ctx, site.Plan{Experiment: &e}); err != nil {
		return err
	}
	_, err = s.fleet.Open(ctx, site.Opening{
		Label: s.opening.Label, By: s.opening.By,
		// The journal of an agent is lost with its pod.
		Series: s.cluster.Namespace + "/" + s.opening.Record,
	})
	return err
}

var errGone = errors.New("a pod of plinth is gone")

// podAt returns the address of one of plinth's pods, as the fleet and the record name it.
func podAt(name string) experiment.At { return experiment.At{Command: []string{"pod", name}} }

// entry is an agent to be started.
type entry struct {
	at  experiment.At
	pod string
}

// enterAll starts the agents, all at once.
func (s *Site) enterAll(ctx context.Context, entries []entry) ([]fleet.Member, error) {
	members, failures := make([]fleet.Member, len(entries)), make([]error, len(entries))
	clients := make([]*agent.Client, len(entries))
	var all sync.WaitGroup
	for i, e := range entries {
		all.Go(func() {
			clients[i], failures[i] = s.enter(ctx, e)
			members[i] = fleet.Member{At: e.at.Machine(), Site: clients[i]}
		})
	}
	all.Wait()
	for _, client := range clients {
		if client != nil {
			s.agents = append(s.agents, client)
		}
	}
	for i, err := range failures {
		if err != nil {
			return nil, fmt.Errorf("the pod %s: %w", entries[i].pod, err)
		}
	}
	return members, nil
}

// enter starts the agent in a pod.
func (s *Site) enter(ctx context.Context, e entry) (*agent.Client, error) {
	name := e.at.Machine()
	return Enter(ctx, s.keeper, e.pod, agent.Options{Name: name, Version: s.options.Version}, func(line string) { s.options.Say(name + ": " + line) })
}

// reached returns an environment as the agents see it: an existing server, which they reach with the
// password in its Secret.
func (s *Site) reached(ctx context.Context, env experiment.Environment) (experiment.Environment, error) {
	to, err := s.endpoint(ctx, s.plan, env)
	if err != nil {
		return env, err
	}
	kind, _ := s.plan.Main(env)
	user, password, err := s.credentials(ctx, to, kind)
	if err != nil {
		return env, err
	}
	address := url.URL{Scheme: "postgresql", User: url.User(user), Host: fmt.Sprintf("%s:%d", to.Host, to.Port), Path: "/postgres"}
	if s.experiment.Engine == experiment.EngineRedis {
		address.Scheme, address.Path = "redis", ""
	}
	if password != "" {
		address.User = url.UserPassword(user, password)
	}
	return experiment.Environment{
		Name: env.Name, Label: env.Label, Facts: env.Facts, Instance: env.Instance, At: podAt("reader-" + env.Name),
		Connect: conninfo.Conninfo(address.String()), Disposable: true, Dataset: env.Dataset, Settings: env.Settings, Telemetry: env.Telemetry,
	}, nil
}
