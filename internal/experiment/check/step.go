package check

import (
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/strictyaml"
)

// steps checks that each step has its environment.
func steps(notes *mistake.Notes, e *experiment.Experiment) {
	if len(e.Steps) == 0 || !notes.Sound(&e.Steps, &e.Environments) {
		return
	}
	if e.Ablate != "" {
		notes.Add(notes.Places[&e.Ablate], "leave out one of the two", "steps and ablate are both given")
		return
	}
	names := map[string]bool{}
	for i := range e.Steps {
		s := &e.Steps[i]
		is := func(env experiment.Environment) bool { return env.Name == s.Name }
		switch place := first(notes.Places[&s.Name], notes.Places[s]); {
		case !notes.Sound(s):
		case s.Name == "":
			notes.Add(place, "add a name, such as name: tuned", "steps: a step without a name")
		case names[s.Name]:
			notes.Add(place, "give each its own name", "steps: a second step named %s", strictyaml.Bare(s.Name))
		case !slices.ContainsFunc(e.Environments, is) && len(e.Environments) > 0:
			notes.Add(place, "give exactly one environment, as the first step, or one environment for each step",
				"steps: no environment is named %s, and the file has %d environments", strictyaml.Quote(s.Name), len(e.Environments))
		case len(s.Tuning) > 0 || len(s.Settings) > 0 || s.Storage.Data.Given() || s.Limits != (experiment.Limits{}):
			notes.Add(place, "move the changes to the environment", "steps: %s is already an environment, so the step cannot add anything", strictyaml.Bare(s.Name))
		}
		names[s.Name] = true
	}
}

// ablation checks that an ablation has exactly one environment to expand.
func ablation(notes *mistake.Notes, e *experiment.Experiment) {
	if e.Ablate == "" || !notes.Sound(&e.Ablate, &e.Environments) || e.Ablated() || len(e.Steps) > 0 {
		return
	}
	if n := len(e.Environments); n > 1 {
		notes.Add(notes.Places[&e.Ablate], "give one environment, with all of its tuning", "ablate needs exactly one environment, but the file has %d", n)
	}
}

// turns sets interleave to repeat, with a warning, if environments differ in host-wide settings and
// the file does not set it.
func turns(notes *mistake.Notes, e *experiment.Experiment) []experiment.Warning {
	if notes.Err() != nil {
		return nil
	}
	keys := e.Switched()
	if len(keys) == 0 {
		return nil
	}
	differ := "environments differ in host-wide settings (" + someOf(keys) + ")"
	switch {
	case notes.Places[&e.Interleave] == nil:
		e.Interleave = "repeat"
		return []experiment.Warning{{
			Rule: "interleave-repeat",
			Text: differ + ", so they alternate only once per repeat, and the unit of a verdict is the repeat",
			Hint: "set interleave: repeat to confirm, or interleave: block to change the machine before every run",
		}}
	case e.Interleave == "block":
		return []experiment.Warning{{
			Rule: "interleave-block",
			Text: differ + ": plinth changes them before every run, and each change takes time",
			Hint: "set interleave: repeat to change them once for each environment and repeat",
		}}
	}
	return nil
}
