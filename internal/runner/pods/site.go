// Package pods is the site of the environments that run on Kubernetes. It creates their servers and the
// pods of their load generators, starts an agent in each of plinth's pods, and makes a fleet of them, as of
// other machines. In the end, it deletes what it has created.
//
// Each environment has an agent on the node of its server, which loads the dataset, makes the server ready
// for each run, and reads the node and the server while the load runs. The pods of one Job drive the loads
// of all environments.
package pods

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"plinth/internal/driver"
	"plinth/internal/experiment"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/keeper"
	"plinth/internal/kube/manifest"
	"plinth/internal/record"
	"plinth/internal/runner/agent"
	"plinth/internal/runner/fleet"
	"plinth/internal/runner/site"
	"plinth/internal/runner/stand"
	"plinth/internal/runner/tuning"
)

// Options of a Site.
type Options struct {
	Version  string        // of plinth: that of its image
	Password func() string // returns a new password
	Say      func(string)  // shows a line to the user
}

// Site is the site of the environments on Kubernetes of an experiment.
type Site struct {
	options Options
	cluster *cluster.Cluster

	experiment *experiment.Experiment // its environments on Kubernetes alone
	tuning     *tuning.Tuning
	opening    site.Opening
	plan       manifest.Plan

	keeper *keeper.Keeper // of the experiment's objects
	agents []*agent.Client
	fleet  *fleet.Fleet // nil until the pods run
	placed map[string]placed
	loads  []string     // the nodes of the load generators
	blind  []string     // environments whose node is read by a pod without privileges
	ended  cluster.Ends // the containers that ended before the latest run

	current string // the environment of that run

	mu     sync.Mutex
	broken *site.Failure // why a pod of plinth is gone; nil while all are there
	notes  []record.Note // for the next run
}

// placed is where the server of an environment runs.
type placed struct {
	pod  cluster.Pod
	main cluster.Ref
}

var _ site.Site = (*Site)(nil)

// New returns the site of an experiment in a cluster.
func New(c *cluster.Cluster, o Options) *Site {
	return &Site{options: o, cluster: c, placed: map[string]placed{}}
}

// Machines describes the cluster as one machine: with all of its nodes that pods may use.
func (s *Site) Machines(ctx context.Context) ([]site.Machine, error) {
	nodes, err := s.cluster.Nodes(ctx)
	if err != nil && !cluster.NotAllowed(err) {
		return nil, err
	}
	return []site.Machine{{At: experiment.OnCluster, Facts: factsOf(s.cluster.Version, nodes)}}, nil
}

// Open takes the cluster for the experiment. Nothing is created before the first environment is put up.
func (s *Site) Open(_ context.Context, o site.Opening) (site.Opened, error) {
	s.opening = o
	s.plan = s.planOf(o.Record)
	s.keeper = keeper.New(s.cluster, s.plan)
	return site.Opened{}, nil
}

func (s *Site) planOf(record string) manifest.Plan {
	return manifest.Plan{Experiment: s.experiment, Record: record, Version: s.options.Version, Password: s.options.Password}
}

// Close deletes everything that was created, and waits until it is gone. A namespace that others use stays.
func (s *Site) Close(ctx context.Context) error {
	var left error
	if s.fleet != nil && s.anyExisting() { // other servers are deleted with their datasets
		left = s.fleet.Close(ctx)
	}
	s.disconnect()
	if s.keeper == nil {
		return left
	}
	err := s.keeper.Delete(ctx)
	if line := cluster.Stays(err); line != "" {
		s.options.Say(line)
		return left
	}
	return errors.Join(left, err)
}

// anyExisting reports whether a server stays after the experiment.
func (s *Site) anyExisting() bool {
	return slices.ContainsFunc(s.experiment.Environments, func(e experiment.Environment) bool { return e.Existing() })
}

// disconnect ends the agents, all at once: one that does not answer takes some seconds.
func (s *Site) disconnect() {
	var all sync.WaitGroup
	for _, a := range s.agents {
		all.Go(func() { _ = a.Disconnect() })
	}
	all.Wait()
	s.agents, s.fleet = nil, nil
}

// SettleRates has nothing to choose: no device on Kubernetes is emulated by plinth.
func (s *Site) SettleRates(_ context.Context, given *stand.Rates) (stand.Rates, []string, error) {
	if given != nil {
		return *given, nil, nil
	}
	return stand.Rates{Scale: 1}, nil, nil
}

// PutUp creates the servers of all environments, the first time: they start side by side. Then it loads
// the dataset of one of them.
func (s *Site) PutUp(ctx context.Context, environment string, report func(site.Step)) (record.Environment, error) {
	if s.fleet == nil {
		if err := s.raise(ctx, report); err != nil {
			return record.Environment{}, &site.InputError{Err: err}
		}
	}
	described, err := s.fleet.PutUp(ctx, environment, report)
	if err != nil {
		return described, err
	}
	return s.describe(ctx, described)
}

// Inventories describes the nodes of the servers in detail.
func (s *Site) Inventories(ctx context.Context) ([]site.Inventory, []record.Note, error) {
	if s.fleet == nil { // all environments are left out
		return nil, nil, nil
	}
	return s.fleet.Inventories(ctx)
}

// Reload loads the dataset of an environment again.
func (s *Site) Reload(ctx context.Context, environment string, report func(site.Step)) error {
	return s.fleet.Reload(ctx, environment, report)
}

// Ready makes an environment ready for a run.
func (s *Site) Ready(ctx context.Context, o site.Order) (site.Ready, error) {
	s.current = o.Environment
	if ended, err := s.cluster.Ended(ctx); err == nil { // otherwise those before an earlier run
		s.ended = ended
	}
	if err := s.moved(ctx, o.Environment); err != nil {
		return site.Ready{}, err
	}
	ready, err := s.fleet.Ready(ctx, o)
	return ready, s.blame(ctx, err)
}

// Begun reports when the measured window began, by the clock of the server's node.
func (s *Site) Begun(window time.Time) { s.fleet.Begun(window) }

// Watch watches the server under load.
func (s *Site) Watch(ctx context.Context) error { return s.blame(ctx, s.fleet.Watch(ctx)) }

// Drive drives the load from the pods of the load generators.
func (s *Site) Drive(ctx context.Context, job driver.Job) (*driver.Outcome, error) {
	outcome, err := s.fleet.Drive(ctx, job)
	return outcome, s.blame(ctx, err)
}

// End ends a run.
func (s *Site) End(ctx context.Context, e site.Ending) (site.Account, error) {
	account, err := s.fleet.End(ctx, e)
	account.Warnings, s.notes = append(account.Warnings, s.notes...), nil
	return account, s.blame(ctx, err)
}
