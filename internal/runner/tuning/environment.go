package tuning

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/knob"
	"plinth/internal/limit"
	"plinth/internal/profile"
	"plinth/internal/record"
	"plinth/internal/runner/engines"
	"plinth/internal/tune"
)

// tuned is the tuning of one environment, resolved for this machine.
type tuned struct {
	profiles []string
	knobs    []record.Knob   // of its server, storage and placement, and those not applicable here
	disks    []profile.Value // for its own disks, once they exist
	host     []profile.Value // for the whole host
	where    limit.Where
}

// tuningOf resolves the tuning of one environment, and applies the parts that belong to the
// environment to e.
func tuningOf(ctx context.Context, declared *experiment.Experiment, e *experiment.Environment, inventory host.Inventory) (*tuned, error) {
	t := &tuned{}
	profiles := declared.ProfilesOf(*e)
	for _, p := range profiles {
		if p.Name != "" {
			t.profiles = append(t.profiles, p.Name)
		}
	}
	worked, err := t.work(ctx, declared, *e, profiles, inventory)
	if err != nil {
		return nil, err
	}
	e.Settings = maps.Clone(e.Settings)
	for _, v := range worked.Values {
		t.take(e, v)
	}
	return t, t.dirtyByLimit(declared, *e, tune.Kernel{})
}

// work evaluates profiles. With huge pages among the values it evaluates them twice, since the
// number that a server needs depends on its other settings.
func (t *tuned) work(ctx context.Context, declared *experiment.Experiment, e experiment.Environment, profiles []*profile.Profile, inventory host.Inventory) (profile.Worked, error) {
	facts := factsOf(declared, e, inventory)
	worked, err := profile.Work(declared.Engine, profiles, e.Without, facts)
	if err != nil {
		return worked, err
	}
	counter, can := engines.Of(declared).Kind.(hugePageCounter)
	if !can || engines.Connected(e) || !slices.ContainsFunc(worked.Values, AboutHugePages) {
		return worked, nil
	}
	with := e
	with.Settings = maps.Clone(e.Settings)
	for _, v := range worked.Values {
		if v.Layer == knob.Server && v.NotApplicable == "" {
			set(&with, v)
		}
	}
	if facts.HugePagesNeeded, err = counter.HugePagesNeeded(ctx, declared, with, facts.HugePage); err != nil {
		return worked, err
	}
	return profile.Work(declared.Engine, profiles, e.Without, facts)
}

// hugePageCounter is a kind of server that can compute the number of huge pages, of the given
// size in bytes, that an environment needs; 0 if unknown.
type hugePageCounter interface {
	HugePagesNeeded(ctx context.Context, e *experiment.Experiment, env experiment.Environment, page int64) (int64, error)
}

// AboutHugePages reports whether a value is a number of huge pages.
func AboutHugePages(v profile.Value) bool { return strings.Contains(v.Key.Knob, "hugepages") }

// Facts returns the facts of this machine within the limits of an experiment's only environment, and its inventory.
func Facts(ctx context.Context, e *experiment.Experiment, look Look) (profile.Facts, host.Inventory, error) {
	inventory, err := look(ctx, directories(e))
	if err != nil {
		return profile.Facts{}, inventory, err
	}
	return factsOf(e, e.Environments[0], inventory), inventory, nil
}

// factsOf returns the machine's facts within the limits of an environment.
func factsOf(declared *experiment.Experiment, e experiment.Environment, inventory host.Inventory) profile.Facts {
	facts := tune.FactsOf(inventory)
	facts.Engine = declared.Engine
	if known, can := engines.Of(declared).Kind.(versioner); can && !engines.Connected(e) {
		facts.Version = known.MajorVersion(e)
	}
	facts.Disk = diskOf(inventory, e, experiment.RoleData, e.Storage.Data)
	facts.WAL = facts.Disk
	if e.Storage.WAL.There() {
		facts.WAL = diskOf(inventory, e, experiment.RoleWAL, e.Storage.WAL)
	}
	if limit := int64(e.Limits.Memory); limit > 0 && limit < facts.Memory {
		facts.Memory, facts.Limited = limit, true
	}
	if e.Limits.CPUs > 0 {
		facts.CPUs = min(facts.CPUs, e.Limits.CPUs)
	}
	if quota := e.Limits.CPUQuota; quota > 0 {
		facts.CPUs = min(facts.CPUs, int(math.Ceil(float64(quota))))
	}
	facts.Connections = slices.Max(declared.Clients) + spareConnections
	return facts
}

