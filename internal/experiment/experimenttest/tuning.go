package experimenttest

import (
	"pgregory.net/rapid"

	"plinth/internal/experiment"
	"plinth/internal/knob"
	"plinth/internal/profile"
)

// anyTuning draws profiles by name, profiles from files, and values by knob. An existing server gets
// only settings.
func anyTuning(t *rapid.T, connected bool) []experiment.Tuning {
	var list []experiment.Tuning
	for range rapid.IntRange(0, 3).Draw(t, "tuning") {
		switch kind := oneOf(t, "name", "profile", "set"); {
		case connected:
			list = append(list, experiment.Tuning{Set: map[string]string{"bgwriter_delay": oneOf(t, "10ms", "200")}})
		case kind == "name":
			list = append(list, experiment.Tuning{Name: oneOf(t, "ebs-kernel", "ebs-server", "huge-pages")})
		case kind == "profile":
			list = append(list, experiment.Tuning{Profile: anyProfile(t)})
		default:
			set := map[string]string{"vm.swappiness": oneOf(t, "0", "1", "60")}
			if rapid.Bool().Draw(t, "more") {
				set["read_ahead_kb@data"] = oneOf(t, "64", "4096")
				set["shared_buffers"] = oneOf(t, "128MB", "= memory * 0.25")
			}
			list = append(list, experiment.Tuning{Set: set})
		}
	}
	return list
}

func anyProfile(t *rapid.T) *profile.Profile {
	text := func(label string) string {
		return oneOf(t, "", "on", "a: b", "a #b", "'", "@x", "1e3", "a "+label)
	}
	p := &profile.Profile{Name: "mine", About: text("about"), Unsafe: rapid.Bool().Draw(t, "unsafe")}
	if rapid.Bool().Draw(t, "source") {
		p.Source = knob.Source{Author: text("author"), Title: "A title", Section: text("section"), URL: "https://example.org/a"}
	}
	if rapid.Bool().Draw(t, "includes") {
		p.Includes = []string{"ebs-kernel"}
	}
	if rapid.Bool().Draw(t, "requires") {
		p.Requires = []profile.Requirement{{Layer: knob.Kernel, Holds: "memory > 4 * GiB", Text: "more memory", Hint: text("hint")}}
	}
	p.Settings = []profile.Setting{
		{Key: knob.Key{Knob: "vm.dirty_expire_centisecs"}, Value: oneOf(t, "200", "3000"), Group: oneOf(t, "", "flushing"), Reason: oneOf(t, "", "two\nlines")},
		{Key: knob.Key{Knob: "scheduler", On: "data"}, Value: "none", When: oneOf(t, "", "cpus > 1")},
		{Key: knob.Key{Knob: "work_mem"}, Value: oneOf(t, "4MB", "= memory / 100"), Reason: text("reason")},
	}
	if p.Settings[1].When != "" {
		p.Settings[1].Unless = "one CPU"
	}
	return p
}

// anyShortForm draws steps and ablate in their expanded form: names of environments.
func anyShortForm(t *rapid.T, e *experiment.Experiment) {
	switch oneOf(t, "", "steps", "ablate") {
	case "steps":
		for _, env := range e.Environments {
			change := oneOf(t, "", "more: of it", "on")
			if len(e.Environments) == 1 {
				change = "said" // else it is said for it
			}
			e.Steps = append(e.Steps, experiment.Step{Name: env.Name, Change: change})
		}
	case "ablate":
		if len(e.Environments) > 1 {
			e.Environments[0].Name, e.Environments[1].Name = experiment.AblationNone, experiment.AblationAll
			e.Ablate = oneOf(t, "layer", "group", "knob", "pairs", experiment.Screen)
		}
	}
}
