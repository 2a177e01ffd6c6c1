package check

import (
	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/strictyaml"
)

// durability checks that the fault can be injected into every environment.
func durability(notes *mistake.Notes, e *experiment.Experiment) {
	d := &e.Durability
	if notes.Places[d] == nil || !notes.Sound(d, &d.Fault, &d.Of, &d.Recover, &e.Environments) {
		return
	}
	if d.Fault == "" {
		notes.Add(notes.Places[d], "add fault: kill, or fault: power-cut", "durability: no fault is given")
		return
	}
	replicas := 0
	for i := range e.Environments {
		env := &e.Environments[i]
		if env.Existing() {
			notes.Add(notes.Places[&d.Fault], "leave it out, or leave out the existing server", "%s: %s is an existing server, and plinth injects faults only into servers that it creates", d.Fault, strictyaml.Bare(env.Name))
			continue
		}
		if notes.Sound(&env.Storage, &env.Replica) {
			powered(notes, e, env)
		}
		if env.Replica.There() || !notes.Sound(&env.Replica) {
			replicas++
		}
	}
	const add = "add replica: {} to an environment, or leave out "
	if d.Of == experiment.OfBoth && replicas == 0 {
		notes.Add(first(notes.Places[&d.Of], notes.Places[d]), add+"of: both", "durability: of: both, but no environment has a replica")
	}
	if d.Recover == experiment.RecoverPromote && replicas == 0 {
		notes.Add(first(notes.Places[&d.Recover], notes.Places[d]), add+"recover: promote", "durability: recover: promote, but no environment has a replica")
	}
}

// powered notes volumes that are not emulated and whose power would have to be cut.
func powered(notes *mistake.Notes, e *experiment.Experiment, env *experiment.Environment) {
	d := e.Durability
	if d.Fault != experiment.FaultPowerCut {
		return
	}
	if env.Kubernetes.There() {
		notes.Add(notes.Places[&e.Durability.Fault], "use fault: kill", "power-cut: %s runs on Kubernetes, and only emulated devices can lose power", strictyaml.Bare(env.Name))
		return
	}
	parts := env.Storage.Parts()
	if d.Of == experiment.OfBoth {
		parts = env.Parts()
	}
	for _, part := range parts {
		if !part.Volume.Emulated() {
			notes.Add(notes.Places[&e.Durability.Fault], "emulate the volume, because only emulated devices can lose power (emulate: pass-through adds no delay to the disk)",
				"power-cut: the %s volume of %s is not emulated", part.Role, strictyaml.Bare(env.Name))
		}
	}
}
