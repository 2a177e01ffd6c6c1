package check

import (
	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/strictyaml"
)

// shared checks that environments can share their data: plinth creates and restarts their servers.
func shared(notes *mistake.Notes, e *experiment.Experiment) {
	at := &e.Dataset.Shared
	if !*at || !notes.Sound(at) {
		return
	}
	const hint = "leave out shared"
	if e.Durability.Fault != "" {
		notes.Add(notes.Places[at], hint, "dataset.shared: a fault is injected into each environment's own data")
	}
	for i := range e.Environments {
		env := &e.Environments[i]
		name := strictyaml.Bare(env.Name)
		switch {
		case env.Existing():
			notes.Add(notes.Places[at], hint, "dataset.shared: %s is an existing server, which plinth does not restart", name)
		case env.Kubernetes.There():
			notes.Add(notes.Places[at], hint, "dataset.shared: %s runs on Kubernetes, where each environment has its own volumes", name)
		case env.Replica.There():
			notes.Add(notes.Places[at], hint, "dataset.shared: %s has a replica, which follows one server only", name)
		}
	}
}
