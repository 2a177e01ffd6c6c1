package check

import (
	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/hint"
	"plinth/internal/instance"
)

// instances checks the instance of an environment, and the CPU credits of its server and its replica.
func instances(notes *mistake.Notes, env *experiment.Environment, where string) {
	if env.Instance != "" && notes.Sound(&env.Instance) {
		if _, err := instance.Find(env.Instance); err != nil {
			notes.Add(notes.Places[&env.Instance], hint.Of(err), "%s.instance: %v", where, err)
		}
	}
	credits(notes, &env.Limits, where+".limits")
	misplaced(notes, &env.Replica.Limits.CPUCredits, false, "leave it out, or limit it with cpu_quota", where+".replica.limits", "cpu_credits applies only to the server under load")
}

// credits checks that the credits are complete and possible.
func credits(notes *mistake.Notes, l *experiment.Limits, where string) {
	c := &l.CPUCredits
	place := notes.Places[c]
	switch {
	case place == nil || !notes.Sound(c):
	case !c.There():
		notes.Add(place, "give it an instance, such as t3.large", "%s.cpu_credits: no instance is given", where)
	case l.CPUQuota > 0:
		notes.Add(place, "leave one of them out", "%s: cpu_credits and cpu_quota cannot be set together", where)
	default:
		if _, err := c.Account(); err != nil {
			notes.Add(place, hint.Of(err), "%s.cpu_credits: %v", where, err)
		}
	}
}
