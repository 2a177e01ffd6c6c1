// Package elsewhere connects to the other machines of an experiment, and has the flags that name them.
package elsewhere

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plinth/internal/engine/life"
	"plinth/internal/experiment"
	"plinth/internal/kube/cluster"
	"plinth/internal/reach"
	sshaddress "plinth/internal/reach/address"
	"plinth/internal/runner/agent"
	"plinth/internal/runner/fleet"
	"plinth/internal/runner/pods"
	"plinth/internal/runner/site"
)

// Machines holds the connections to the other machines of an experiment.
type Machines struct {
	Version string
	Agents  string        // directory of releases for other architectures
	Wait    time.Duration // how long ssh may take to connect; if zero, ssh's configuration decides
	Say     func(string)

	Site   site.Site // of all machines; nil if the experiment has only this one
	close  []func() error
	Latest map[string]agent.Process // the latest agent of each machine
}

// Connect connects to the machines of an experiment. Where an earlier agent of this plinth still undoes
// its changes, it waits: the new one would measure beside it.
func (w *Machines) Connect(ctx context.Context, e *experiment.Experiment) error {
	w.Close()
	var members []fleet.Member
	for _, at := range e.Machines() {
		m := fleet.Member{At: at.Machine(), Site: site.NewLocal()}
		if at.There() {
			client, machine, err := w.Enter(ctx, at)
			if err == nil {
				var now agent.Process
				if now, err = client.Follow(ctx, w.Latest[m.At]); err == nil { // otherwise the next attempt waits for the same agent
					w.Latest[m.At] = now
				}
			}
			if err != nil {
				w.Close()
				return fmt.Errorf("%s: %w", m.At, err)
			}
			m.Site, m.Address, m.From = client, machine.Address, machine.From
		}
		members = append(members, m)
	}
	if len(e.OnKubernetes()) > 0 {
		onCluster, err := w.openCluster(ctx, e)
		if err != nil {
			w.Close()
			return err
		}
		members = append(members, fleet.Member{At: experiment.OnCluster, Site: onCluster})
	}
	if len(members) == 1 && members[0].At == "" && !e.Driver.Elsewhere() {
		return nil
	}
	var err error
	w.Site, err = fleet.New(e, members)
	return err
}

// openCluster opens the cluster of the environments on Kubernetes.
func (w *Machines) openCluster(ctx context.Context, e *experiment.Experiment) (*pods.Site, error) {
	c, err := cluster.Open(ctx, cluster.Options{Context: e.Kubernetes.Context, Namespace: e.Kubernetes.Namespace})
	if err != nil {
		return nil, err
	}
	return pods.New(c, pods.Options{Version: w.Version, Password: life.NewPassword, Say: w.Say}), nil
}

// Enter starts an agent on a machine.
func (w *Machines) Enter(ctx context.Context, at experiment.At) (*agent.Client, reach.Machine, error) {
	to := sshaddress.Address{Command: at.Command}
	if at.SSH != "" {
		var err error
		if to, err = sshaddress.Parse(at.SSH); err != nil {
			return nil, reach.Machine{}, err
		}
	}
	session, err := reach.Open(ctx, to, reach.Options{Agents: w.Agents, Become: at.Become, Wait: w.Wait, Say: w.Say})
	if err != nil {
		return nil, reach.Machine{}, err
	}
	options := agent.Options{Name: at.Machine(), Clean: cleaning(at), Version: w.Version}
	client, err := agent.Connect(ctx, session, options, func(line string) { w.Say(at.Machine() + ": " + line) })
	if err != nil {
		if ended := session.Err(); ended != nil {
			err = ended
		}
		return nil, reach.Machine{}, errors.Join(err, session.Close())
	}
	w.close = append(w.close, client.Disconnect)
	return client, session.Machine, nil
}

// cleaning returns the command that undoes what a killed agent left behind on a machine.
func cleaning(at experiment.At) string {
	switch {
	case at.SSH == "":
		return "plinth clean on that machine"
	case at.Become != "":
		return "plinth clean --on " + at.SSH + " --become " + at.Become
	}
	return "plinth clean --on " + at.SSH
}

// Close disconnects from the machines. Each agent undoes what is left there; a run reports what could
// not be undone before that.
func (w *Machines) Close() {
	for _, end := range w.close {
		_ = end()
	}
	w.close = nil
}
