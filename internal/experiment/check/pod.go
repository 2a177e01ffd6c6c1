package check

import (
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/hint"
	"plinth/internal/knob"
)

// inPod checks the tuning of an environment on Kubernetes: of its server, and of its pod, for which the
// limits give the amounts.
func inPod(notes *mistake.Notes, engine string, env *experiment.Environment, settings []experiment.TunedSetting, from map[knob.Key]int, where string) {
	if env.Existing() {
		return // noted elsewhere
	}
	layers := make([][]string, len(env.Tuning)) // of the node, by item
	keys := make([][]string, len(env.Tuning))
	for _, s := range settings {
		item := from[s.Key]
		place := notes.Places[&env.Tuning[item]]
		switch s.Layer {
		case knob.Server:
			if env.Kubernetes.Operator == experiment.OperatorCNPG {
				fixedSetting(notes, env, place, s.Key.Knob, s.Value, where+".tuning")
			}
		case knob.Pod:
			if err := enough(engine, env, s); err != nil && notes.Sound(&env.Limits) {
				notes.Add(place, hint.Of(err), "%s.tuning: %s = %s: %v", where, s.Key, s.Value, err)
			}
		default:
			keys[item] = append(keys[item], s.Key.String())
			if layer := string(s.Layer); !slices.Contains(layers[item], layer) {
				layers[item] = append(layers[item], layer)
			}
		}
	}
	for i, outside := range layers {
		if len(outside) > 0 {
			notes.Add(notes.Places[&env.Tuning[i]], "add without: ["+strings.Join(outside, ", ")+"], and tune the node with plinth tune on it",
				"%s.tuning: %s: with kubernetes, only the server and its pod can be tuned", where, someOf(keys[i]))
		}
	}
}

// enough returns an error if the limits do not give what a knob of the pod needs.
func enough(engine string, env *experiment.Environment, s experiment.TunedSetting) error {
	k, _ := knob.Find(s.Key.Knob)
	l := env.Limits
	asks := func(name, value string) bool { return k.Name == name && k.Same(s.Value, value) }
	switch {
	case asks("pod.hugepages", "on") && engine == experiment.EngineRedis:
		return hint.Errorf("leave it out", "Redis does not use huge pages that are reserved")
	case asks("pod.qos", "Guaranteed") && (l.Memory == 0 || l.CPUs == 0 && l.CPUQuota == 0):
		return hint.Errorf("add limits: {cpus: 2, memory: 8GiB} to the environment", "the limits do not have both CPUs and memory")
	case asks("pod.cpus", "exclusive") && l.CPUs == 0:
		return hint.Errorf("add limits: {cpus: 2} to the environment", "the limits do not have a whole number of CPUs (cpus)")
	case asks("pod.hugepages", "on") && l.HugePages == 0:
		return hint.Errorf("add limits: {huge_pages: 2GiB} to the environment", "the limits have no huge pages")
	}
	return nil
}
