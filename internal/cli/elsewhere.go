package cli

import (
	"context"
	"errors"
	"fmt"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/prose"
	"plinth/internal/reach"
	sshaddress "plinth/internal/reach/address"
	"plinth/internal/runner/agent"
	"plinth/internal/runner/fleet"
	"plinth/internal/runner/site"
)

// elsewhere holds the connections to the other machines of an experiment.
type elsewhere struct {
	site  site.Site // of all machines; nil if the experiment has only this one
	close []func() error
}

// connect connects to the machines of an experiment.
func (a *app) connect(ctx context.Context, e *experiment.Experiment, agents string, say func(string)) (*elsewhere, error) {
	w := &elsewhere{}
	var members []fleet.Member
	for _, at := range e.Machines() {
		m := fleet.Member{At: at.Machine(), Site: site.NewLocal()}
		if at.There() {
			client, machine, err := a.enter(ctx, at, agents, say, w)
			if err != nil {
				w.Close()
				return nil, fmt.Errorf("%s: %w", at.Machine(), err)
			}
			m.Site, m.Address, m.From = client, machine.Address, machine.From
		}
		members = append(members, m)
	}
	if len(members) == 1 && members[0].At == "" && !e.Driver.Elsewhere() {
		return w, nil
	}
	var err error
	w.site, err = fleet.New(e, members)
	return w, err
}

// enter starts an agent on a machine.
func (a *app) enter(ctx context.Context, at experiment.At, agents string, say func(string), w *elsewhere) (*agent.Client, reach.Machine, error) {
	to := sshaddress.Address{Command: at.Command}
	if at.SSH != "" {
		var err error
		if to, err = sshaddress.Parse(at.SSH); err != nil {
			return nil, reach.Machine{}, err
		}
	}
	session, err := reach.Open(ctx, to, reach.Options{Agents: agents, Become: at.Become, Say: say})
	if err != nil {
		return nil, reach.Machine{}, err
	}
	client, err := agent.Connect(ctx, session, agent.Options{Name: at.Machine(), Version: a.version}, func(line string) { say(at.Machine() + ": " + line) })
	if err != nil {
		if ended := session.Err(); ended != nil {
			err = ended
		}
		return nil, reach.Machine{}, errors.Join(err, session.Close())
	}
	w.close = append(w.close, client.Disconnect)
	return client, session.Machine, nil
}

// cleanOn undoes what a crash left behind on another machine, and removes the copies of plinth there.
func (a *app) cleanOn(ctx context.Context, on string, dryRun, forget bool) error {
	to, err := sshaddress.Parse(on)
	switch {
	case err != nil:
		return &usageError{err}
	case dryRun:
		return usage(hint.Errorf("leave one of them out", "--dry-run and --on cannot be used together"))
	}
	say := func(line string) { fmt.Fprintln(a.stdout, prose.Clean(line)) }
	w := &elsewhere{}
	client, _, err := a.enter(ctx, experiment.At{SSH: on}, "", say, w)
	if err != nil {
		return err
	}
	err = client.Clean(ctx, forget)
	w.Close()
	return errors.Join(err, reach.Clean(ctx, to, reach.Options{Say: say}))
}

// Close disconnects from the machines. Each agent undoes what is left there; a run reports what could
// not be undone before that.
func (w *elsewhere) Close() {
	for _, end := range w.close {
		_ = end()
	}
}