// versioner is a kind of server that knows an environment's major version before its server
// exists; 0 if unknown.
type versioner interface {
	MajorVersion(env experiment.Environment) int
}

// diskOf returns the facts of a volume that are known without reading the disk: those of its model, or the read-ahead of an
// existing one.
func diskOf(inventory host.Inventory, e experiment.Environment, role string, v experiment.Volume) profile.Disk {
	if place, exists := PlaceOf(inventory, e, role); exists {
		return profile.Disk{ReadAhead: place.ReadAhead()}
	}
	if v.RAID != "" || !v.Emulated() {
		return profile.Disk{}
	}
	model, err := v.Model()
	if err != nil {
		return profile.Disk{}
	}
	return tune.DiskOf(model, false)
}

// spareConnections is the number of connections beside the clients': plinth's statistics,
// superusers.
const spareConnections = 10

// take assigns one value to the server, the storage, the placement or the host.
func (t *tuned) take(e *experiment.Environment, v profile.Value) {
	if v.NotApplicable != "" {
		t.leave(v, v.NotApplicable)
		return
	}
	switch v.Layer {
	case knob.Server:
		if set(e, v) {
			t.note(v)
		} else {
			t.leave(v, "the environment's own settings set another value")
		}
	case knob.Placement:
		t.place(v)
	case knob.Block, knob.Mount:
		t.store(e, v)
	case knob.Pod:
		t.leave(v, "only a server on Kubernetes has a pod")
	case knob.Hypervisor:
		t.leave(v, "a virtual machine applies it at its next start, so environments cannot differ in it")
	default:
		t.host = append(t.host, v)
	}
}

func (t *tuned) note(v profile.Value) {
	t.knobs = append(t.knobs, knobOf(v, false))
}

func (t *tuned) leave(v profile.Value, why string) {
	k := knobOf(v, false)
	k.NotApplicable = why
	t.knobs = append(t.knobs, k)
}

func knobOf(v profile.Value, host bool) record.Knob {
	return record.Knob{Layer: string(v.Layer), Key: v.Key.String(), Value: v.Value, Group: v.Group,
		From: v.Profile, Reason: v.Reason, Host: host}
}

// set stores a value in an environment's settings. It returns false if the environment declares
// another value.
func set(e *experiment.Environment, v profile.Value) bool {
	for name, own := range e.Settings {
		if strings.EqualFold(name, v.Key.Knob) {
			return own == v.Value
		}
	}
	if e.Settings == nil {
		e.Settings = map[string]string{}
	}
	e.Settings[v.Key.Knob] = v.Value
	return true
}

// place assigns CPUs and memory nodes to the server's control group. Interrupts belong to the
// host.
func (t *tuned) place(v profile.Value) {
	switch v.Key.Knob {
	case "cpus":
		cpus, err := host.ParseRanges(v.Value)
		if err != nil {
			t.leave(v, err.Error())
			return
		}
		t.where.CPUs = cpus
	case "mems":
		t.where.Nodes = v.Value
	case "numa_policy":
		t.leave(v, "a control group binds memory by its nodes (mems)")
		return
	default:
		t.host = append(t.host, v)
		return
	}
	t.note(v)
}

// SameHost reports whether two sets of values want the same host settings.
func SameHost(a, b []profile.Value) bool {
	values := func(all []profile.Value) map[knob.Key]string {
		m := map[knob.Key]string{}
		for _, v := range all {
			m[v.Key] = v.Value
		}
		return m
	}
	return maps.Equal(values(a), values(b))
}

// whySame returns the reason why an environment equals the one called name: the knobs that only one
// of them requests are not applicable here.
func whySame(name string, differing []record.Knob) string {
	var why []string
	for _, k := range differing {
		if k.NotApplicable != "" && !slices.Contains(why, k.NotApplicable) {
			why = append(why, k.NotApplicable)
		}
	}
	if why == nil {
		return "it is identical to " + name
	}
	return strings.Join(why, "; ")
}

// differing returns the knobs that only one of two environments requests.
func (t *Tuning) differing(a, b string) []record.Knob {
	one, other := t.environments[a], t.environments[b]
	return append(one.notIn(other), other.notIn(one)...)
}

// notIn returns the knobs that another environment does not request.
func (t *tuned) notIn(other *tuned) []record.Knob {
	return slices.DeleteFunc(slices.Clone(t.knobs), func(k record.Knob) bool {
		return slices.ContainsFunc(other.knobs, func(o record.Knob) bool { return o.Key == k.Key && o.Value == k.Value })
	})
}
