package tuning

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/profile"
	"plinth/internal/unit"
)

// The knobs of a pod, and the values that ask its node for something.
const (
	PodQoS       = "pod.qos"
	PodCPUs      = "pod.cpus"
	PodHugePages = "pod.hugepages"

	Guaranteed = "Guaranteed"
	Exclusive  = "exclusive"
	Shared     = "shared"
)

// hugePage is the size of the huge pages that a pod can have.
const hugePage = 2 * unit.MiB

// Pods resolves the tuning of environments on Kubernetes. Its facts are the limits of the file: what a pod
// can use does not depend on the node. Lacking has the reason, by knob, why no node of the cluster can do
// what the knob asks for. Like Work, it leaves out an environment that equals an earlier one.
func Pods(declared *experiment.Experiment, lacking map[string]string) (*Tuning, error) {
	t := &Tuning{Experiment: declared, environments: map[string]*tuned{}}
	if !slices.ContainsFunc(declared.Environments, func(e experiment.Environment) bool { return len(e.Tuning) > 0 }) {
		return t, nil
	}
	worked := *declared
	worked.Environments = slices.Clone(declared.Environments)
	for i := range worked.Environments {
		e := &worked.Environments[i]
		of, err := podTuning(declared, e, lacking)
		if err != nil {
			return nil, fmt.Errorf("environment %s: %w", e.Name, err)
		}
		t.environments[e.Name] = of
	}
	t.leaveOut(&worked, declared)
	t.Experiment = &worked
	return t, nil
}

// podTuning resolves the tuning of one environment on Kubernetes, and applies it to e.
func podTuning(declared *experiment.Experiment, e *experiment.Environment, lacking map[string]string) (*tuned, error) {
	t := &tuned{}
	if e.Existing() {
		return t, nil
	}
	profiles := declared.ProfilesOf(*e)
	for _, p := range profiles {
		if p.Name != "" {
			t.profiles = append(t.profiles, p.Name)
		}
	}
	facts := podFacts(declared, *e)
	worked, err := profile.Work(declared.Engine, profiles, e.Without, facts)
	if err == nil {
		err = enoughLimits(declared.Engine, profiles, e.Without, facts, worked)
	}
	if err != nil {
		return nil, err
	}
	e.Settings = maps.Clone(e.Settings)
	p := pod{tuned: t, e: e, lacking: lacking, asked: map[string]profile.Value{}}
	for _, v := range worked.Values {
		if v.Layer == knob.Pod && v.NotApplicable == "" {
			p.asked[v.Key.Knob] = v
		}
	}
	noHugePages := declared.TunesPods() && !p.shape()
	for _, v := range worked.Values {
		p.take(v, noHugePages)
	}
	if _, own := declared.SettingsOf(*e)["huge_pages"]; noHugePages && !own && declared.Engine == experiment.EnginePostgres {
		// With the default, try, PostgreSQL would map huge pages of the node that the pod may not use, and
		// be killed (SIGBUS) when it touches them.
		set(e, profile.Value{Key: knob.Key{Knob: "huge_pages"}, Value: "off"})
	}
	return t, nil
}

// podFacts returns the facts of an environment on Kubernetes: those that its limits give. Memory in huge
// pages and other memory count together, so that settings do not differ between an environment with huge
// pages and one without.
func podFacts(declared *experiment.Experiment, e experiment.Environment) profile.Facts {
	l := e.Limits
	f := profile.Facts{
		Engine: declared.Engine, Version: e.Postgres.Version, CPUs: max(l.CPUs, int(math.Ceil(l.CPUQuota))),
		Memory: int64(l.Memory + l.HugePages), Limited: true, Connections: slices.Max(declared.Clients) + spareConnections,
	}
	if l.HugePages > 0 {
		f.HugePage, f.HugePages = int64(hugePage), int64(l.HugePages/hugePage)
	}
	return f
}

// enoughLimits returns an error if a value cannot be computed only because the file gives no limits.
func enoughLimits(engine string, profiles []*profile.Profile, without []string, facts profile.Facts, worked profile.Worked) error {
	if facts.Memory > 0 && facts.CPUs > 0 {
		return nil
	}
	if facts.Memory == 0 {
		facts.Memory = int64(8 * unit.GiB)
	}
	facts.CPUs = max(facts.CPUs, 2)
	again, err := profile.Work(engine, profiles, without, facts)
	if err != nil {
		return err
	}
	for i, v := range worked.Values {
		if v.NotApplicable != "" && again.Values[i].NotApplicable == "" {
			return hint.Errorf("add limits: {cpus: 2, memory: 8GiB} to the environment", "cannot compute %s: the facts of a pod are its limits, and %s", v.Key, v.NotApplicable)
		}
	}
	return nil
}

// pod changes the limits of an environment to what the tuning asks for.
type pod struct {
	*tuned
	e       *experiment.Environment
	asked   map[string]profile.Value // by knob
	lacking map[string]string
}

// shape reports whether the pod has huge pages.
func (p pod) shape() (hugePages bool) {
	guaranteed := p.granted(PodQoS, Guaranteed, "")
	inShared := ""
	if !guaranteed {
		inShared = "only a pod of the QoS class Guaranteed has CPUs of its own"
	}
	exclusive := p.granted(PodCPUs, Exclusive, inShared)
	hugePages = p.granted(PodHugePages, "on", "")
	l := &p.e.Limits
	l.Burstable = !guaranteed
	if guaranteed && !exclusive && l.CPUs > 0 {
		// Still Guaranteed, but not a whole number: the static CPU manager gives it no CPU of its own.
		l.CPUs, l.CPUQuota = 0, float64(l.CPUs)-0.001
	}
	if !hugePages { // the same memory, in pages of the usual size
		l.Memory, l.HugePages = l.Memory+l.HugePages, 0
	}
	return hugePages
}

// take assigns one value to the server.
func (p pod) take(v profile.Value, noHugePages bool) {
	switch {
	case v.NotApplicable != "":
		p.leave(v, v.NotApplicable)
	case v.Layer == knob.Pod: // shape has noted it
	case v.Layer != knob.Server:
		p.leave(v, "it belongs to the node, which all of its pods share")
	case noHugePages && v.Key.Knob == "huge_pages" && v.Value != "off":
		p.leave(v, "the pod has no huge pages")
	default:
		p.tuned.take(p.e, v)
	}
}

// granted notes the value that is asked for, and reports whether it is the given one and can be had.
func (p pod) granted(key, value, cannot string) bool {
	v, is := p.asked[key]
	if !is {
		return false
	}
	if why := p.lacking[key]; cannot == "" {
		cannot = why
	}
	if v.Value == value && cannot != "" {
		p.leave(v, cannot)
		return false
	}
	p.note(v)
	return v.Value == value
}
