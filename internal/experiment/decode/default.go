package decode

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"

	"plinth/internal/conninfo"
	"plinth/internal/experiment"
	"plinth/internal/strictyaml"
)

// complete sets the defaults that depend on other keys.
func (d *decoder) complete(e *experiment.Experiment) {
	if e.Name == "" && !d.Broken[&e.Name] {
		e.Name = experiment.AsName(stem(d.File))
	}
	if e.Name == "" {
		e.Name = "experiment"
	}
	e.Question = conninfo.Redact(e.Question) // it is shown, and recorded
	if e.Transactions > 0 && d.Places[&e.Duration] == nil {
		e.Duration = 0
	}
	if len(e.Rates) > 0 && d.Places[&e.Metric] == nil {
		e.Metric = "latency" // TPS is then the rate, independent of the server
	}
	if e.Engine == experiment.EngineRedis {
		d.completeRedis(e)
	}
	if e.Seed == 0 {
		e.Seed = 1 + rand.Uint64N(1<<31-1) // short enough to type
		e.SeedChosen = true
	}
	d.completeEnvironments(e)
	d.completeDurability(e)
	d.completeWorkloads(e)
	for i := range e.Events {
		if v := &e.Events[i]; v.Name == "" && !d.Broken[v] {
			v.Name = fmt.Sprintf("event-%d", i+1)
		}
	}
}

// completeRedis sets the defaults that are different for Redis.
func (d *decoder) completeRedis(e *experiment.Experiment) {
	if d.Places[&e.Reset] == nil {
		e.Reset = "rewrite"
	}
	if e.Dataset.Keys > 0 && e.Dataset.Size == 0 && !d.Broken[&e.Dataset.Size] {
		e.Dataset.Size = e.Payload
	}
	if e.Generator == experiment.RedisBenchmark && d.Places[&e.Warmup] == nil {
		e.Warmup = 0 // redis-benchmark has no warm-up
	}
}

func (d *decoder) completeEnvironments(e *experiment.Experiment) {
	for i := range e.Environments {
		env := &e.Environments[i]
		switch {
		case e.Imported: // what the file does not say is unknown
		case d.Places[&env.Kubernetes] != nil && !env.Existing():
			d.completeKubernetes(e, env)
		case !env.Existing():
			d.completeOwn(e, env)
		case d.Places[&env.Storage] == nil:
			env.Storage = experiment.Storage{}
		}
		if (env.Pressure.Write > 0 || env.Pressure.Read > 0) && env.Pressure.Volume == "" {
			env.Pressure.Volume = experiment.RoleData
		}
		for _, v := range env.Volumes() {
			completeVolume(v)
		}
		for _, path := range env.Paths() {
			if strings.Contains(*path, "://") {
				d.Add(d.Places[path], "for an existing server, use connect", "environments.%s: storage: expected a path, found a connection string", strictyaml.Bare(env.Name))
			}
		}
	}
	if e.Baseline == "" {
		e.Baseline = usualBaseline(e)
	}
}

// completePrograms gives an environment the experiment's programs.
func completePrograms(e *experiment.Experiment, env *experiment.Environment) {
	if env.Postgres == (experiment.Postgres{}) {
		env.Postgres = e.Postgres
	}
	if env.Redis == (experiment.Redis{}) {
		env.Redis = e.Redis
	}
}

// completeKubernetes sets the defaults of an environment whose server plinth creates on Kubernetes. The
// defaults of synchronous replication are CloudNativePG's own; they are written out because they decide
// what a failover costs.
func (d *decoder) completeKubernetes(e *experiment.Experiment, env *experiment.Environment) {
	completePrograms(e, env)
	k := &env.Kubernetes
	if k.Operator != experiment.OperatorCNPG {
		return
	}
	k.Instances = max(1, k.Instances)
	if s := &k.Synchronous; d.Places[s] != nil {
		s.Method, s.Number = cmp.Or(s.Method, "any"), max(1, s.Number)
		s.DataDurability = cmp.Or(s.DataDurability, "required")
	}
}

// completeOwn sets the defaults of an environment whose server plinth creates.
func (d *decoder) completeOwn(e *experiment.Experiment, env *experiment.Environment) {
	completePrograms(e, env)
	if data := &env.Storage.Data; !data.Given() && !d.Broken[data] {
		data.Directory = "."
	}
	if data := &env.Replica.Storage.Data; d.Places[&env.Replica] != nil && !data.Given() && !d.Broken[data] {
		data.Directory = "."
	}
}

// usualBaseline returns the default baseline: the first environment. In an ablation it is the one with
// all tuning, because the contribution of a part is the loss without it.
func usualBaseline(e *experiment.Experiment) string {
	switch {
	case e.Ablated():
		return experiment.AblationAll
	case len(e.Environments) > 0:
		return e.Environments[0].Name
	}
	return ""
}

// completeWorkloads names a workload after its only script, unless that is inline SQL.
func (d *decoder) completeWorkloads(e *experiment.Experiment) {
	for i := range e.Workloads {
		w := &e.Workloads[i]
		if w.Name == "" && !d.Broken[w] && len(w.Scripts) == 1 && w.Scripts[0].SQL == "" {
			w.Name = scriptName(w.Scripts[0], i+1)
		}
	}
}

// completeVolume applies the array's erase to its members, and sets the default backing directory of
// emulated disks: the current directory, which must be on a faster disk than the emulated one.
func completeVolume(v *experiment.Volume) {
	for i := range v.Members {
		if m := &v.Members[i]; v.Erase && m.Device != "" {
			m.Erase = true
		}
	}
	for _, d := range v.Disks() {
		if d.Emulated() && d.Backing == "" {
			d.Backing = "."
		}
	}
}

// completeDurability expands fault and sets the defaults, so that other code needs no special cases.
func (d *decoder) completeDurability(e *experiment.Experiment) {
	into := &e.Durability
	if place := d.Places[&e.Fault]; place != nil {
		if d.Places[into] != nil {
			d.Add(place, "leave out one of the two: fault is short for durability", "fault and durability are both given")
			d.Broken[into] = true
			return
		}
		into.Fault, e.Fault = e.Fault, ""
		d.Places[into], d.Places[&into.Fault] = place, place
		d.Broken[into], d.Broken[&into.Fault] = d.Broken[&e.Fault], d.Broken[&e.Fault]
	}
	if into.Fault == "" || d.Broken[into] {
		return
	}
	for _, key := range []struct {
		into   *string
		unless string
	}{{&into.Of, experiment.OfPrimary}, {&into.Recover, experiment.RecoverDisk}} {
		if *key.into == "" {
			*key.into = key.unless
		}
	}
	if into.Times == 0 {
		into.Times = 1
	}
}
