package check

import (
	"path/filepath"

	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/hint"
	"plinth/internal/reach/address"
	"plinth/internal/strictyaml"
)

// machine checks the machine of an environment. The paths of its storage are paths there, where the
// directory that plinth was started in has no meaning.
func machine(notes *mistake.Notes, env *experiment.Environment, where string) {
	at := &env.At
	if !at.There() || !notes.Sound(at) {
		return
	}
	place := notes.Places[at]
	switch {
	case at.SSH != "" && len(at.Command) > 0:
		notes.Add(place, "leave one of them out", "%s.at: ssh and command cannot be given together", where)
	case at.Become != "" && at.SSH == "":
		notes.Add(place, "make sudo a part of the command: [sudo, -n, plinth, agent]", "%s.at: become applies only to ssh", where)
	case at.SSH != "":
		if _, err := address.Parse(at.SSH); err != nil {
			notes.Add(place, hint.Of(err), "%s.at: %v", where, err)
		}
	}
	for _, path := range env.Paths() {
		if *path == "" || filepath.IsAbs(*path) || !notes.Sound(path) {
			continue
		}
		if notes.Places[path] == nil { // the default, which is the current directory
			notes.Add(place, "add storage: {data: /mnt/ssd}, with a directory of that machine", "%s: an environment on another machine needs storage", where)
			continue
		}
		notes.Add(notes.Places[path], "write the whole path", "%s: %s is relative, and the environment is on another machine", where, *path)
	}
}

// oneAccount checks that each machine is entered in one way.
func oneAccount(notes *mistake.Notes, e *experiment.Experiment) {
	become := map[string]string{}
	for i := range e.Environments {
		at := &e.Environments[i].At
		before, known := become[at.Machine()]
		if known && before != at.Become {
			notes.Add(notes.Places[at], "write become in all of them, or in none", "environments.%s.at: %s is entered with and without become", strictyaml.Bare(e.Environments[i].Name), at.Machine())
		}
		become[at.Machine()] = at.Become
	}
}
