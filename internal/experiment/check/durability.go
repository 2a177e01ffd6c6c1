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
	replicas, pods := 0, 0
	for i := range e.Environments {
		env := &e.Environments[i]
		if env.Existing() {
			notes.Add(notes.Places[&d.Fault], "leave it out, or leave out the existing server", "%s: %s is an existing server, and plinth injects faults only into servers that it creates", d.Fault, strictyaml.Bare(env.Name))
			continue
		}
		if notes.Sound(&env.Storage, &env.Replica, &env.Kubernetes) {
			possible(notes, e, env)
		}
		switch {
		case env.Kubernetes.There():
			pods++
		case env.Replica.There() || !notes.Sound(&env.Replica):
			replicas++
		}
	}
	targets(notes, d, replicas, pods)
}

// targets notes targets and ways to recover that no environment has.
func targets(notes *mistake.Notes, d *experiment.Durability, replicas, pods int) {
	if replicas > 0 {
		return
	}
	why, add := "no environment has a replica", "add replica: {} to an environment, or leave out "
	if pods > 0 {
		why, add = "on Kubernetes, the fault hits the primary, and the cluster decides how it recovers", "leave out "
	}
	if d.Of == experiment.OfBoth {
		notes.Add(first(notes.Places[&d.Of], notes.Places[d]), add+"of: both", "durability: of: both, but %s", why)
	}
	if d.Recover == experiment.RecoverPromote {
		notes.Add(first(notes.Places[&d.Recover], notes.Places[d]), add+"recover: promote", "durability: recover: promote, but %s", why)
	}
}

// possible notes a fault that cannot be injected into an environment.
func possible(notes *mistake.Notes, e *experiment.Experiment, env *experiment.Environment) {
	place, name := notes.Places[&e.Durability.Fault], strictyaml.Bare(env.Name)
	switch fault := e.Durability.Fault; {
	case fault == experiment.FaultPowerCut && env.Kubernetes.There():
		notes.Add(place, "use fault: kill", "power-cut: %s runs on Kubernetes, and only emulated devices can lose power", name)
	case fault == experiment.FaultPowerCut:
		powered(notes, e, env)
	case (fault == experiment.FaultDeletePod || fault == experiment.FaultDrain) && !env.Kubernetes.There():
		notes.Add(place, "use fault: kill, or add kubernetes: {operator: cnpg} to the environment", "%s: %s does not run on Kubernetes", fault, name)
	}
}

// powered notes volumes whose power would have to be cut and cannot be: those that are not emulated, and md arrays with copies:
// the kernel fails the members of such an array one by one, and then all writes until the array is stopped.
func powered(notes *mistake.Notes, e *experiment.Experiment, env *experiment.Environment) {
	parts := env.Storage.Parts()
	if e.Durability.Of == experiment.OfBoth {
		parts = env.Parts()
	}
	for _, part := range parts {
		if part.Volume.RAID == "1" || part.Volume.RAID == "10" {
			notes.Add(notes.Places[&e.Durability.Fault], "use a modelled array, emulate: {raid: 10, of: gp3, members: 8}",
				"power-cut: the %s volume of %s is an array with copies, which the kernel does not start again", part.Role, strictyaml.Bare(env.Name))
			continue
		}
		if !part.Volume.Emulated() {
			notes.Add(notes.Places[&e.Durability.Fault], "emulate the volume, because only emulated devices can lose power (emulate: pass-through adds no delay to the disk)",
				"power-cut: the %s volume of %s is not emulated", part.Role, strictyaml.Bare(env.Name))
		}
	}
}
