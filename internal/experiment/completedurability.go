package experiment

import (
	"reflect"

	"go.yaml.in/yaml/v3"
)

// Whom a fault strikes, and what recovers.
const (
	OfPrimary      = "primary"
	OfBoth         = "both"
	RecoverDisk    = "disk"
	RecoverPromote = "promote"
)

// What strikes.
const (
	FaultKill     = "kill"
	FaultPowerCut = "power-cut"
)

// durability reads what is one word, the fault, or else keys.
func (d *decoder) durability(n *yaml.Node, into *Durability, where string) bool {
	if !oneWord(n) {
		return d.section(n, reflect.ValueOf(into).Elem(), where)
	}
	f, _ := fieldNamed(fieldsOf(reflect.TypeFor[Durability]()), "fault")
	return d.value(n, reflect.ValueOf(&into.Fault).Elem(), f, where)
}

// completeDurability writes out what the short forms stand for, so that nobody else
// has to know them.
func (d *decoder) completeDurability(e *Experiment) {
	into := &e.Durability
	if place := d.places[&e.Fault]; place != nil {
		if d.places[into] != nil {
			d.add(place, "leave out one of the two: fault is short for durability", "fault, and durability beside it")
			d.broken[into] = true
			return
		}
		into.Fault, e.Fault = e.Fault, ""
		d.places[into], d.places[&into.Fault] = place, place
		d.broken[into], d.broken[&into.Fault] = d.broken[&e.Fault], d.broken[&e.Fault]
	}
	if into.Fault == "" || d.broken[into] {
		return
	}
	for _, key := range []struct {
		into   *string
		unless string
	}{{&into.Of, OfPrimary}, {&into.Recover, RecoverDisk}} {
		if *key.into == "" {
			*key.into = key.unless
		}
	}
	if into.Times == 0 {
		into.Times = 1
	}
}

// completeVolumes is of all volumes of an environment.
func completeVolumes(env *Environment) {
	for _, v := range env.volumes() {
		v.eraseMembers()
		v.backHere()
	}
}

// completeReplica gives a replica that is asked for a place for its data.
func (d *decoder) completeReplica(env *Environment) {
	data := &env.Replica.Storage.Data
	if d.places[&env.Replica] != nil && env.Connect == "" && !data.given() && !d.broken[data] {
		data.Directory = "."
	}
}
