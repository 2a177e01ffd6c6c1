package experiment

import (
	"fmt"
	"math/rand/v2"
	"reflect"

	"plinth/internal/strictyaml"
)

// setDefaults gives every field of a struct the value that its absent key has.
// Lists of structs and maps have no defaults, nor have keys of another engine.
func setDefaults(v reflect.Value, engine string) {
	for _, f := range fieldsOf(v.Type()) {
		if !f.of(engine) {
			continue
		}
		into := v.FieldByIndex(f.index)
		switch {
		case f.typ.Kind() == reflect.Struct:
			setDefaults(into, engine)
		case f.fallback != "":
			setDefault(into, f.fallback)
		}
	}
}

func setDefault(into reflect.Value, text string) {
	switch into.Kind() {
	case reflect.Slice:
		into.Set(reflect.MakeSlice(into.Type(), 1, 1))
		setDefault(into.Index(0), text)
	case reflect.String:
		into.SetString(text)
	case reflect.Bool:
		into.SetBool(text == "true")
	default:
		if !setQuantity(into.Addr().Interface(), text) {
			_ = strictyaml.SetNumber(into, text) // a test reads every default
		}
	}
}

// complete writes out the defaults that depend on other keys.
func (d *decoder) complete(e *Experiment) {
	if e.Name == "" && !d.broken[&e.Name] {
		e.Name = asName(stem(d.File))
	}
	if e.Name == "" {
		e.Name = "experiment"
	}
	if e.Transactions > 0 && d.places[&e.Duration] == nil {
		e.Duration = 0
	}
	if len(e.Rates) > 0 && d.places[&e.Metric] == nil {
		e.Metric = "latency" // TPS is the rate, whatever the server does
	}
	if e.Engine == EngineRedis {
		d.completeRedis(e)
	}
	if e.Seed == 0 {
		e.Seed = 1 + rand.Uint64N(1<<31-1) // short enough to be typed again
		e.SeedChosen = true
	}
	d.completeEnvironments(e)
	d.completeDurability(e)
	d.completeWorkloads(e)
	for i := range e.Events {
		if v := &e.Events[i]; v.Name == "" && !d.broken[v] {
			v.Name = fmt.Sprintf("event-%d", i+1)
		}
	}
}

// completeRedis writes out the defaults that Redis has otherwise.
func (d *decoder) completeRedis(e *Experiment) {
	if d.places[&e.Reset] == nil {
		e.Reset = "rewrite"
	}
	if e.Dataset.Keys > 0 && e.Dataset.Size == 0 && !d.broken[&e.Dataset.Size] {
		e.Dataset.Size = e.Payload
	}
	if e.Generator == RedisBenchmark && d.places[&e.Warmup] == nil {
		e.Warmup = 0 // it has none
	}
}

func (d *decoder) completeEnvironments(e *Experiment) {
	for i := range e.Environments {
		env := &e.Environments[i]
		switch {
		case env.Connect != "" && d.places[&env.Storage] == nil:
			env.Storage = Storage{}
		case env.Connect == "" && env.Postgres.Version == 0:
			env.Postgres.Version = e.Postgres.Version
		}
		if env.Connect == "" && env.Redis.Program == "" {
			env.Redis.Program = e.Redis.Program
		}
		if env.Connect == "" && !env.Storage.Data.given() && !d.broken[&env.Storage.Data] {
			env.Storage.Data.Directory = "."
		}
		if (env.Pressure.Write > 0 || env.Pressure.Read > 0) && env.Pressure.Volume == "" {
			env.Pressure.Volume = RoleData
		}
		d.completeReplica(env)
		completeVolumes(env)
	}
	if e.Baseline == "" {
		e.Baseline = e.usualBaseline()
	}
}

// usualBaseline is the environment that the others are compared with where the file does
// not say. Of an ablation it is all: a part is worth what all of them lose without it.
func (e *Experiment) usualBaseline() string {
	switch {
	case e.ablated():
		return AblationAll
	case len(e.Environments) > 0:
		return e.Environments[0].Name
	}
	return ""
}

// completeWorkloads names a workload after its one script, where that says what
// it is.
func (d *decoder) completeWorkloads(e *Experiment) {
	for i := range e.Workloads {
		w := &e.Workloads[i]
		if w.Name == "" && !d.broken[w] && len(w.Scripts) == 1 && w.Scripts[0].SQL == "" {
			w.Name = scriptName(w.Scripts[0], i+1)
		}
	}
}
