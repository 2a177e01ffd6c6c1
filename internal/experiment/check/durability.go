package check

import (
	"plinth/internal/experiment"
	"plinth/internal/strictyaml"
)

// durability checks that what is to be done to the environments can be done.
func (c *checker) durability() {
	d := &c.e.Durability
	if c.Places[d] == nil || !c.Sound(d, &d.Fault, &d.Of, &d.Recover, &c.e.Environments) {
		return
	}
	if d.Fault == "" {
		c.Add(c.Places[d], "add fault: kill, or fault: power-cut", "durability: it says not what is to happen")
		return
	}
	replicas := 0
	for i := range c.e.Environments {
		env := &c.e.Environments[i]
		if env.Connect != "" {
			c.Add(c.Places[&d.Fault], "leave it out, or leave out connect", "%s: %s is a server that is already there", d.Fault, strictyaml.Bare(env.Name))
			continue
		}
		if c.Sound(&env.Storage, &env.Replica) {
			c.powered(env)
		}
		if env.Replica.There() || !c.Sound(&env.Replica) {
			replicas++
		}
	}
	const none = "give an environment a replica: {}, or leave it out"
	if d.Of == experiment.OfBoth && replicas == 0 {
		c.Add(first(c.Places[&d.Of], c.Places[d]), none, "durability: of: both, and no environment has a replica")
	}
	if d.Recover == experiment.RecoverPromote && replicas == 0 {
		c.Add(first(c.Places[&d.Recover], c.Places[d]), none, "durability: recover: promote, and no environment has a replica")
	}
}

// powered notes volumes whose power is to be cut, and that have no plug: only an
// emulated device has one.
func (c *checker) powered(env *experiment.Environment) {
	d := c.e.Durability
	if d.Fault != experiment.FaultPowerCut {
		return
	}
	parts := env.Storage.Parts()
	if d.Of == experiment.OfBoth {
		parts = env.Parts()
	}
	for _, part := range parts {
		if !part.Volume.Emulated() {
			c.Add(c.Places[&c.e.Durability.Fault], "only the power of emulated devices can be cut; emulate: pass-through is this disk as it is",
				"power-cut: %s of %s is not emulated", part.Role, strictyaml.Bare(env.Name))
		}
	}
}
